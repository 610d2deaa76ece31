// SPDX-License-Identifier: Apache-2.0
// The roofline with pins, highlights and keys.
import { thingOf, type PointView, type Window } from '../data';
import { fill, h, keepFocus } from '../dom';
import { figureOf } from './figure';
import type { Figure, Mark, Ranked } from './figure_parts';
import { counted } from '../format';
import { Gestures } from './gestures';
import type { Highlight } from '../panels/highlight';
import { pointGlyph } from './marks';
import { Plane, scaled, type Box, type Pixel } from './plane';
import { THEMED } from '../theme';
import type { View, ViewStore } from '../view';
import { windowOf } from './window';

const STEP = 0.12;
const ZOOM = 0.7;
/** By how many pixels a mouse and a finger may miss a mark. */
const REACH = 14;
const TAP_REACH = 18;

/** A mark that is in sight, and its place. */
interface Seen { mark: Mark; at: Pixel }

export class Chart {
  readonly element = h('div', { class: 'chart' });
  private readonly plot = h('div', { class: 'plot' });
  private readonly overlay = h('div', { class: 'overlay', 'aria-hidden': 'true' });
  private readonly frame = h('div', {
    class: 'frame', tabindex: 0, role: 'application', 'aria-roledescription': 'chart',
    'aria-label': 'Roofline chart. Left and right arrows move between points, Enter pins, plus and minus zoom, 0 resets, ' +
      'Shift with arrows pans.',
  });
  /** Names of the marks at which there is only room for a number. */
  private readonly key = h('ol', { class: 'chart-key', 'aria-label': 'Numbers in the chart' });
  /** Points that the shown part of the roofline leaves out. */
  private readonly outside = h('span', { class: 'muted', role: 'status' });
  private figure: Figure | null = null;
  private seen: Seen[] = [];
  private lastSize = '';
  private readonly gestures: Gestures;

  constructor(private readonly store: ViewStore, private readonly highlight: Highlight) {
    this.frame.append(this.plot, this.overlay);
    this.element.append(this.tools(), this.frame, this.key);
    this.frame.addEventListener('keydown', (event) => this.onKey(event));
    this.frame.addEventListener('blur', () => this.highlight.set(null));
    this.frame.addEventListener('pointermove', (event) => this.onHover(event));
    this.frame.addEventListener('pointerleave', () => this.highlight.set(null));
    this.gestures = this.gesturesOf();
    this.highlight.onChange(() => this.drawOverlay());
  }

  private gesturesOf(): Gestures {
    const begin = (): void => {
      if (this.highlight.active) this.highlight.set(null);
      fill(this.overlay);
    };
    return new Gestures(this.frame, {
      plane: () => this.plane,
      onShift: (shift) => {
        begin();
        this.figure?.drawing.shift(shift);
      },
      onDone: ({ window }) => this.store.set({ zoom: window }),
      onCancel: () => this.draw(),
      onBox: (box) => {
        begin();
        if (box) this.overlay.append(boxOf(box));
      },
      onClick: (at, { pointerType, ctrlKey, metaKey, shiftKey }) => {
        const isMouse = pointerType === 'mouse';
        this.choose(this.nearest(at, isMouse ? REACH : TAP_REACH)?.mark, isMouse && (ctrlKey || metaKey || shiftKey));
      },
      onReset: () => this.store.set({ zoom: null }),
    });
  }

  /** Starts drawing; the element must be in the page. */
  start(): void {
    this.store.show(() => this.draw());
    new ResizeObserver(() => {
      const size = `${this.frame.clientWidth}×${this.frame.clientHeight}`;
      if (size !== this.lastSize) this.draw();
    }).observe(this.frame);
  }

  private get view(): View {
    return this.store.view;
  }

  private get window(): Window {
    return windowOf(this.view, this.store.experiment);
  }

  private get plane(): Plane {
    return this.figure?.drawing.plane ?? new Plane(this.window, this.frame.clientWidth, this.frame.clientHeight);
  }

  draw(): void {
    const width = this.frame.clientWidth;
    const height = this.frame.clientHeight;
    if (width === 0 || height === 0) return;
    this.lastSize = `${width}×${height}`;
    const figure = figureOf(this.view, this.store.experiment, { width, height, colours: THEMED });
    const { plane, svg } = figure.drawing;
    const isFirst = this.figure === null;
    this.figure = figure;
    this.seen = figure.marks.map((mark) => ({ mark, at: mark.pixel ?? plane.pixel(mark.at) }))
      .filter(({ mark, at }) => mark.pixel || plane.holds(at));
    this.drawKey(figure.numbered);
    fill(this.plot, svg);
    if (isFirst) performance.mark('picture');
    const pointsOf = (marks: readonly Mark[]): number => new Set(marks.map(({ point }) => point).filter((point) => point >= 0)).size;
    const rest = pointsOf(figure.marks) - pointsOf(this.seen.map(({ mark }) => mark));
    this.outside.textContent = rest === 0 ? '' : `${counted(rest, thingOf(this.store.experiment))} outside`;
    this.drawOverlay();
  }

  private drawKey(numbered: readonly Ranked[]): void {
    keepFocus(this.key, () => fill(this.key, ...numbered.map(({ point: index, rank }) => {
      const point = this.store.experiment?.points[index] as PointView;
      const choose = (): void => this.store.choose(point.key, false);
      return h('li', {}, h('button', { type: 'button', 'data-value': point.key, title: point.kernel, onclick: choose },
        h('strong', {}, String(rank)), pointGlyph(point), point.label));
    })));
    this.key.hidden = numbered.length === 0;
  }

  /** Of several marks over each other the smallest, and of those the last, which is on top. */
  private nearest({ x, y }: Pixel, reach: number): Seen | undefined {
    let best: Seen | undefined;
    let least = reach;
    for (const seen of this.seen) {
      const { mark: { radius }, at } = seen;
      const outside = Math.hypot(at.x - x, at.y - y) - radius;
      const distance = outside > 0 ? outside : -1 / radius;
      if (distance <= least) [best, least] = [seen, distance];
    }
    return best;
  }

  private onHover(event: PointerEvent): void {
    if (event.pointerType !== 'mouse' || this.gestures.isActive) return;
    const mark = this.nearest(this.gestures.at(event), REACH)?.mark;
    this.plot.classList.toggle('over-mark', mark !== undefined);
    const active = this.highlight.active?.point;
    if (!mark || mark.point < 0) return active === undefined ? undefined : this.highlight.set(null);
    if (mark.point !== active) this.highlight.set({ point: mark.point, at: { x: event.clientX, y: event.clientY } });
  }

  private choose(mark: Mark | undefined, isAdded: boolean): void {
    if (mark?.range !== undefined) return this.store.set({ range: this.view.range === mark.range ? null : mark.range, zoom: null });
    if (mark?.time !== undefined) return this.store.set({ time: mark.time, zoom: null });
    const point = this.store.experiment?.points[mark?.point ?? -1];
    if (point) this.store.choose(point.key, isAdded);
  }

  private zoomBy(factor: number, dx = 0, dy = 0): void {
    this.store.set({ zoom: scaled(this.window, factor, dx, dy) });
  }

  private tools(): HTMLElement {
    const button = (text: string, title: string, onclick: () => void): HTMLElement =>
      h('button', { type: 'button', 'aria-label': /\w/.test(text) ? null : title, title, onclick }, text);
    const drag = h('button', { type: 'button', 'aria-pressed': 'false', title: 'Drag a box to zoom in, instead of panning' }, 'Box zoom');
    drag.addEventListener('click', () => {
      this.gestures.isBoxZoom = !this.gestures.isBoxZoom;
      drag.setAttribute('aria-pressed', String(this.gestures.isBoxZoom));
      this.plot.classList.toggle('box-zoom', this.gestures.isBoxZoom);
    });
    return h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Chart' },
      button('+', 'Zoom in', () => this.zoomBy(ZOOM)),
      button('−', 'Zoom out', () => this.zoomBy(1 / ZOOM)),
      button('Zoom to points', 'Show the points (0)', () => this.store.set({ zoom: null })),
      button('All', 'Show the whole roofline', () => this.store.set({ zoom: 'all' })),
      drag, this.outside,
      h('span', { class: 'hint' }, 'Hover: numbers · click: pin · drag: move · Ctrl + wheel: zoom'));
  }

  private onKey(event: KeyboardEvent): void {
    if (event.target !== this.frame || event.ctrlKey || event.metaKey || event.altKey) return;
    const isMove = event.shiftKey;
    const actions: Record<string, () => void> = {
      ArrowRight: () => (isMove ? this.zoomBy(1, STEP) : this.step(1)),
      ArrowLeft: () => (isMove ? this.zoomBy(1, -STEP) : this.step(-1)),
      ArrowDown: () => (isMove ? this.zoomBy(1, 0, -STEP) : this.step(1)),
      ArrowUp: () => (isMove ? this.zoomBy(1, 0, STEP) : this.step(-1)),
      '+': () => this.zoomBy(ZOOM),
      '=': () => this.zoomBy(ZOOM),
      '-': () => this.zoomBy(1 / ZOOM),
      '0': () => this.store.set({ zoom: null }),
      Enter: () => this.pinActive(),
      ' ': () => this.pinActive(),
      // Closes the inspector when nothing is active.
      ...(this.highlight.active ? { Escape: () => this.highlight.set(null) } : {}),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private pinActive(): void {
    const point = this.store.experiment?.points[this.highlight.active?.point ?? -1];
    if (point) this.store.choose(point.key, false);
  }

  /** The next point that is in the chart: of a program, the largest first. */
  private step(direction: number): void {
    const points = this.store.experiment?.points ?? [];
    const share = (index: number): number => (this.store.experiment?.isOfProgram ? points[index]?.share ?? 0 : 0);
    const all = [...new Set(this.seen.map(({ mark }) => mark.point))].filter((point) => point >= 0)
      .sort((a, b) => share(b) - share(a) || a - b);
    if (all.length === 0) return;
    const current = all.indexOf(this.highlight.active?.point ?? -1);
    const next = current < 0 ? (direction > 0 ? 0 : all.length - 1) : (current + direction + all.length) % all.length;
    const point = all[next] as number;
    const { at } = this.seen.find(({ mark }) => mark.point === point) as Seen;
    const box = this.frame.getBoundingClientRect();
    this.highlight.set({ point, at: { x: box.left + at.x, y: box.top + at.y } });
  }

  /** Rings around pinned points and the active one. */
  private drawOverlay(): void {
    const { points = [] } = this.store.experiment ?? {};
    const pinned = new Map(this.view.pins.map((key, place) => [key, place + 1]));
    const active = this.highlight.active?.point;
    fill(this.overlay, ...this.seen.flatMap(({ mark, at }) => {
      const number = pinned.get(points[mark.point]?.key ?? '');
      if (mark.point < 0 || (number === undefined && mark.point !== active)) return [];
      const isNumbered = mark.isStrong && this.view.pins.length > 1;
      return [ringOf(mark, at, mark.point === active, isNumbered ? number : undefined)];
    }));
  }
}

function ringOf({ point, radius }: Mark, { x, y }: Pixel, isActive: boolean, number: number | undefined): HTMLElement {
  const ring = h('div', { class: isActive ? 'ring active' : 'ring', 'data-point': point },
    number !== undefined && h('span', {}, String(number)));
  const size = 2 * radius + 8;
  Object.assign(ring.style, { width: `${size}px`, height: `${size}px`, left: `${x - size / 2}px`, top: `${y - size / 2}px` });
  return ring;
}

function boxOf({ left, right, top, bottom }: Box): HTMLElement {
  const box = h('div', { class: 'zoom-box' });
  Object.assign(box.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
  return box;
}
