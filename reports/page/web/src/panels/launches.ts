// SPDX-License-Identifier: Apache-2.0
// How long the launches of a kernel took over the run, and how much its counters differ between them.
import type { GroupView } from '../data';
import { fill, h } from '../dom';
import { fileOf } from '../files';
import { count, duration, logTicks, percent } from '../format';
import { draw } from '../chart/svg';
import type { ViewStore } from '../view';

/** Start of the first, launches, how many of them were counted, shortest, median and longest time: as in `run.json`. */
type Part = [number, number, number, number, number, number];
interface Pass { pass: string; process: number; is_traced: boolean; start_s: number; end_s: number }
interface Measurement {
  time?: { samples_s: number[] };
  counter_spread?: Record<string, number>;
  counter_repeats?: number;
  process?: number;
  launches?: { traced: number; held?: number; over_time?: Part[] };
}
interface Run { measurements: Measurement[]; application?: { passes?: Pass[] } }

let run: Promise<Run> | undefined;
const runOfPage = (): Promise<Run> => (run ??= fileOf('run-json', 'application/json')
  .then(async (file) => JSON.parse(await file.text()) as Run));

const WIDTH = 316;
const HEIGHT = 150;
const FRAME = { left: 52, right: WIDTH - 6, top: 8, bottom: HEIGHT - 30 };
/** From this ratio of the longest to the shortest on, a linear axis would show only the longest. */
const WIDE = 8;
/** Times of the same work differ by less: an axis that showed only these differences would exaggerate them. */
const LEAST_RANGE = 0.1;

/** About `most` round values between the ends. */
export function linearTicks(low: number, high: number, most: number): number[] {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high * (1 + 1e-12); at += step) ticks.push(Math.abs(at) < step / 1e6 ? 0 : at);
  return ticks;
}

function ticksOfTimes(low: number, high: number): number[] {
  const ticks = logTicks([low * 0.999, high * 1.001], high / low < 30 ? [1, 2, 5] : [1]);
  return ticks.length > 1 ? ticks : [low, high];
}

/** All ticks of an axis in the unit of its largest. */
export function tickTexts(ticks: readonly number[]): string[] {
  const most = Math.max(...ticks.map(Math.abs));
  const [unit, factor] = ([['s', 1], ['ms', 1e3], ['µs', 1e6], ['ns', 1e9]] as const)
    .find(([, scale]) => most * scale >= 1) ?? (['ns', 1e9] as const);
  return ticks.map((tick) => `${Number((tick * factor).toPrecision(4))}\u00a0${unit}`);
}

/** A scatter of launches, or a band from the shortest to the longest with the medians, over the time at which they ran. */
function overTime(parts: readonly Part[], passes: readonly Pass[], isLog: boolean, says: (part: Part) => void): SVGSVGElement {
  const times = parts.flatMap(([, , , min, , max]) => [min, max]);
  let [low, high] = [Math.min(...times), Math.max(...times)];
  const middle = (low + high) / 2;
  if (isLog) {
    [low, high] = [low / 1.15, high * 1.15];
  } else {
    const half = Math.max((high - low) * 0.58, (middle * LEAST_RANGE) / 2);
    [low, high] = [Math.max(0, middle - half), middle + half];
  }
  const first = Math.min(0, ...parts.map(([start]) => start));
  const last = Math.max(...parts.map(([start]) => start), ...passes.map(({ end_s }) => end_s), 1e-9);
  const x = (at: number): number => FRAME.left + ((at - first) / (last - first)) * (FRAME.right - FRAME.left);
  const scale = isLog ? Math.log : (value: number): number => value;
  const y = (time: number): number =>
    FRAME.bottom - ((scale(time) - scale(low)) / (scale(high) - scale(low))) * (FRAME.bottom - FRAME.top);

  const svg = draw('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'over-time', role: 'img' });
  for (const { start_s, end_s } of passes.filter(({ is_traced }) => !is_traced)) {
    svg.append(draw('rect', { x: x(start_s), y: FRAME.top, width: Math.max(1, x(end_s) - x(start_s)), height: FRAME.bottom - FRAME.top,
      class: 'untraced' }));
  }
  const rows = isLog ? ticksOfTimes(low, high) : linearTicks(low, high, 4);
  const texts = tickTexts(rows);
  rows.forEach((tick, i) => svg.append(
    draw('line', { x1: FRAME.left, x2: FRAME.right, y1: y(tick), y2: y(tick), class: 'grid' }),
    draw('text', { x: FRAME.left - 5, y: y(tick) + 3.5, class: 'end' }, texts[i] ?? '')));
  const columns = linearTicks(first, last, 3);
  const columnTexts = tickTexts(columns);
  columns.forEach((tick, i) => svg.append(draw('text', { x: Math.min(x(tick), FRAME.right - 14), y: FRAME.bottom + 13, class: 'middle' },
    columnTexts[i] ?? '')));
  svg.append(draw('text', { x: (FRAME.left + FRAME.right) / 2, y: HEIGHT - 3, class: 'middle' }, 'since the first launch'));

  const isBinned = parts.some(([, launches]) => launches > 1);
  if (isBinned) {
    for (const [start, , , min, , max] of parts) svg.append(draw('line',
      { x1: x(start), x2: x(start), y1: y(min), y2: y(max), class: 'extremes' }));
    // Nothing is known about the time in between where the trace was off.
    const isApart = (from: number, to: number): boolean =>
      passes.some(({ is_traced, start_s, end_s }) => !is_traced && start_s < to && end_s > from);
    const step = (i: number): string => (i === 0 || isApart((parts[i - 1] as Part)[0], (parts[i] as Part)[0]) ? 'M' : 'L');
    svg.append(draw('path', { d: parts.map(([start, , , , median], i) => `${step(i)}${x(start).toFixed(1)} ${y(median).toFixed(1)}`)
      .join(''), class: 'medians' }));
  }
  for (const [start, , counted, , median, max] of parts) {
    if (!isBinned || counted > 0) svg.append(draw('circle',
      { cx: x(start), cy: y(isBinned ? max : median), r: 2.4, class: counted > 0 ? 'counted' : 'plain' }));
  }
  const cursor = draw('line', { y1: FRAME.top, y2: FRAME.bottom, class: 'cursor', visibility: 'hidden' });
  svg.append(cursor);
  let active = -1;
  const show = (index: number): void => {
    active = Math.max(0, Math.min(parts.length - 1, index));
    const part = parts[active] as Part;
    cursor.setAttribute('x1', String(x(part[0])));
    cursor.setAttribute('x2', String(x(part[0])));
    cursor.setAttribute('visibility', 'visible');
    says(part);
  };
  const follow = (event: PointerEvent): void => {
    const box = svg.getBoundingClientRect();
    const at = first + (((event.clientX - box.left) / box.width) * WIDTH - FRAME.left) / (FRAME.right - FRAME.left) * (last - first);
    let nearest = 0;
    parts.forEach(([start], i) => { if (Math.abs(start - at) < Math.abs((parts[nearest] as Part)[0] - at)) nearest = i; });
    show(nearest);
  };
  svg.addEventListener('pointermove', follow);
  svg.addEventListener('pointerdown', follow);
  svg.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    show(active < 0 ? (step > 0 ? 0 : parts.length - 1) : active + step);
  });
  svg.setAttribute('tabindex', '0');
  return svg;
}

function partText([start, launches, counted, min, median, max]: Part): string {
  const at = `at ${duration(start)}: `;
  if (launches === 1) return `${at}${duration(median)}${counted > 0 ? ', counted' : ''}`;
  return `${at}${count(launches)} launches, ${duration(min)} to ${duration(max)}, median ${duration(median)}` +
    (counted > 0 ? `, ${counted} counted` : '');
}

function timesOverRun(store: ViewStore, parts: readonly Part[], passes: readonly Pass[]): HTMLElement {
  const [low, high] = [Math.min(...parts.map((part) => part[3])), Math.max(...parts.map((part) => part[5]))];
  const launches = parts.reduce((sum, part) => sum + part[1], 0);
  const counted = parts.reduce((sum, part) => sum + part[2], 0);
  const isBinned = launches > parts.length;
  const box = h('div');
  const said = h('p', { class: 'muted said' });
  const summary = `${count(launches)} traced ${launches === 1 ? 'launch' : 'launches'}, ${duration(low)} to ${duration(high)}`;
  const redraw = (): void => {
    const isLog = store.view.times === 'auto' ? high / low > WIDE : store.view.times === 'log';
    const chart = overTime(parts, passes, isLog, (part) => { said.textContent = partText(part); });
    chart.setAttribute('aria-label', `Times of launches over the run: ${summary}. Left and right arrows read them.`);
    const choice = (axis: 'linear' | 'log'): HTMLElement => h('button', {
      type: 'button', 'data-value': axis, 'aria-pressed': String(isLog === (axis === 'log')),
      onclick: () => { store.set({ times: axis }); redraw(); box.querySelector<HTMLElement>(`[data-value="${axis}"]`)?.focus(); },
    }, axis);
    fill(box,
      h('div', { class: 'times-head' }, h('h3', {}, 'Launches over the run'),
        h('span', { class: 'switch', role: 'group', 'aria-label': 'Time axis' }, choice('linear'), choice('log'))),
      h('figure', { class: 'times' }, chart,
        h('figcaption', { class: 'muted' },
          isBinned ? h('span', {}, h('i', { class: 'key band' }), 'shortest to longest')
            : h('span', {}, h('i', { class: 'key plain' }), 'launch'),
          isBinned && h('span', {}, h('i', { class: 'key line' }), 'median'),
          counted > 0 && h('span', {}, h('i', { class: 'key counted' }),
            isBinned ? 'including some held for counting' : 'held for counting'),
          passes.some(({ is_traced }) => !is_traced) && h('span', {}, h('i', { class: 'key untraced' }), 'not traced'))),
      said);
    said.textContent = `${summary}.`;
  };
  redraw();
  return box;
}

/** For older runs, which have no launches over time. */
function quantiles(times: readonly number[]): HTMLElement {
  const [width, height] = [300, 64];
  const most = times.at(-1) as number;
  // One launch in a hundred may be a hundred times as long: it would flatten all others.
  const top = Math.min(most, 1.5 * (times[Math.floor(0.95 * (times.length - 1))] as number));
  const svg = draw('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `Times of launches from the shortest, ${duration(times[0] as number)}, to the longest, ${duration(most)}` });
  const x = (i: number): string => ((i * width) / (times.length - 1)).toFixed(1);
  const y = (time: number): string => (height - 2 - (Math.min(time, top) / top) * (height - 6)).toFixed(1);
  svg.append(draw('path', { d: times.map((time, i) => `${i === 0 ? 'M' : 'L'}${x(i)} ${y(time)}`).join(''), class: 'curve' }));
  return h('figure', { class: 'quantiles' }, svg, h('figcaption', { class: 'muted' },
    `Launches from the shortest (${duration(times[0] as number)}) to the longest (${duration(most)}). Over the run: unavailable: ` +
    'an older rooflinectl, which did not keep these times, recorded this run.'));
}

function spread({ counter_spread = {}, counter_repeats = 0 }: Measurement): HTMLElement | null {
  const spreads = Object.entries(counter_spread).sort((a, b) => b[1] - a[1]);
  const [most] = spreads;
  if (!most || counter_repeats < 2) return null;
  return h('details', { class: 'spread' },
    h('summary', {}, `Counters of ${counter_repeats} launches differ by at most ${percent(most[1])}`),
    h('p', { class: 'muted' }, 'Largest minus smallest, over the value that is shown.'),
    h('dl', {}, ...spreads.map(([name, value]) => {
      const bar = h('span');
      bar.style.width = `${Math.min(100, (100 * value) / Math.max(most[1], 1e-9))}%`;
      return h('div', {}, h('dt', {}, name), h('dd', {}, h('span', { class: 'meter', 'aria-hidden': 'true' }, bar), percent(value)));
    })));
}

export function launches(store: ViewStore, point: GroupView): HTMLElement {
  const element = h('div', { class: 'launches' });
  void runOfPage().then(({ measurements, application }) => {
    const place = point.group.measurement;
    const measurement = place === null ? undefined : measurements[place];
    if (!measurement) return;
    const parts = measurement.launches?.over_time ?? [];
    const times = [...(measurement.time?.samples_s ?? [])].sort((a, b) => a - b);
    const passes = (application?.passes ?? []).filter(({ process }) =>
      measurement.process === undefined || process === measurement.process);
    fill(element,
      parts.length > 0 ? timesOverRun(store, parts, passes)
        : times.length > 1 ? quantiles(times)
          : measurement.launches?.traced === 0 && h('p', { class: 'muted' }, measurement.launches.held
            ? 'Launches over the run: unavailable, each launch with a time waited for a rank that was held to be counted.'
            : 'Launches over the run: unavailable, no launch was traced.'),
      spread(measurement));
  }, () => {});
  return element;
}
