// SPDX-License-Identifier: Apache-2.0
// The page works without this script; with it, charts zoom and pan, points answer the mouse and the keyboard, tables sort.
'use strict';

const data = JSON.parse(document.getElementById('run-data').textContent);
const tooltip = document.getElementById('tooltip');
const sections = [...document.querySelectorAll('section.experiment')];

function element(name, text) {
  const created = document.createElement(name);
  if (text !== undefined) created.textContent = text;
  return created;
}

// One experiment at a time.
function selectExperiments() {
  const links = [...document.querySelectorAll('nav a')];
  const show = () => {
    const wanted = sections.findIndex((section) => '#' + section.id === location.hash);
    const chosen = Math.max(wanted, 0);
    sections.forEach((section, i) => { section.hidden = i !== chosen; });
    links.forEach((link, i) => link.setAttribute('aria-current', String(i === chosen)));
    hideTooltip();
  };
  links.forEach((link) => link.addEventListener('click', (event) => {
    event.preventDefault();
    history.replaceState(null, '', link.getAttribute('href'));
    show();
  }));
  window.addEventListener('hashchange', show);
  show();
}

function showTooltip(point, x, y) {
  const list = element('dl');
  for (const [name, text] of point.facts) list.append(element('dt', name), element('dd', text));
  tooltip.replaceChildren(element('strong', point.label), list);
  tooltip.hidden = false;
  const { width, height } = tooltip.getBoundingClientRect();
  const left = x + 16 + width < innerWidth ? x + 16 : x - 16 - width;
  tooltip.style.left = Math.max(4, left) + 'px';
  tooltip.style.top = Math.max(4, Math.min(y + 16, innerHeight - height - 4)) + 'px';
}

function hideTooltip() {
  tooltip.hidden = true;
}

// Points in the chart and rows of the table highlight each other; a click or Enter pins.
function linkPoints(section) {
  const svgs = [...section.querySelectorAll('figure > svg')];
  const points = data.experiments[Number(section.dataset.experiment)].points;
  let pinned = null;

  const highlight = (index) => {
    for (const svg of svgs) svg.classList.toggle('has-active', index !== null);
    for (const item of section.querySelectorAll('[data-point]')) {
      item.classList.toggle('active', item.dataset.point === index);
    }
  };
  const enter = (item, x, y) => {
    highlight(item.dataset.point);
    showTooltip(points[Number(item.dataset.point)], x, y);
  };
  const leave = () => {
    highlight(pinned);
    hideTooltip();
  };
  const pin = (index) => {
    pinned = pinned === index ? null : index;
    highlight(pinned);
  };

  // The browser's own tooltip would cover ours; its text stays as the accessible name.
  for (const group of section.querySelectorAll('g[data-point]')) {
    const title = group.querySelector(':scope > title');
    if (title) {
      group.setAttribute('aria-label', title.textContent);
      title.remove();
    }
  }
  for (const row of section.querySelectorAll('tr[data-point]')) row.tabIndex = 0;
  for (const item of section.querySelectorAll('[data-point]')) {
    item.addEventListener('pointermove', (event) => enter(item, event.clientX, event.clientY));
    item.addEventListener('pointerleave', leave);
    item.addEventListener('click', () => pin(item.dataset.point));
    item.addEventListener('focus', () => {
      const box = item.getBoundingClientRect();
      enter(item, box.left + Math.min(box.width, 300), box.bottom);
    });
    item.addEventListener('blur', leave);
    item.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') pin(item.dataset.point);
      if (event.key === 'Escape') { pinned = null; leave(); }
    });
  }
}

// Zoom and pan by the chart's viewBox: with wheel and drag, keys, and buttons.
function makeZoomable(figure) {
  const svg = figure.querySelector(':scope > svg');
  const whole = svg.viewBox.baseVal;
  const full = { x: whole.x, y: whole.y, width: whole.width, height: whole.height };
  let view = { ...full };

  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  const apply = () => {
    view.x = clamp(view.x, full.x, full.x + full.width - view.width);
    view.y = clamp(view.y, full.y, full.y + full.height - view.height);
    svg.setAttribute('viewBox', `${view.x} ${view.y} ${view.width} ${view.height}`);
  };
  const zoom = (factor, at = { x: view.x + view.width / 2, y: view.y + view.height / 2 }) => {
    const width = clamp(view.width / factor, full.width / 20, full.width);
    const scale = width / view.width;
    view = {
      x: at.x - (at.x - view.x) * scale, y: at.y - (at.y - view.y) * scale,
      width, height: view.height * scale,
    };
    apply();
  };
  const pan = (dx, dy) => {
    view.x += dx * view.width;
    view.y += dy * view.height;
    apply();
  };
  const reset = () => {
    view = { ...full };
    apply();
  };

  svg.addEventListener('wheel', (event) => {
    if (event.deltaY > 0 && view.width === full.width) return;  // nothing to zoom out of: the page scrolls
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * 0.0015), {
      x: view.x + (event.clientX - box.left) / box.width * view.width,
      y: view.y + (event.clientY - box.top) / box.height * view.height,
    });
  }, { passive: false });

  let last = null;
  let dragged = false;
  svg.addEventListener('pointerdown', (event) => {
    last = { x: event.clientX, y: event.clientY };
    dragged = false;
  });
  // The end of a drag is not a click.
  svg.addEventListener('click', (event) => { if (dragged) event.stopPropagation(); }, { capture: true });
  window.addEventListener('pointerup', () => { last = null; });
  window.addEventListener('pointermove', (event) => {
    if (!last || event.buttons !== 1) return;
    const box = svg.getBoundingClientRect();
    dragged = true;
    pan((last.x - event.clientX) / box.width, (last.y - event.clientY) / box.height);
    last = { x: event.clientX, y: event.clientY };
  });

  const keys = {
    '+': () => zoom(1.4), '=': () => zoom(1.4), '-': () => zoom(1 / 1.4), '0': reset,
    ArrowLeft: () => pan(-0.1, 0), ArrowRight: () => pan(0.1, 0), ArrowUp: () => pan(0, -0.1), ArrowDown: () => pan(0, 0.1),
  };
  figure.tabIndex = 0;
  figure.setAttribute('aria-label', 'Chart: zoom with plus and minus, move with the arrow keys, 0 shows all');
  figure.addEventListener('keydown', (event) => {
    if (event.target !== figure || event.ctrlKey || event.metaKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  const tools = element('div');
  tools.className = 'tools';
  for (const [text, name, action] of [['+', 'Zoom in', () => zoom(1.4)], ['−', 'Zoom out', () => zoom(1 / 1.4)],
    ['Reset', 'Show all', reset]]) {
    const button = element('button', text);
    button.type = 'button';
    button.setAttribute('aria-label', name);
    button.addEventListener('click', action);
    tools.append(button);
  }
  const hint = matchMedia('(hover: none)').matches
    ? 'Swipe moves the chart, a tap shows the numbers of a point.'
    : 'Wheel zooms, drag moves, the pointer shows the numbers of a point, a click pins it.';
  tools.append(element('span', hint));
  figure.before(tools);
}

// One picture of an experiment at a time.
function switchPictures(section) {
  const pictures = [...section.querySelectorAll('.picture')];
  if (pictures.length < 2) return;
  const tools = element('div');
  tools.className = 'tools';
  tools.setAttribute('role', 'group');
  tools.setAttribute('aria-label', 'Memory levels in the picture');
  const buttons = pictures.map((picture, i) => {
    const button = element('button', picture.dataset.name);
    button.type = 'button';
    button.addEventListener('click', () => show(i));
    return button;
  });
  const show = (chosen) => {
    pictures.forEach((picture, i) => { picture.hidden = i !== chosen; });
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(i === chosen)));
  };
  tools.append(...buttons);
  pictures[0].before(tools);
  show(0);
}

// A checkbox for each memory level of a picture that has marks of several.
function filterLevels(figure) {
  const levels = ['dram', 'l2', 'l1', 'shared'].filter((level) => figure.querySelector('.point.level-' + level));
  if (levels.length < 2) return;
  const tools = element('div');
  tools.className = 'tools';
  for (const level of levels) {
    const box = element('input');
    box.type = 'checkbox';
    box.checked = true;
    box.addEventListener('change', () => {
      for (const group of figure.querySelectorAll('.level-' + level)) group.style.display = box.checked ? '' : 'none';
    });
    const label = element('label');
    label.append(box, ' ' + level);
    tools.append(label);
  }
  figure.before(tools);
}

function makeSortable(table) {
  const body = table.tBodies[0];
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    if (cell.dataset.value === undefined) return cell.textContent;
    return cell.dataset.value === '' ? null : Number(cell.dataset.value);
  };
  // What has no number comes last, whatever the direction.
  const compare = (a, b, direction) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return direction * (typeof a === 'number' ? a - b : a.localeCompare(b, 'en', { numeric: true }));
  };
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = element('button', header.textContent);
    button.type = 'button';
    header.replaceChildren(button);
    button.addEventListener('click', () => {
      const descending = header.getAttribute('aria-sort') === 'ascending';
      for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
      header.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      const direction = descending ? -1 : 1;
      body.append(...[...body.rows].sort((a, b) => compare(keyOf(a, column), keyOf(b, column), direction)));
    });
  });
}

for (const section of sections) {
  linkPoints(section);
  switchPictures(section);
  makeSortable(section.querySelector('table.points'));
}
for (const figure of document.querySelectorAll('figure')) {
  makeZoomable(figure);
  filterLevels(figure);
}
selectExperiments();
