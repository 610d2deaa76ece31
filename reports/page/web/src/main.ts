// SPDX-License-Identifier: Apache-2.0
import './page.css';
import { Chart } from './chart/chart';
import { beginnings } from './panels/beginnings';
import { boundList, experimentTabs, legend, switches } from './panels/controls';
import { data, GROUP, wasWatched } from './data';
import { fill, h } from './dom';
import { unbroken } from './format';
import { downloads } from './panels/downloads';
import { Highlight } from './panels/highlight';
import { inspector } from './panels/inspector';
import { overview } from './panels/overview';
import { jumpToChosen, pinnedPoints } from './panels/pins';
import { rangeTree } from './panels/ranges';
import { ranks as rankSection } from './panels/ranks';
import { agreements, ceilings, collectives, energy, environment, implausible, ladder, links as deviceLinks, notice, primitives, program, scaling,
  sizeSweep, spread, suspicion } from './panels/sections';
import { PointTable } from './panels/table';
import { applyTheme } from './theme';
import { timeChip, timeStrips } from './timeline/time_strips';
import { tooltip } from './panels/tooltip';
import { bareChart, ViewStore, type Theme } from './view';

const THEMES: Record<Theme, Theme> = { auto: 'dark', dark: 'light', light: 'auto' };

function themeButton(store: ViewStore): HTMLElement {
  const button = h('button', { type: 'button', class: 'theme', onclick: () => store.set({ theme: THEMES[store.view.theme] }) });
  store.show(({ theme }) => {
    applyTheme(theme);
    button.textContent = `Theme: ${theme}`;
  });
  return button;
}

function heading(store: ViewStore): HTMLElement {
  const element = h('div', { class: 'heading' });
  store.show((view, previous) => {
    if (previous?.experiment === view.experiment && previous.device === view.device) return;
    const experiment = store.experiment;
    const shown = experiment ?? bareChart(view);
    fill(element,
      h('h2', {}, shown.heading),
      experiment ? h('p', { class: 'muted' }, experiment.subtitle) : null,
      h('p', { class: 'provenance' }, shown.provenance),
      experiment && !experiment.isOfProgram ? h('p', { class: 'headline' }, unbroken(experiment.headline),
        ' Click a point or its row to see what bounds it and what to try next.') : null);
  });
  return element;
}

function guide(store: ViewStore): HTMLElement {
  const work = h('li');
  const mark = h('li');
  store.show(() => {
    mark.textContent = store.experiment?.isOfProgram
      ? `Each mark is a launch group: ${GROUP} Numbers rank them by time, longest first.`
      : 'Each mark is a kernel.';
    work.textContent = store.experiment?.isOfProgram
      ? 'Marks show executed work, as counted for some launches: nothing is known about the work that the algorithm needs. ' +
        'The area of a mark is its share of the GPU time.'
      : 'Filled: the work that the algorithm needs. Hollow: the work that was executed. ' +
        'A gap between them means redundant work or excess traffic.';
  });
  return h('details', { class: 'guide' }, h('summary', {}, 'How to read this'),
    h('ul', {},
      mark, h('li', {}, 'Further right: more operations per byte. Higher: faster.'),
      h('li', {}, 'The line above a mark is its roof: no kernel with its intensity can be faster on this device. ' +
        'The slope is memory bandwidth, the flat part is arithmetic throughput.'),
      work,
      h('li', {}, 'A mark far below its roof is waiting for something: hover to see what bounds it, click to keep its numbers.')));
}

function build(root: HTMLElement): void {
  const store = new ViewStore();
  const highlight = new Highlight();
  const chart = new Chart(store, highlight);
  const points = data.run.experiments.length > 0 ? new PointTable(store, highlight).element : null;
  const links = [['#points', 'Points'], ['#time', 'Over time'], ['#program', 'Program'], ['#ranks', 'Ranks'], ['#sizes', 'Sizes'],
    ['#scaling', 'Scaling'], ['#energy', 'Energy'], ['#ladder', 'Ladder'], ['#primitives', 'Primitives'], ['#ceilings', 'Ceilings'],
    ['#spread', 'Spread'], ['#links', 'Links'], ['#collectives', 'Collectives'], ['#agreement', 'Agreement'],
    ['#environment', 'Environment']] as const;
  const head = heading(store);
  const inspected = inspector(store);
  const top = overview(store);
  const begin = beginnings(store);
  const side = h('aside', { class: 'side', 'aria-label': 'Summary' }, begin, inspected, legend(store), boundList(store), guide(store));
  const left = h('div', { class: 'left' }, switches(store), timeChip(store), chart.element);
  const below = h('div', { class: 'below' });
  const ranges = rangeTree(store);
  const stage = h('div', { class: 'stage' }, ranges, left, side, below);
  // Roofs without points stand above their table, below whatever else was measured.
  const isDrawn = points !== null || data.run.roofs.length > 0;
  const lower = [primitives(), points || !isDrawn ? null : stage, ceilings(), spread(), deviceLinks(), collectives(), agreements(), environment()];
  const said = points && notice();
  if (said) top.headline.after(said);
  const steps = ladder(store);
  const sizes = sizeSweep(store);
  const joules = energy(store);
  const gpus = scaling(store);
  const pins = pinnedPoints(store);
  const time = timeStrips(store);
  const whole = program(store);
  const beside = rankSection();
  // A link is only shown while its target exists: not every experiment has steps or sizes.
  const jumps = links.flatMap(([id, text]) => {
    const section = [whole, beside, time, points, sizes, gpus, joules, steps, ...lower]
      .find((candidate) => candidate && `#${candidate.id}` === id);
    if (!section) return [];
    const button = h('button', { type: 'button', class: 'link', onclick: () => section.scrollIntoView() });
    store.show(() => {
      button.hidden = section.hidden;
      button.textContent = id === '#points' && store.experiment?.isOfProgram ? 'Kernels' : text;
    });
    return [button];
  });
  const main = h('main', {},
    suspicion(),
    points ? null : notice(),
    top.element,
    points && stage,
    implausible(store),
    time,
    pins,
    points,
    whole,
    beside,
    sizes, gpus, joules, steps, ...lower);
  // A program's tree and inspector stay beside its table; the many columns of others need the whole width.
  store.show(() => {
    const isOfProgram = store.experiment?.isOfProgram === true;
    document.documentElement.classList.toggle('of-program', isOfProgram);
    stage.classList.toggle('without-ranges', ranges.hidden);
    if (!points) return;
    stage.hidden = wasWatched(store.experiment);
    // With many sizes, the lines over them come first: on the roofline all sizes of a version have the same intensity. An element
    // that is moved loses the focus.
    const isOfSizes = (store.experiment?.best.length ?? 0) > 0;
    if (isOfSizes && sizes.parentElement !== left) left.prepend(sizes);
    else if (!isOfSizes && sizes.parentElement === left) main.insertBefore(sizes, joules);
    if (isOfProgram && points.parentElement !== below) {
      below.append(time, pins, points);
    } else if (!isOfProgram && points.parentElement === below) {
      main.insertBefore(points, whole);
      main.insertBefore(pins, points);
      main.insertBefore(time, pins);
    }
  });
  // On a narrow screen, and on paper, the answer comes before the chart; so it does if ranks wait, which no roofline shows.
  const narrow = matchMedia('(max-width: 1100px)');
  const placeAnswer = (): void => {
    const isOfProgram = store.experiment?.isOfProgram === true;
    const isAbove = narrow.matches || (isOfProgram && store.experiment?.program?.losses.some(({ is_waiting }) => is_waiting) === true);
    if (isAbove !== (begin.parentElement === top.element)) isAbove ? top.headline.after(begin) : inspected.before(begin);
    const [parent, next] = isOfProgram ? [top.element, null] : narrow.matches && points ? [main, stage] : [side, side.firstElementChild];
    if (head.parentElement !== parent) parent.insertBefore(head, next);
  };
  narrow.addEventListener('change', placeAnswer);
  store.show(placeAnswer);
  document.querySelector('.masthead')?.append(h('div', { class: 'actions' },
    h('nav', { class: 'jumps', 'aria-label': 'Sections' }, ...jumps), downloads(store), themeButton(store)));
  fill(root,
    experimentTabs(store),
    main,
    jumpToChosen(store, inspected), tooltip(store, highlight));
  chart.start();
  // On paper the chart is as wide as the page, and light.
  matchMedia('print').addEventListener('change', () => chart.draw());
  for (const moment of ['beforeprint', 'afterprint']) window.addEventListener(moment, () => chart.draw());
}

try {
  build(document.getElementById('page') as HTMLElement);
} catch (error) {
  // What a reader without a script sees is better than nothing.
  const page = document.getElementById('page') as HTMLElement;
  page.innerHTML = document.querySelector('noscript')?.textContent ?? '';
  throw error;
}
