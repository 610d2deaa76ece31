// SPDX-License-Identifier: Apache-2.0
// Strips over time: phases, NVTX ranges and kernels above what the hardware did, all over one axis. A brush chooses a time.
import { data, wordsFor, type ExperimentView, type Timeline } from './data';
import { fill, h, scrollBox } from './dom';
import { duration, percent } from './format';
import { linearTicks, tickTexts } from './launches';
import { coloursOf, onSystemTheme, type Colours } from './theme';
import { launchesOf, rangesOf, spanText, transfersOf, valueText, type Phase, type Time } from './timeline';
import { shownPoints, type ViewStore } from './view';

const PAD = 8;
const AXIS = 20;
const BAND = 15;
const LABEL = 15;
const PLOT = 34;
const GAP = 5;
/** Further streams are not shown. */
const MOST_STREAMS = 6;
/** What is shown of the strips until one asks for all. */
const FIRST = ['dram', 'flops', 'tensor', 'fp32', 'fp64', 'l2', 'sm', 'clock', 'power'];
const ZOOM = 0.6;
/** Pixels that a pointer may move and still click. */
const CLICK = 4;
const FONT = '11px Inter, system-ui, "Helvetica Neue", Arial, sans-serif';

type Strip = Timeline['strips'][number];
type Row =
  | { kind: 'phases'; title: string; top: number; height: number }
  | { kind: 'transfers'; title: string; top: number; height: number }
  | { kind: 'ranges'; title: string; top: number; height: number; depth: number }
  | { kind: 'stream'; title: string; top: number; height: number; stream: number }
  | { kind: 'strip'; title: string; top: number; height: number; strip: Strip };

const lastName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const depthOf = (path: string): number => path.split('/').length - 1;
const mostOf = ({ most }: Strip): number => most.reduce<number>((high, value) => Math.max(high, value ?? 0), 0);

function rowsOf(timeline: Timeline, hasAll: boolean): Row[] {
  const rows: Row[] = [];
  let top = AXIS;
  const add = (row: Row): void => {
    rows.push({ ...row, top });
    top += row.height + GAP;
  };
  const band = { top: 0, height: LABEL + BAND };
  if (timeline.phases.length > 0) add({ kind: 'phases', title: 'Phases', ...band });
  for (let depth = 0; depth < timeline.ranges.depths; ++depth) {
    add({ kind: 'ranges', title: depth === 0 ? 'NVTX ranges, as the host passed them' : '', top: 0, height: depth === 0 ? LABEL + BAND : BAND, depth });
  }
  const streams = [...new Set(timeline.launches.stream)].sort((a, b) => a - b);
  for (const stream of streams.slice(0, MOST_STREAMS)) add({ kind: 'stream', title: streams.length > 1 ? `Kernels, stream ${stream + 1} of ${streams.length}` : 'Kernels', stream, ...band });
  if (timeline.transfers.kind.length > 0) add({ kind: 'transfers', title: 'Copies and sets', ...band });
  for (const strip of timeline.strips) {
    if (hasAll || (FIRST.includes(strip.id) && mostOf(strip) > 0)) add({ kind: 'strip', title: strip.title, top: 0, height: LABEL + PLOT, strip });
  }
  return rows;
}

class Strips {
  readonly element = h('div', {
    class: 'strips', tabindex: 0, role: 'application', 'aria-roledescription': 'timeline',
    'aria-label': 'Timeline. Left and right arrows read it, with Shift they choose a time, plus and minus zoom, 0 shows all, Page Up and Page Down move, Escape clears.',
  });
  private readonly base = h('canvas', { 'aria-hidden': 'true' });
  private readonly over = h('canvas', { 'aria-hidden': 'true' });
  private rows: Row[] = [];
  private visible: Time;
  private cursor: number | null = null;
  /** Where a choice began, and what is being chosen. */
  private anchor: number | null = null;
  private chosen: Time | null;
  private downAt: number | null = null;
  private colours: Colours = coloursOf();
  private width = 0;
  private hasAll = false;

  constructor(private readonly store: ViewStore, private readonly experiment: ExperimentView, readonly timeline: Timeline, private readonly says: (text: string) => void) {
    this.visible = [0, timeline.duration_ns];
    this.chosen = store.view.time;
    this.element.append(this.base, this.over);
    this.listen();
  }

  showAll(hasAll: boolean): void {
    this.hasAll = hasAll;
    this.draw();
  }

  zoomTo(time: Time): void {
    const least = Math.max(1000, this.timeline.bin_ns / 50);
    const length = Math.min(this.timeline.duration_ns, Math.max(least, time[1] - time[0]));
    const from = Math.max(0, Math.min(this.timeline.duration_ns - length, time[0] - (length - (time[1] - time[0])) / 2));
    this.visible = [from, from + length];
    this.draw();
  }

  zoomBy(factor: number, around = this.cursor ?? (this.visible[0] + this.visible[1]) / 2): void {
    const [from, to] = this.visible;
    this.zoomTo([around - (around - from) * factor, around + (to - around) * factor]);
  }

  zoomOut(): void {
    this.zoomTo([0, this.timeline.duration_ns]);
  }

  /** The view has changed. */
  update(): void {
    this.chosen = this.store.view.time;
    this.draw();
  }

  private x(at: number): number {
    return PAD + ((at - this.visible[0]) / (this.visible[1] - this.visible[0])) * (this.width - 2 * PAD);
  }

  private at(x: number): number {
    const at = this.visible[0] + ((x - PAD) / (this.width - 2 * PAD)) * (this.visible[1] - this.visible[0]);
    return Math.max(0, Math.min(this.timeline.duration_ns, at));
  }

  private context(canvas: HTMLCanvasElement, height: number): CanvasRenderingContext2D | null {
    const scale = devicePixelRatio || 1;
    canvas.width = Math.round(this.width * scale);
    canvas.height = Math.round(height * scale);
    const context = canvas.getContext('2d');
    context?.scale(scale, scale);
    if (context) {
      context.font = FONT;
      context.textBaseline = 'alphabetic';
    }
    return context;
  }

  draw(): void {
    this.width = this.element.clientWidth;
    if (this.width === 0) return;
    this.colours = coloursOf();
    this.rows = rowsOf(this.timeline, this.hasAll);
    const last = this.rows.at(-1);
    const height = last ? last.top + last.height + 4 : AXIS;
    this.element.style.height = `${height}px`;
    const context = this.context(this.base, height);
    if (!context) return;
    this.drawAxis(context, height);
    for (const row of this.rows) this.drawRow(context, row);
    this.drawOver();
  }

  private drawAxis(context: CanvasRenderingContext2D, height: number): void {
    const ticks = linearTicks(this.visible[0] * 1e-9, this.visible[1] * 1e-9, Math.max(2, this.width / 110));
    const texts = tickTexts(ticks);
    context.textAlign = 'center';
    ticks.forEach((tick, i) => {
      const x = this.x(tick * 1e9);
      context.fillStyle = this.colours.grid;
      context.fillRect(Math.round(x), AXIS - 4, 1, height);
      context.fillStyle = this.colours.muted;
      const text = texts[i] ?? '';
      const half = context.measureText(text).width / 2;
      context.fillText(text, Math.max(half + 1, Math.min(this.width - half - 1, x)), 11);
    });
    context.textAlign = 'left';
  }

  private drawRow(context: CanvasRenderingContext2D, row: Row): void {
    context.fillStyle = this.colours.muted;
    if (row.title !== '') context.fillText(row.title, PAD, row.top + 11);
    const top = row.top + (row.title === '' ? 0 : LABEL);
    if (row.kind === 'strip') return this.drawStrip(context, row.strip, top);
    if (row.kind === 'phases') return this.drawPhases(context, top);
    if (row.kind === 'ranges') return this.drawRanges(context, top, row.depth);
    if (row.kind === 'transfers') return this.drawTransfers(context, top);
    return this.drawLaunches(context, top, row.stream);
  }

  /** A box with as much of its name as fits. */
  private box(context: CanvasRenderingContext2D, from: number, to: number, top: number, name: string, colour: string, alpha: number, ink: string): void {
    const left = Math.max(PAD, this.x(from));
    const right = Math.min(this.width - PAD, this.x(to));
    if (right <= left) return;
    context.globalAlpha = alpha;
    context.fillStyle = colour;
    context.fillRect(left, top, Math.max(0.5, right - left - (right - left > 4 ? 1 : 0)), BAND);
    context.globalAlpha = 1;
    const room = Math.floor((right - left - 8) / 6.2);
    if (room < 3 || name === '') return;
    context.save();
    context.beginPath();
    context.rect(left, top, right - left - 2, BAND);
    context.clip();
    context.fillStyle = ink;
    context.fillText(name.length > room ? `${name.slice(0, room - 1)}…` : name, left + 4, top + 11);
    context.restore();
  }

  private drawPhases(context: CanvasRenderingContext2D, top: number): void {
    const names = [...new Set(this.timeline.phases.map(({ name }) => name))];
    for (const { name, start_ns, duration_ns } of this.timeline.phases) {
      this.box(context, start_ns, start_ns + duration_ns, top, lastName(name), this.colours.family(names.indexOf(name) % 6), 0.28, this.colours.ink);
    }
  }

  private drawRanges(context: CanvasRenderingContext2D, top: number, depth: number): void {
    const { start, end } = rangesOf(this.timeline);
    const { path } = this.timeline.ranges;
    for (let i = 0; i < start.length; ++i) {
      const name = this.timeline.paths[path[i] as number] ?? '';
      if (depthOf(name) !== depth || (end[i] as number) < this.visible[0] || (start[i] as number) > this.visible[1]) continue;
      this.box(context, start[i] as number, end[i] as number, top, lastName(name), this.colours.line, 0.8, this.colours.ink);
    }
  }

  private drawTransfers(context: CanvasRenderingContext2D, top: number): void {
    const { start, end } = transfersOf(this.timeline);
    for (let i = 0; i < start.length; ++i) {
      if ((end[i] as number) < this.visible[0] || (start[i] as number) > this.visible[1]) continue;
      this.box(context, start[i] as number, end[i] as number, top, (this.timeline.transfers.kind[i] ?? '').replaceAll('_', ' '), this.colours.muted, 0.55, this.colours.paper);
    }
  }

  /** Of launches that share a pixel, the one that has most of it. */
  private drawLaunches(context: CanvasRenderingContext2D, top: number, of: number): void {
    const { start, end, stream, point } = launchesOf(this.timeline);
    const { points } = this.experiment;
    // The brush shows what the time leaves out: only other filters dim.
    const shown = new Set(shownPoints({ ...this.store.view, time: null }, this.experiment));
    const colours = points.map(({ bound }) => {
      const { colour } = wordsFor(bound);
      return colour === null ? this.colours.faint : this.colours.family(colour);
    });
    let pixel = -1;
    let most = 0;
    let best = -1;
    const alphaOf = (index: number): number => (shown.has(index) ? 1 : 0.25);
    const flush = (): void => {
      if (pixel < 0) return;
      context.globalAlpha = alphaOf(best);
      context.fillStyle = colours[best] ?? this.colours.faint;
      context.fillRect(pixel, top, 1, BAND);
      context.globalAlpha = 1;
      pixel = -1;
      most = 0;
    };
    for (let i = 0; i < start.length && (start[i] as number) <= this.visible[1]; ++i) {
      if (stream[i] !== of || (end[i] as number) < this.visible[0]) continue;
      const [left, right] = [this.x(start[i] as number), this.x(end[i] as number)];
      const index = point[i] as number;
      if (right - left >= 1.5) {
        flush();
        this.box(context, start[i] as number, end[i] as number, top, points[index]?.label ?? '', colours[index] ?? this.colours.faint, alphaOf(index), this.colours.paper);
        continue;
      }
      if (Math.floor(left) !== pixel) flush();
      pixel = Math.max(PAD, Math.floor(left));
      if (right - left > most) {
        most = right - left;
        best = index;
      }
    }
    flush();
  }

  private highOf(strip: Strip): number {
    // Extremes may be cut off: one short launch must not flatten the rest.
    return Math.max(strip.roof ?? 0, ...strip.means.map((mean) => mean ?? 0)) * 1.06 || 1;
  }

  private drawStrip(context: CanvasRenderingContext2D, strip: Strip, top: number): void {
    const { bin_ns, duration_ns } = this.timeline;
    const high = this.highOf(strip);
    const bottom = top + PLOT;
    const y = (value: number): number => bottom - (value / high) * PLOT;
    context.save();
    context.beginPath();
    context.rect(PAD, top - 1, this.width - 2 * PAD, PLOT + 2);
    context.clip();
    const first = Math.max(0, Math.floor(this.visible[0] / bin_ns));
    const last = Math.min(strip.means.length - 1, Math.ceil(this.visible[1] / bin_ns));
    const width = this.x(bin_ns) - this.x(0);
    const fillOf = (values: readonly (number | null)[], alpha: number, together: (of: number[]) => number): void => {
      context.globalAlpha = alpha;
      context.fillStyle = this.colours.accent;
      if (width < 1) {
        // Parts that share a pixel would be drawn over each other.
        let [pixel, of] = [-1, [] as number[]];
        const flush = (): void => {
          if (of.length > 0) context.fillRect(pixel, y(together(of)), 1, bottom - y(together(of)));
          of = [];
        };
        for (let i = first; i <= last; ++i) {
          const at = Math.floor(this.x((i + 0.5) * bin_ns));
          if (at !== pixel) flush();
          pixel = at;
          const value = values[i];
          if (value != null) of.push(value);
        }
        flush();
        context.globalAlpha = 1;
        return;
      }
      for (let i = first; i <= last; ++i) {
        const value = values[i];
        if (value == null) continue;
        const left = this.x(i * bin_ns);
        context.fillRect(left, y(value), Math.max(0.7, this.x(Math.min((i + 1) * bin_ns, duration_ns)) - left + 0.3), bottom - y(value));
      }
      context.globalAlpha = 1;
    };
    fillOf(strip.most, 0.28, (of) => Math.max(...of));
    fillOf(strip.means, 0.85, (of) => of.reduce((sum, value) => sum + value, 0) / of.length);
    // No sample: nothing is known, which is not 0.
    context.fillStyle = this.colours.grid;
    for (let i = first; i <= last; ++i) {
      if (strip.means[i] == null) context.fillRect(this.x(i * bin_ns), top, Math.max(1, this.x((i + 1) * bin_ns) - this.x(i * bin_ns) + 0.3), PLOT);
    }
    context.restore();
    context.fillStyle = this.colours.line;
    context.fillRect(PAD, bottom, this.width - 2 * PAD, 1);
    if (strip.roof !== null) {
      context.strokeStyle = this.colours.roof;
      context.setLineDash([5, 3]);
      context.beginPath();
      context.moveTo(PAD, y(strip.roof));
      context.lineTo(this.width - PAD, y(strip.roof));
      context.stroke();
      context.setLineDash([]);
      const text = strip.unit === 'share' ? '' : `roof ${valueText(strip.roof, strip.unit)}`;
      context.textAlign = 'right';
      context.fillStyle = this.colours.muted;
      context.fillText(text, this.width - PAD, top - 4);
      context.textAlign = 'left';
    }
  }

  /** Cursor, choice, and the numbers under the cursor or the means of what is chosen. */
  private drawOver(): void {
    const height = this.element.clientHeight;
    const context = this.context(this.over, height);
    if (!context) return;
    if (this.chosen) {
      const [from, to] = this.chosen.map((at) => this.x(at)) as Time;
      context.globalAlpha = 0.16;
      context.fillStyle = this.colours.accent;
      context.fillRect(Math.max(PAD, from), AXIS - 4, Math.min(this.width - PAD, to) - Math.max(PAD, from), height);
      context.globalAlpha = 1;
      for (const x of [from, to]) if (x >= PAD - 1 && x <= this.width - PAD + 1) context.fillRect(x - 0.75, AXIS - 4, 1.5, height);
    }
    if (this.cursor !== null) {
      context.fillStyle = this.colours.ink;
      context.fillRect(this.x(this.cursor) - 0.5, AXIS - 4, 1, height);
    }
    for (const row of this.rows) {
      if (row.kind !== 'strip') continue;
      const value = this.valueOf(row.strip);
      context.font = FONT;
      const left = PAD + context.measureText(row.title).width + 8;
      context.font = `600 ${FONT}`;
      context.fillStyle = this.colours.ink;
      context.fillText(value === null ? 'no sample' : this.textOf(row.strip, value), left, row.top + 11);
    }
  }

  private textOf({ unit, roof }: Strip, value: number): string {
    const share = roof !== null && unit !== 'share' && unit !== 'Hz' && this.width > 500 ? ` (${percent(value / roof)} of the roof)` : '';
    return valueText(value, unit) + share;
  }

  /** Under the cursor, else the mean of the choice, or of all. */
  private valueOf(strip: Strip): number | null {
    const { bin_ns } = this.timeline;
    if (this.cursor !== null) return strip.means[Math.min(strip.means.length - 1, Math.floor(this.cursor / bin_ns))] ?? null;
    const [from, to] = this.chosen ?? this.visible;
    let sum = 0;
    let weight = 0;
    for (let i = Math.floor(from / bin_ns); i < strip.means.length && i * bin_ns < to; ++i) {
      const mean = strip.means[i];
      const part = Math.min(to, (i + 1) * bin_ns) - Math.max(from, i * bin_ns);
      if (mean == null || part <= 0) continue;
      sum += mean * part;
      weight += part;
    }
    return weight > 0 ? sum / weight : null;
  }

  private phaseAt(at: number): Phase | undefined {
    return this.timeline.phases.find(({ start_ns, duration_ns }) => at >= start_ns && at < start_ns + duration_ns);
  }

  private launchesAt(at: number): number[] {
    const { start, end, point } = launchesOf(this.timeline);
    const found: number[] = [];
    for (let i = 0; i < start.length && (start[i] as number) <= at; ++i) if ((end[i] as number) > at) found.push(point[i] as number);
    return found;
  }

  private setCursor(at: number | null): void {
    this.cursor = at;
    this.drawOver();
    if (at === null) return this.says('');
    const kernels = this.launchesAt(at).map((point) => this.experiment.points[point]?.label ?? 'another kernel');
    const values = this.rows.flatMap((row) => {
      const value = row.kind === 'strip' ? this.valueOf(row.strip) : null;
      return row.kind === 'strip' ? [`${row.title} ${value === null ? 'no sample' : valueText(value, row.strip.unit)}`] : [];
    });
    this.says([duration(at * 1e-9), this.phaseAt(at)?.name, kernels.length > 0 ? kernels.join(' + ') : 'no kernel', ...values].filter(Boolean).join(' · '));
  }

  private choose(time: Time | null): void {
    this.store.set({ time, zoom: null });
  }

  /** A click on a phase or a range chooses its time, one on a launch its kernel. */
  private onClick(x: number, y: number): void {
    const at = this.at(x);
    const row = this.rows.find(({ top, height }) => y >= top && y < top + height);
    if (row?.kind === 'phases') {
      const phase = this.phaseAt(at);
      if (phase) this.choose([phase.start_ns, phase.start_ns + phase.duration_ns]);
    } else if (row?.kind === 'ranges') {
      const { start, end } = rangesOf(this.timeline);
      const found = start.findIndex((from, i) => from <= at && (end[i] as number) > at && depthOf(this.timeline.paths[this.timeline.ranges.path[i] as number] ?? '') === row.depth);
      if (found >= 0) this.choose([Math.max(0, start[found] as number), Math.min(this.timeline.duration_ns, end[found] as number)]);
    } else if (row?.kind === 'stream') {
      const { start, end, stream, point } = launchesOf(this.timeline);
      const found = start.findIndex((from, i) => from <= at && (end[i] as number) > at && stream[i] === row.stream);
      const key = this.experiment.points[point[found] ?? -1]?.key;
      if (key !== undefined) this.store.choose(key, false);
    }
  }

  private listen(): void {
    const xOf = (event: PointerEvent | WheelEvent): number => event.clientX - this.element.getBoundingClientRect().left;
    this.element.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.downAt = xOf(event);
      this.anchor = this.at(this.downAt);
      this.element.setPointerCapture(event.pointerId);
    });
    this.element.addEventListener('pointermove', (event) => {
      const x = xOf(event);
      if (this.downAt !== null && this.anchor !== null && Math.abs(x - this.downAt) > CLICK) {
        const at = this.at(x);
        this.chosen = [Math.min(this.anchor, at), Math.max(this.anchor, at)];
      }
      this.setCursor(this.at(x));
    });
    this.element.addEventListener('pointerup', (event) => {
      if (this.downAt === null) return;
      const x = xOf(event);
      const isClick = Math.abs(x - this.downAt) <= CLICK;
      this.downAt = null;
      if (isClick) return this.onClick(x, event.clientY - this.element.getBoundingClientRect().top);
      this.choose(this.chosen);
    });
    this.element.addEventListener('pointercancel', () => {
      this.downAt = null;
      this.update();
    });
    this.element.addEventListener('pointerleave', () => { if (this.downAt === null) this.setCursor(null); });
    this.element.addEventListener('blur', () => this.setCursor(null));
    // As in the chart: the page scrolls with the wheel, with Ctrl it zooms.
    this.element.addEventListener('wheel', (event) => {
      const isZoom = event.ctrlKey || event.metaKey;
      if (!isZoom && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
      event.preventDefault();
      if (isZoom) this.zoomBy(event.deltaY > 0 ? 1 / ZOOM : ZOOM, this.at(xOf(event)));
      else this.move((event.deltaX / this.width) * 0.8);
    }, { passive: false });
    this.element.addEventListener('keydown', (event) => this.onKey(event));
  }

  private move(share: number): void {
    const length = this.visible[1] - this.visible[0];
    const from = Math.max(0, Math.min(this.timeline.duration_ns - length, this.visible[0] + share * length));
    this.visible = [from, from + length];
    this.draw();
  }

  private step(direction: number, isChosen: boolean): void {
    const [from, to] = this.visible;
    const old = this.cursor ?? (direction > 0 ? from : to);
    const at = Math.max(0, Math.min(this.timeline.duration_ns, old + (direction * (to - from)) / 100));
    if (isChosen) {
      const [first, last] = this.store.view.time ?? [old, old];
      this.anchor = this.store.view.time === null ? old : Math.abs(old - first) > Math.abs(old - last) ? first : last;
      if (this.anchor !== at) this.choose([Math.min(this.anchor, at), Math.max(this.anchor, at)]);
    }
    if (at < from || at > to) this.move(direction * 0.5);
    this.setCursor(at);
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions: Record<string, () => void> = {
      ArrowRight: () => this.step(1, event.shiftKey),
      ArrowLeft: () => this.step(-1, event.shiftKey),
      PageDown: () => this.move(0.8),
      PageUp: () => this.move(-0.8),
      '+': () => this.zoomBy(ZOOM),
      '=': () => this.zoomBy(ZOOM),
      '-': () => this.zoomBy(1 / ZOOM),
      '0': () => this.zoomOut(),
      Escape: () => { this.setCursor(null); this.choose(null); },
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

function phaseTable(store: ViewStore, { phases, phase_rule }: Timeline): HTMLElement | null {
  if (phases.length === 0) return null;
  const text = (value: number | null, unit: Strip['unit']): string => (value === null ? '–' : valueText(value, unit));
  return h('details', { class: 'phases' }, h('summary', {}, `Phases (${phases.length})`), h('p', { class: 'muted' }, phase_rule),
    scrollBox('Phases', h('table', {},
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'phase'), ...['begin', 'duration', 'DRAM', 'FLOP/s', 'FLOP/byte'].map((title) => h('th', { scope: 'col', class: 'number' }, title)))),
      h('tbody', {}, ...phases.map(({ name, start_ns, duration_ns, dram, rate, ai }) => h('tr', {},
        h('th', { scope: 'row' }, h('button', { type: 'button', class: 'link', title: 'Choose its time', onclick: () => store.set({ time: [start_ns, start_ns + duration_ns], zoom: null }) }, name)),
        ...[duration(start_ns * 1e-9), duration(duration_ns * 1e-9), text(dram, 'B/s'), text(rate, 'FLOP/s'), ai === null ? '–' : String(Number(ai.toPrecision(3)))].map((cell) => h('td', { class: 'number' }, cell))))))));
}

/** The section with the strips; hidden where the device was not sampled. */
export function timeStrips(store: ViewStore): HTMLElement {
  const element = h('section', { class: 'time', id: 'time', 'aria-label': 'Over time' });
  let strips: Strips | undefined;
  let experiment = -1;
  const build = (whole: ExperimentView, timeline: Timeline): void => {
    const said = h('p', { class: 'muted said', role: 'status' });
    const hint = `Drag: choose a time · Ctrl + wheel: zoom · click: a phase or a kernel. ${timeline.sentences[0] ?? ''}`;
    const made = new Strips(store, whole, timeline, (text) => { said.textContent = text === '' ? hint : text; });
    said.textContent = hint;
    strips = made;
    const button = (text: string, title: string, onclick: () => void): HTMLElement =>
      h('button', { type: 'button', 'aria-label': /\w/.test(text) ? null : title, title, onclick }, text);
    const toChoice = button('Zoom to choice', 'Show the chosen time alone', () => { if (store.view.time) made.zoomTo(store.view.time); });
    store.show(({ time }) => { toChoice.hidden = time === null; });
    const isQuiet = (strip: Strip): boolean => mostOf(strip) === 0;
    const more = h('button', {
      type: 'button', 'aria-pressed': 'false', onclick: () => {
        const hasAll = more.getAttribute('aria-pressed') !== 'true';
        more.setAttribute('aria-pressed', String(hasAll));
        made.showAll(hasAll);
      },
    }, 'All strips');
    const quiet = timeline.strips.filter(isQuiet).map(({ title }) => title);
    fill(element,
      h('div', { class: 'section-head' }, h('h2', {}, 'Over time'),
        h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Timeline' },
          button('+', 'Zoom in', () => made.zoomBy(ZOOM)), button('−', 'Zoom out', () => made.zoomBy(1 / ZOOM)), button('Whole time', 'Show all that was sampled (0)', () => made.zoomOut()), toChoice, more)),
      made.element, said,
      h('details', { class: 'samples' }, h('summary', {}, 'What was sampled'),
        h('ul', {}, ...timeline.sentences.map((text) => h('li', {}, text)),
          timeline.phases.length === 0 && h('li', {}, timeline.phase_rule),
          quiet.length > 0 && h('li', {}, `Always 0: ${quiet.join(', ')}.`),
          ...timeline.left_out.map((text) => h('li', {}, text)))),
      phaseTable(store, timeline));
  };
  store.show((view) => {
    const whole = data.run.experiments[view.experiment];
    element.hidden = !whole?.timeline;
    if (!whole?.timeline) {
      strips = undefined;
      experiment = -1;
      return fill(element);
    }
    if (experiment !== view.experiment) {
      experiment = view.experiment;
      build(whole, whole.timeline);
    }
    strips?.update();
  });
  new ResizeObserver(() => strips?.draw()).observe(element);
  onSystemTheme(() => strips?.draw());
  return element;
}

/** The chosen time, and what clears it. */
export function timeChip(store: ViewStore): HTMLElement {
  const text = h('span');
  const clear = h('button', { type: 'button', 'aria-label': 'Clear the chosen time', title: 'Show all of the program', onclick: () => store.set({ time: null, zoom: null }) }, '×');
  const element = h('p', { class: 'time-chip' }, text, clear);
  store.show(({ time }) => {
    element.hidden = time === null || store.experiment?.timeline === undefined;
    if (time) fill(text, h('strong', {}, spanText(time)), h('span', { class: 'muted' }, ' · times are those of the launches in it; rates and counters are means over all launches'));
  });
  return element;
}
