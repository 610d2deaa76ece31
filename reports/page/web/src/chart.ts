// SPDX-License-Identifier: Apache-2.0
// The roofline: drawn by Plotly, with our own pins, highlights and keys.
import Plotly, { type PlotMouseEvent, type PlotRelayoutEvent, type PlotlyHTMLElement } from 'plotly.js-basic-dist-min';
import { thingOf, type PointView, type Window } from './data';
import { fill, h, keepFocus } from './dom';
import { counted } from './format';
import { figureOf, windowOf, type Mark, type Ranked } from './figure';
import type { Highlight } from './highlight';
import { pointGlyph } from './marks';
import { Plane, scaled, type Pixel } from './plane';
import { coloursOf, onSystemTheme } from './theme';
import type { View, ViewStore } from './view';

const CONFIG = { displayModeBar: false, responsive: false, scrollZoom: true, doubleClick: false as const, showTips: false };
const STEP = 0.12;
const ZOOM = 0.7;
/** How many pixels a finger may move and still tap, and by how many it may miss a mark. */
const TAP_MOVE = 10;
const TAP_REACH = 18;

export class Chart {
  readonly element = h('div', { class: 'chart' });
  private readonly plot = h('div', { class: 'plot' });
  private readonly overlay = h('div', { class: 'overlay', 'aria-hidden': 'true' });
  private readonly frame = h('div', {
    class: 'frame', tabindex: 0, role: 'application', 'aria-roledescription': 'chart',
    'aria-label': 'Roofline chart. Left and right arrows move between points, Enter pins, plus and minus zoom, 0 resets, Shift with arrows pans.',
  });
  /** Names of the marks at which there is only room for a number. */
  private readonly key = h('ol', { class: 'chart-key', 'aria-label': 'Numbers in the chart' });
  /** Points that the shown part of the roofline leaves out. */
  private readonly outside = h('span', { class: 'muted', role: 'status' });
  private marks: Mark[][] = [];
  private isReady = false;
  private isDragMode: 'pan' | 'zoom' = 'pan';
  private lastSize = '';
  private plane = new Plane({ ai: [1, 10], rate: [1, 10] }, 100, 100);
  /** Where a finger went down; Plotly does not handle taps. */
  private touch: Pixel | null = null;

  constructor(private readonly store: ViewStore, private readonly highlight: Highlight) {
    this.frame.append(this.plot, this.overlay);
    this.element.append(this.tools(), this.frame, this.key);
    this.frame.addEventListener('keydown', (event) => this.onKey(event));
    this.frame.addEventListener('blur', () => this.highlight.set(null));
    // The page scrolls with the wheel; with Ctrl it zooms the chart.
    this.frame.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
    }, { capture: true });
    this.frame.addEventListener('pointerdown', (event) => { this.touch = event.pointerType === 'mouse' ? null : { x: event.clientX, y: event.clientY }; }, { capture: true });
    this.frame.addEventListener('pointerup', (event) => this.onTap(event), { capture: true });
    this.highlight.onChange(() => this.drawOverlay());
    onSystemTheme(() => this.draw());
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

  private pixelOf(mark: Mark): Pixel {
    return mark.pixel ?? this.plane.pixel(mark.at);
  }

  draw(): void {
    const width = this.frame.clientWidth;
    const height = this.frame.clientHeight;
    if (width === 0 || height === 0) return;
    this.lastSize = `${width}×${height}`;
    const figure = figureOf(this.view, this.store.experiment, { width, height, colours: coloursOf() });
    this.marks = figure.marks;
    this.plane = figure.plane;
    this.drawKey(figure.numbered);
    const isTouch = matchMedia('(pointer: coarse)').matches;
    const drawn = Plotly.react(this.plot, figure.data, { ...figure.layout, dragmode: isTouch ? false : this.isDragMode }, CONFIG);
    if (!this.isReady) void drawn.then(() => performance.mark('picture'));
    if (!this.isReady) this.listen(this.plot as unknown as PlotlyHTMLElement);
    const all = new Set<number>();
    const inside = new Set<number>();
    for (const mark of this.marks.flat()) {
      if (mark.point < 0) continue;
      all.add(mark.point);
      if (mark.pixel || this.plane.holds(this.plane.pixel(mark.at))) inside.add(mark.point);
    }
    const rest = all.size - inside.size;
    this.outside.textContent = rest === 0 ? '' : `${counted(rest, thingOf(this.store.experiment))} outside`;
    this.drawOverlay();
  }

  private drawKey(numbered: readonly Ranked[]): void {
    keepFocus(this.key, () => fill(this.key, ...numbered.map(({ point: index, rank }) => {
      const point = this.store.experiment?.points[index] as PointView;
      return h('li', {}, h('button', { type: 'button', 'data-value': point.key, title: point.kernel, onclick: () => this.store.choose(point.key, false) }, h('strong', {}, String(rank)), pointGlyph(point), point.label));
    })));
    this.key.hidden = numbered.length === 0;
  }

  private listen(plot: PlotlyHTMLElement): void {
    this.isReady = true;
    const markOf = ({ points }: PlotMouseEvent): Mark | undefined => points[0] && this.marks[points[0].curveNumber]?.[points[0].pointNumber];
    plot.on('plotly_hover', (event) => {
      const mark = markOf(event);
      if (mark && mark.point >= 0) this.highlight.set({ point: mark.point, at: { x: event.event.clientX, y: event.event.clientY } });
    });
    plot.on('plotly_unhover', () => this.highlight.set(null));
    plot.on('plotly_click', (event) => {
      if (this.touch === null) this.choose(markOf(event), event.event.ctrlKey || event.event.metaKey || event.event.shiftKey);
    });
    plot.on('plotly_relayout', (event) => this.onRelayout(event));
    plot.on('plotly_relayouting', () => fill(this.overlay));
    plot.on('plotly_doubleclick', () => this.store.set({ zoom: null }));
  }

  private choose(mark: Mark | undefined, isAdded: boolean): void {
    if (mark?.range !== undefined) return this.store.set({ range: this.view.range === mark.range ? null : mark.range, zoom: null });
    if (mark?.time !== undefined) return this.store.set({ time: mark.time, zoom: null });
    const point = this.store.experiment?.points[mark?.point ?? -1];
    if (point) this.store.choose(point.key, isAdded);
  }

  /** A tap on or near a mark chooses it. */
  private onTap(event: PointerEvent): void {
    if (event.pointerType === 'mouse' || !this.touch || Math.hypot(event.clientX - this.touch.x, event.clientY - this.touch.y) > TAP_MOVE) return;
    const box = this.frame.getBoundingClientRect();
    const distance = (mark: Mark): number => {
      const { x, y } = this.pixelOf(mark);
      return Math.hypot(x - (event.clientX - box.left), y - (event.clientY - box.top)) - mark.radius;
    };
    const nearest = this.marks.flat().reduce<Mark | undefined>((best, mark) => (best && distance(best) <= distance(mark) ? best : mark), undefined);
    if (nearest && distance(nearest) <= TAP_REACH) this.choose(nearest, false);
  }

  /** After zoom or pan by Plotly: the labels go to their new places. */
  private onRelayout(event: PlotRelayoutEvent): void {
    const changed = event as Record<string, number | undefined>;
    const range = (axis: 'xaxis' | 'yaxis', old: [number, number]): [number, number] => {
      const low = changed[`${axis}.range[0]`];
      const high = changed[`${axis}.range[1]`];
      return low === undefined || high === undefined ? old : [10 ** low, 10 ** high];
    };
    if (!Object.keys(changed).some((key) => key.includes('.range['))) return;
    this.store.set({ zoom: { ai: range('xaxis', this.window.ai), rate: range('yaxis', this.window.rate) } });
  }

  private zoomBy(factor: number, dx = 0, dy = 0): void {
    this.store.set({ zoom: scaled(this.window, factor, dx, dy) });
  }

  private tools(): HTMLElement {
    const button = (text: string, title: string, onclick: () => void): HTMLElement =>
      h('button', { type: 'button', 'aria-label': /\w/.test(text) ? null : title, title, onclick }, text);
    const drag = h('button', { type: 'button', 'aria-pressed': 'false', title: 'Drag a box to zoom in, instead of panning' }, 'Box zoom');
    drag.addEventListener('click', () => {
      this.isDragMode = this.isDragMode === 'pan' ? 'zoom' : 'pan';
      drag.setAttribute('aria-pressed', String(this.isDragMode === 'zoom'));
      this.draw();
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

  /** The next point that is in the chart. */
  private step(direction: number): void {
    const isProgram = this.store.experiment?.isOfProgram === true;
    const all = [...new Set(this.marks.flat().map((mark) => mark.point))].filter((point) => point >= 0);
    // In a program, the largest first.
    const points = isProgram ? all.sort((a, b) => (this.store.experiment?.points[b]?.share ?? 0) - (this.store.experiment?.points[a]?.share ?? 0)) : all.sort((a, b) => a - b);
    if (points.length === 0) return;
    const current = points.indexOf(this.highlight.active?.point ?? -1);
    const next = current < 0 ? (direction > 0 ? 0 : points.length - 1) : (current + direction + points.length) % points.length;
    const point = points[next] as number;
    const mark = this.marks.flat().find((candidate) => candidate.point === point) as Mark;
    const pixel = this.pixelOf(mark);
    const box = this.frame.getBoundingClientRect();
    this.highlight.set({ point, at: { x: box.left + pixel.x, y: box.top + pixel.y } });
  }

  /** Rings around pinned points and the active one. */
  private drawOverlay(): void {
    const experiment = this.store.experiment;
    if (!experiment) return fill(this.overlay);
    const pinned = new Map(this.view.pins.map((key, place) => [key, place + 1]));
    const active = this.highlight.active?.point;
    const rings: HTMLElement[] = [];
    for (const mark of this.marks.flat()) {
      const point = experiment.points[mark.point];
      const number = point && pinned.get(point.key);
      if (!point || (number === undefined && mark.point !== active)) continue;
      const pixel = this.pixelOf(mark);
      if (!mark.pixel && !this.plane.holds(pixel)) continue;
      const ring = h('div', { class: mark.point === active ? 'ring active' : 'ring', 'data-point': mark.point },
        number !== undefined && mark.isStrong && this.view.pins.length > 1 ? h('span', {}, String(number)) : null);
      const size = 2 * mark.radius + 8;
      ring.style.width = ring.style.height = `${size}px`;
      ring.style.margin = `${-size / 2}px 0 0 ${-size / 2}px`;
      ring.style.left = `${pixel.x}px`;
      ring.style.top = `${pixel.y}px`;
      rings.push(ring);
    }
    fill(this.overlay, ...rings);
  }
}
