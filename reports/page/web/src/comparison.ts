// SPDX-License-Identifier: Apache-2.0
// Two runs on one roofline: an arrow from where each point was to where it is, on axes that stay where they are.
import { h, fill } from './dom';
import { Drawing } from './chart/drawing';
import { fileOf } from './files';
import type { Roof } from './generated/page_data';
import type { Named } from './chart/labels';
import { shortened } from './names';
import { boxOf, Plane, windowAround, type Pixel } from './chart/plane';
import { attainable, type ShownRoof } from './chart/roof_lines';
import { draw, short } from './chart/svg';
import { applyTheme, THEMED } from './theme';

type Place = [number, number];
interface Point { label: string; outcome: 'slower' | 'faster' | 'same'; text: string; from: Place | null; to: Place | null }
interface Data { operations: string; roofs: Roof[]; points: Point[] }

const MOST_LABELS = 10;
const REACH = 22;
const HEAD = 9;
const BEFORE = 4;
const NOW = 5;

function arrow(from: Pixel, to: Pixel): SVGElement[] {
  const line = draw('line', { x1: short(from.x), y1: short(from.y), x2: short(to.x), y2: short(to.y) });
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length < HEAD) return [line];
  const along = { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
  const foot = { x: to.x - HEAD * along.x, y: to.y - HEAD * along.y };
  const corners = [to, { x: foot.x - 4 * along.y, y: foot.y + 4 * along.x }, { x: foot.x + 4 * along.y, y: foot.y - 4 * along.x }];
  return [line, draw('polygon', { class: 'head', points: corners.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ') })];
}

class Movement {
  private readonly frame = h('div', {
    class: 'frame', tabindex: 0, role: 'application', 'aria-roledescription': 'chart',
    'aria-label': 'Roofline with an arrow from before to now for each point. Left and right arrows move between points.',
  });
  private readonly said = h('p', { class: 'said', role: 'status' });
  private readonly rows: HTMLTableRowElement[];
  private readonly roofs: ShownRoof[];
  private plane = new Plane({ ai: [1, 10], rate: [1, 10] }, 100, 100);
  private active = -1;
  private isKept = false;

  constructor(private readonly data: Data, element: HTMLElement, section: HTMLElement) {
    this.roofs = data.roofs.map((roof, index) => ({ ...roof, index, isMain: true, isLit: false }));
    this.rows = [...section.querySelectorAll<HTMLTableRowElement>('table.points tbody tr')];
    const key = (classes: string, text: string): HTMLElement => h('span', { class: classes }, h('i'), h('span', {}, text));
    fill(element,
      h('div', { class: 'movement-head' }, h('h2', {}, 'Roofline, before → now'),
        key('same', 'before'), key('faster filled', 'faster'), key('slower filled', 'slower'), key('same filled', 'other')),
      this.frame, this.said);
    this.rows.forEach((row, index) => this.listenTo(row, index));
    this.frame.addEventListener('pointermove', (event) => {
      if (event.pointerType === 'mouse' && !this.isKept) this.show(this.nearest(event));
    });
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
    for (const arrow of this.frame.querySelectorAll<SVGElement>('.arrow')) {
      arrow.classList.toggle('active', Number(arrow.dataset['point']) === index);
    }
    const point = this.data.points[index];
    this.said.textContent = !point ? 'Choose a mark or a row for its numbers.'
      : this.place(point) ? point.text : `${point.text}; it has no place on the roofline`;
  }

  private draw(): void {
    const width = this.frame.clientWidth;
    if (width === 0) return;
    const height = Math.round(Math.min(620, Math.max(340, width * 0.52)));
    const places = this.data.points.flatMap(({ from, to }, i) => [from, to].flatMap((at) => (at ? [{ at, weight: 1 / (i + 1) }] : [])));
    const window = windowAround(places, (ai) => attainable(ai, this.roofs));
    if (!window) return fill(this.frame, h('p', { class: 'note' }, 'No point of either run has a place on the roofline.'));
    this.plane = new Plane(window, width, height);
    const drawing = new Drawing(this.plane, this.data.operations, THEMED);
    drawing.addRoofs(this.roofs, false);
    // What matters most is drawn last, and so on top.
    drawing.addMoving(...this.data.points.map((point, i) => this.movement(point, i)).reverse());
    const taken = places.map(({ at }) => boxOf(this.plane.pixel(at), NOW));
    drawing.addNames(this.roofs, this.names(width < 600 ? 18 : 34), taken);
    fill(this.frame, drawing.svg);
    this.show(this.active);
  }

  private movement(point: Point, index: number): SVGGElement {
    const from = point.from && this.plane.pixel(point.from);
    const to = point.to && this.plane.pixel(point.to);
    const isFar = from && to && Math.hypot(to.x - from.x, to.y - from.y) >= HEAD;
    return draw('g', { class: `arrow ${point.outcome}`, 'data-point': index },
      ...(from && to ? arrow(from, to) : []),
      ...(from ? [draw('circle', { class: 'before', cx: short(from.x), cy: short(from.y), r: BEFORE })] : []),
      ...(to && !isFar ? [draw('circle', { class: 'now', cx: short(to.x), cy: short(to.y), r: NOW })] : []));
  }

  private names(most: number): Named[] {
    return this.data.points.flatMap((point) => {
      const place = this.place(point);
      const at = place && this.plane.pixel(place);
      return at && this.plane.holds(at) ? [{ text: shortened(point.label, most), at, radius: NOW }] : [];
    }).slice(0, MOST_LABELS);
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
