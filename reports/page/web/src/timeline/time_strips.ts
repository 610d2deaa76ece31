// SPDX-License-Identifier: Apache-2.0
// Strips over time: phases, NVTX ranges and kernels above what the hardware did, all on one axis. A brush selects a time.
import { data, type ExperimentView, type Timeline } from '../data';
import { fill, folded, h, scrollBox } from '../dom';
import { duration, percent } from '../format';
import { StripPainter } from './strip_painter';
import { AXIS, PAD, TimeAxis, depthOf, mostOf, rowsOf, type Row, type Strip } from './strip_rows';
import { coloursOf, onSystemTheme, type Colours } from '../theme';
import { launchesOf, rangesOf, roofName, spanText, valueText, type Phase, type Time } from './timeline';
import { shownPoints, type ViewStore } from '../view';

const ZOOM = 0.6;
/** How many pixels a pointer may move and still click. */
const CLICK = 4;
const FONT = '11px Inter, system-ui, "Helvetica Neue", Arial, sans-serif';

class Strips {
  readonly element = h('div', {
    class: 'strips', tabindex: 0, role: 'application', 'aria-roledescription': 'timeline',
    'aria-label': 'Timeline. Left and right arrows read it, with Shift they select a time, plus and minus zoom, 0 shows all, ' +
      'Page Up and Page Down move, Escape clears.',
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

  constructor(private readonly store: ViewStore, private readonly experiment: ExperimentView, readonly timeline: Timeline,
    private readonly says: (text: string) => void) {
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

  private get axis(): TimeAxis {
    return new TimeAxis(this.visible, this.width, this.timeline.duration_ns);
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
    // The brush shows what the chosen time leaves out: only other filters dim.
    const shown = new Set(shownPoints({ ...this.store.view, time: null }, this.experiment));
    new StripPainter(context, this.timeline, this.experiment, shown, this.axis, this.colours).paint(this.rows, height);
    this.drawOver();
  }

  /** Cursor, choice, and the numbers under the cursor or the means of what is chosen. */
  private drawOver(): void {
    const height = this.element.clientHeight;
    const context = this.context(this.over, height);
    if (!context) return;
    if (this.chosen) {
      const [from, to] = this.chosen.map((at) => this.axis.x(at)) as Time;
      context.globalAlpha = 0.16;
      context.fillStyle = this.colours.accent;
      context.fillRect(Math.max(PAD, from), AXIS - 4, Math.min(this.width - PAD, to) - Math.max(PAD, from), height);
      context.globalAlpha = 1;
      for (const x of [from, to]) if (x >= PAD - 1 && x <= this.width - PAD + 1) context.fillRect(x - 0.75, AXIS - 4, 1.5, height);
    }
    if (this.cursor !== null) {
      context.fillStyle = this.colours.ink;
      context.fillRect(this.axis.x(this.cursor) - 0.5, AXIS - 4, 1, height);
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
    const share = roof !== null && unit !== 'share' && unit !== 'Hz' && this.width > 500 ? ` (${percent(value / roof)} of ${roofName(unit)})` : '';
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
    this.says([duration(at * 1e-9), this.phaseAt(at)?.name, kernels.length > 0 ? kernels.join(' + ') : 'no kernel', ...values]
      .filter(Boolean).join(' · '));
  }

  private choose(time: Time | null): void {
    this.store.set({ time, zoom: null });
  }

  /** A click on a phase or a range chooses its time, one on a launch its kernel. */
  private onClick(x: number, y: number): void {
    const at = this.axis.at(x);
    const row = this.rows.find(({ top, height }) => y >= top && y < top + height);
    if (row?.kind === 'phases') {
      const phase = this.phaseAt(at);
      if (phase) this.choose([phase.start_ns, phase.start_ns + phase.duration_ns]);
    } else if (row?.kind === 'ranges') {
      const { start, end } = rangesOf(this.timeline);
      const found = start.findIndex((from, i) => from <= at && (end[i] as number) > at &&
        depthOf(this.timeline.paths[this.timeline.ranges.path[i] as number] ?? '') === row.depth);
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
      this.anchor = this.axis.at(this.downAt);
      this.element.setPointerCapture(event.pointerId);
    });
    this.element.addEventListener('pointermove', (event) => {
      const x = xOf(event);
      if (this.downAt !== null && this.anchor !== null && Math.abs(x - this.downAt) > CLICK) {
        const at = this.axis.at(x);
        this.chosen = [Math.min(this.anchor, at), Math.max(this.anchor, at)];
      }
      this.setCursor(this.axis.at(x));
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
      if (isZoom) this.zoomBy(event.deltaY > 0 ? 1 / ZOOM : ZOOM, this.axis.at(xOf(event)));
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
  const row = ({ name, start_ns, duration_ns, dram, rate, ai }: Phase): HTMLElement => {
    const select = (): void => store.set({ time: [start_ns, start_ns + duration_ns], zoom: null });
    const cells = [
      duration(start_ns * 1e-9), duration(duration_ns * 1e-9), text(dram, 'B/s'), text(rate, 'FLOP/s'),
      ai === null ? '–' : String(Number(ai.toPrecision(3))),
    ];
    return h('tr', {},
      h('th', { scope: 'row' }, h('button', { type: 'button', class: 'link', title: 'Select its time', onclick: select }, name)),
      ...cells.map((cell) => h('td', { class: 'number' }, cell)));
  };
  const titles = ['begin', 'duration', 'DRAM', 'FLOP/s', 'FLOP/byte'].map((title) => h('th', { scope: 'col', class: 'number' }, title));
  return folded(`Phases (${phases.length})`, () => [
    h('p', { class: 'muted' }, phase_rule),
    scrollBox('Phases', h('table', {},
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'phase'), ...titles)), h('tbody', {}, ...phases.map(row)))),
  ], { class: 'phases' });
}

/** The section with the strips; hidden where the device was not sampled. */
export function timeStrips(store: ViewStore): HTMLElement {
  const element = h('section', { class: 'time', id: 'time', 'aria-label': 'Over time' });
  let strips: Strips | undefined;
  let experiment = -1;
  const build = (whole: ExperimentView, timeline: Timeline): void => {
    const said = h('p', { class: 'muted said', role: 'status' });
    const hint = `${timeline.sentences[0] ?? ''} Drag: select a time · Ctrl + wheel: zoom · click: a phase or a kernel`;
    const made = new Strips(store, whole, timeline, (text) => { said.textContent = text === '' ? hint : text; });
    said.textContent = hint;
    strips = made;
    const button = (text: string, title: string, onclick: () => void): HTMLElement =>
      h('button', { type: 'button', 'aria-label': /\w/.test(text) ? null : title, title, onclick }, text);
    const toChoice = button('Zoom to selection', 'Show only the selected time',
      () => { if (store.view.time) made.zoomTo(store.view.time); });
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
          button('+', 'Zoom in', () => made.zoomBy(ZOOM)), button('−', 'Zoom out', () => made.zoomBy(1 / ZOOM)),
          button('Whole time', 'Show all that was sampled (0)', () => made.zoomOut()), toChoice, more)),
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
  const clear = h('button', { type: 'button', 'aria-label': 'Clear the selected time', title: 'Show all of the program',
    onclick: () => store.set({ time: null, zoom: null }) }, '×');
  const element = h('p', { class: 'time-chip' }, text, clear);
  store.show(({ time }) => {
    element.hidden = time === null || store.experiment?.timeline === undefined;
    if (time) fill(text, h('strong', {}, spanText(time)),
      h('span', { class: 'muted' }, ' · times are those of the launches in it; rates and counters are means over all launches'));
  });
  return element;
}
