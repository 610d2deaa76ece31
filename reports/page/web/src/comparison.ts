// SPDX-License-Identifier: Apache-2.0
// Two runs on one roofline: an arrow from where each point was to where it is, on axes that stay where they are.
import { h, fill } from './dom';
import { fileOf } from './files';
import { tick } from './format';
import type { Roof } from './generated/page_data';
import { placeLabels } from './labels';
import { shortened } from './names';
import { Plane, windowAround, type Box, type Pixel } from './plane';
import { attainable, linesOf, roofLabels, type ShownRoof } from './roof_lines';
import { applyTheme } from './theme';
import { logTicks } from './ticks';

type Place = [number, number];
interface Point { label: string; outcome: 'slower' | 'faster' | 'same'; text: string; from: Place | null; to: Place | null }
interface Data { operations: string; roofs: Roof[]; points: Point[] }

const SVG = 'http://www.w3.org/2000/svg';
const MOST_LABELS = 10;
const REACH = 22;
const BEFORE = 4;
const NOW = 5;

function draw<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Record<string, string | number>, ...children: (Node | string)[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
const line = (a: Pixel, b: Pixel, attributes: Record<string, string> = {}): SVGLineElement => draw('line', { x1: a.x, y1: a.y, x2: b.x, y2: b.y, ...attributes });

/** Decades, and subdivisions where there are few. */
function ticks([low, high]: [number, number], most: number): number[] {
  const decades = Math.log10(high / low);
  const factors = decades < 1.4 ? [1, 2, 5] : [1];
  return logTicks([low, high], factors, Math.max(1, Math.ceil(decades / most)));
}

function head(from: Pixel, to: Pixel): SVGPolygonElement | null {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length < 9) return null;
  const along = { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
  const foot = { x: to.x - 9 * along.x, y: to.y - 9 * along.y };
  const corners = [to, { x: foot.x - 4 * along.y, y: foot.y + 4 * along.x }, { x: foot.x + 4 * along.y, y: foot.y - 4 * along.x }];
  return draw('polygon', { class: 'head', points: corners.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ') });
}

const boxOf = ({ x, y }: Pixel, radius: number): Box => ({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius });

class Movement {
  private readonly frame = h('div', { class: 'frame', tabindex: 0, role: 'application', 'aria-roledescription': 'chart', 'aria-label': 'Roofline with an arrow from before to now for each point. Left and right arrows move between points.' });
  private readonly said = h('p', { class: 'said', role: 'status' });
  private readonly rows: HTMLTableRowElement[];
  private readonly roofs: ShownRoof[];
  private plane = new Plane({ ai: [1, 10], rate: [1, 10] }, 100, 100);
  private active = -1;
  private isKept = false;

  constructor(private readonly data: Data, element: HTMLElement, section: HTMLElement) {
    this.roofs = data.roofs.map((roof, index) => ({ ...roof, index, isMain: true, isLit: false }));
    this.rows = [...section.querySelectorAll<HTMLTableRowElement>('table.points tbody tr')];
    const key = (outcome: string, text: string, isFilled: boolean): HTMLElement => h('span', { class: `${outcome}${isFilled ? ' filled' : ''}` }, h('i'), h('span', {}, text));
    fill(element,
      h('div', { class: 'movement-head' }, h('h2', {}, 'Roofline, before → now'), key('same', 'before', false), key('faster', 'faster', true), key('slower', 'slower', true), key('same', 'other', true)),
      this.frame, this.said);
    this.rows.forEach((row, index) => this.listenTo(row, index));
    this.frame.addEventListener('pointermove', (event) => { if (event.pointerType === 'mouse' && !this.isKept) this.show(this.nearest(event)); });
    this.frame.addEventListener('pointerleave', () => { if (!this.isKept) this.show(-1); });
    this.frame.addEventListener('click', (event) => this.choose(this.nearest(event)));
    this.frame.addEventListener('keydown', (event) => this.onKey(event));
    new ResizeObserver(() => this.draw()).observe(this.frame);
  }

  private listenTo(row: HTMLTableRowElement, index: number): void {
    row.addEventListener('pointerenter', () => { if (!this.isKept) this.show(index); });
    row.addEventListener('pointerleave', () => { if (!this.isKept) this.show(-1); });
    const cell = row.cells[1];
    if (!cell) return;
    const name = cell.textContent ?? '';
    fill(cell, h('button', { type: 'button', class: 'point', title: name, onclick: () => this.choose(index) }, name));
  }

  private place(point: Point): Place | null {
    return point.to ?? point.from;
  }

  private nearest(event: MouseEvent): number {
    const box = this.frame.getBoundingClientRect();
    const at = { x: event.clientX - box.left, y: event.clientY - box.top };
    let best = -1;
    let least = REACH;
    this.data.points.forEach(({ from, to }, i) => {
      for (const place of [from, to]) {
        if (!place) continue;
        const { x, y } = this.plane.pixel(place);
        const distance = Math.hypot(x - at.x, y - at.y);
        if (distance < least) [best, least] = [i, distance];
      }
    });
    return best;
  }

  private choose(index: number): void {
    const isSame = this.isKept && index === this.active;
    this.isKept = index >= 0 && !isSame;
    this.show(isSame ? -1 : index);
  }

  private onKey(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') return this.choose(-1);
    if (step === undefined) return;
    event.preventDefault();
    const drawn = this.data.points.flatMap((point, i) => (this.place(point) ? [i] : []));
    if (drawn.length === 0) return;
    const at = drawn.indexOf(this.active);
    const next = at < 0 ? (step > 0 ? 0 : drawn.length - 1) : (at + step + drawn.length) % drawn.length;
    this.isKept = true;
    this.show(drawn[next] as number);
  }

  private show(index: number): void {
    this.active = index;
    this.rows.forEach((row, i) => row.classList.toggle('active', i === index));
    for (const arrow of this.frame.querySelectorAll('.arrow')) arrow.classList.toggle('active', Number((arrow as SVGElement).dataset['point']) === index);
    const point = this.data.points[index];
    this.said.textContent = point ? `${point.text}${this.place(point) ? '' : '; it has no place on the roofline'}` : 'Choose a mark or a row for its numbers.';
  }

  private draw(): void {
    const width = this.frame.clientWidth;
    if (width === 0) return;
    const height = Math.round(Math.min(620, Math.max(340, width * 0.52)));
    const places = this.data.points.flatMap(({ from, to }, i) => [from, to].flatMap((at) => (at ? [{ at, weight: 1 / (i + 1) }] : [])));
    const window = windowAround(places, (ai) => attainable(ai, this.roofs));
    if (!window) return fill(this.frame, h('p', { class: 'note' }, 'No point of either run has a place on the roofline.'));
    const plane = (this.plane = new Plane(window, width, height));
    const { frame } = plane;
    const svg = draw('svg', { width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' });
    const clip = `plane-${Math.random().toString(36).slice(2)}`;
    svg.append(draw('clipPath', { id: clip }, draw('rect', { x: frame.left, y: frame.top, width: frame.right - frame.left, height: frame.bottom - frame.top })));
    const axes = draw('g', { class: 'axis' });
    for (const value of ticks(window.ai, width / 90)) {
      const { x } = plane.pixel([value, window.rate[0]]);
      axes.append(line({ x, y: frame.top }, { x, y: frame.bottom }), draw('text', { x: Math.min(x, frame.right - 8), y: frame.bottom + 16, 'text-anchor': 'middle' }, tick(value)));
    }
    for (const value of ticks(window.rate, height / 50)) {
      const { y } = plane.pixel([window.ai[0], value]);
      axes.append(line({ x: frame.left, y }, { x: frame.right, y }), draw('text', { x: frame.left - 6, y: y + 4, 'text-anchor': 'end' }, tick(value)));
    }
    const middle = (frame.top + frame.bottom) / 2;
    axes.append(
      draw('text', { x: (frame.left + frame.right) / 2, y: height - 8, 'text-anchor': 'middle' }, `arithmetic intensity (${this.data.operations}/byte)`),
      draw('text', { x: 13, y: middle, 'text-anchor': 'middle', transform: `rotate(-90 13 ${middle})` }, `performance (${this.data.operations}/s)`));
    svg.append(axes);

    const roofs = draw('g', { 'clip-path': `url(#${clip})` });
    const lines = linesOf(this.roofs, plane);
    for (const { roof, line: [a, b] } of lines) roofs.append(line(a, b, { class: `roof ${roof.source}` }));
    svg.append(roofs);

    const taken: Box[] = [];
    const arrows = draw('g', { 'clip-path': `url(#${clip})` });
    const names: { text: string; at: Pixel; radius: number }[] = [];
    // What matters most is drawn last, and so on top.
    for (const [i, point] of [...this.data.points.entries()].reverse()) {
      const group = draw('g', { class: `arrow ${point.outcome}`, 'data-point': i });
      const from = point.from && plane.pixel(point.from);
      const to = point.to && plane.pixel(point.to);
      if (from && to) {
        group.append(line(from, to));
        const tip = head(from, to);
        if (tip) group.append(tip);
      }
      if (from) group.append(draw('circle', { class: 'before', cx: from.x, cy: from.y, r: BEFORE }));
      if (to && !(from && Math.hypot(to.x - from.x, to.y - from.y) >= 9)) group.append(draw('circle', { class: 'now', cx: to.x, cy: to.y, r: NOW }));
      for (const pixel of [from, to]) if (pixel) taken.push(boxOf(pixel, NOW));
      const at = to ?? from;
      if (at && plane.holds(at)) names.unshift({ text: shortened(point.label, width < 600 ? 18 : 34), at, radius: NOW });
      arrows.append(group);
    }
    const { labels, boxes } = roofLabels(this.roofs, plane, taken);
    for (const { text, x, y, angle } of labels) {
      svg.append(draw('text', { class: 'name', x, y: y + 4, 'text-anchor': 'middle', transform: `rotate(${angle} ${x} ${y})` }, text));
    }
    svg.append(arrows);
    for (const { text, box, leader } of placeLabels(names.slice(0, MOST_LABELS), frame, [...taken, ...boxes], lines.map((each) => each.line))) {
      if (leader) svg.append(line(leader[0], leader[1], { class: 'leader' }));
      svg.append(draw('text', { class: 'name', x: box.left + 1, y: (box.top + box.bottom) / 2 + 4 }, text));
    }
    fill(this.frame, svg);
    this.show(this.active);
  }
}

function themeButton(): HTMLElement {
  const themes = ['auto', 'dark', 'light'] as const;
  let at = 0;
  const button = h('button', { type: 'button' }, 'Theme: auto');
  button.addEventListener('click', () => {
    at = (at + 1) % themes.length;
    applyTheme(themes[at] ?? 'auto');
    button.textContent = `Theme: ${themes[at]}`;
  });
  return button;
}

const comparisons = JSON.parse(await (await fileOf('page-data', 'application/json')).text()) as Data[];
document.querySelectorAll<HTMLElement>('section.comparison').forEach((section, i) => {
  const element = section.querySelector<HTMLElement>('.movement');
  const comparison = comparisons[i];
  if (element && comparison) new Movement(comparison, element, section);
});
fill(document.getElementById('tools') as HTMLElement, themeButton());
