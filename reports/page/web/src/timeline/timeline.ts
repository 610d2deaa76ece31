// SPDX-License-Identifier: Apache-2.0
// What a device did while it was sampled, and a program during a part of that time.
import { data, isGroup, type ExperimentView, type GroupView, type PointView, type RangeView, type Timeline } from '../data';
import { count, duration, percent, tick } from '../format';
import { addWork, fractionOfRoofline, noWork, placeOf, sumOf } from '../sums';

/** From and until, in nanoseconds since the first sample. */
export type Time = [number, number];

/** As columns, by their starts. Times are nanoseconds since the first sample. */
export interface Launches { start: Float64Array; end: Float64Array; stream: readonly number[]; point: readonly number[] }
export interface Passages { start: Float64Array; end: Float64Array }

/** Decodes starts that are written as distances from one to the next. */
function spans({ start_ns, duration_ns }: { start_ns: readonly number[]; duration_ns: readonly number[] }): Passages {
  const start = new Float64Array(start_ns.length);
  const end = new Float64Array(start_ns.length);
  let at = 0;
  start_ns.forEach((distance, i) => {
    at += distance;
    start[i] = at;
    end[i] = at + (duration_ns[i] ?? 0);
  });
  return { start, end };
}

function once<K extends object, V>(of: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = of(key);
      known.set(key, value);
    }
    return value;
  };
}

export const launchesOf = once(({ launches }: Timeline): Launches =>
  ({ ...spans(launches), stream: launches.stream, point: launches.point }));
export const transfersOf = once(({ transfers }: Timeline): Passages => spans(transfers));
export const rangesOf = once(({ ranges }: Timeline): Passages => spans(ranges));

export function timeFrom(text: string | null): Time | null {
  const [from, to, ...rest] = (text ?? '').split(',').map((part) => Number(part) * 1e6);
  return from !== undefined && to !== undefined && rest.length === 0 && Number.isFinite(from) && Number.isFinite(to) && from < to
    ? [from, to] : null;
}
/** In milliseconds. */
export const timeText = ([from, to]: Time): string => [from, to].map((at) => String(Number((at / 1e6).toFixed(4)))).join(',');

export const spanText = ([from, to]: Time): string => `${duration(to * 1e-9 - from * 1e-9)} from ${duration(from * 1e-9)}`;

/** A value of a strip, with its unit. */
/** What the most that a device can do is called. */
export const roofName = (unit: string): string => (unit === 'W' ? 'limit' : unit === 'Hz' ? 'max' : 'roof');

export function valueText(value: number, unit: Timeline['strips'][number]['unit']): string {
  if (unit === 'share') return percent(value);
  if (value === 0) return `0\u00a0${unit}`;
  return `${tick(Number(value.toPrecision(3)))}${value < 1000 ? '\u00a0' : ''}${unit}`;
}

interface Use { launches: number; total: number; times: number[] }

/** The part of each point's launches that lies in the time. */
function usesIn(timeline: Timeline, [from, to]: Time): Map<number, Use> {
  const { start, end, point } = launchesOf(timeline);
  const uses = new Map<number, Use>();
  for (let i = 0; i < start.length && (start[i] as number) < to; ++i) {
    const [first, last] = [start[i] as number, end[i] as number];
    if (last <= from) continue;
    const key = point[i] as number;
    let use = uses.get(key);
    if (!use) uses.set(key, use = { launches: 0, total: 0, times: [] });
    ++use.launches;
    use.total += (Math.min(last, to) - Math.max(first, from)) * 1e-9;
    use.times.push((last - first) * 1e-9);
  }
  return uses;
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;

const column = (title: string): number => data.columns.findIndex((candidate) => candidate.title === title);
const COLUMNS = Object.fromEntries(['share', 'launches', 'time', 'total', 'mean', 'p95', 'could save', 'could save/step']
  .map((title) => [title, column(title)])) as Record<string, number>;

/** The point with the times of its launches in the window; its rates and counters are means over all launches. */
function pointIn(point: GroupView, use: Use | undefined, all: number): GroupView {
  const total = use?.total ?? 0;
  const part = point.group.total_s > 0 ? total / point.group.total_s : 0;
  const scaled = (value: number | null): number | null => (value === null ? null : value * part);
  const times = [...(use?.times ?? [])].sort((a, b) => a - b);
  const share = all > 0 ? total / all : 0;
  const recoverable_s = scaled(point.group.recoverable_s);
  const texts = [...point.texts];
  const values = [...point.values];
  const put = (title: string, value: number | null, text: (value: number) => string): void => {
    const index = COLUMNS[title] ?? -1;
    if (index < 0) return;
    values[index] = value;
    texts[index] = value === null ? '–' : text(value);
  };
  put('share', share, percent);
  put('launches', times.length, count);
  put('total', total, duration);
  put('could save', recoverable_s, duration);
  // The number of steps in it is unknown.
  put('could save/step', null, duration);
  put('time', quantile(times, 0.5), duration);
  put('mean', times.length > 0 ? times.reduce((sum, time) => sum + time, 0) / times.length : null, duration);
  put('p95', quantile(times, 0.95), duration);
  return { ...point, share, texts, values, group: { ...point.group, launches: times.length, total_s: total, in_steps_s: total, recoverable_s,
    flops: scaled(point.group.flops), bytes: scaled(point.group.bytes) } };
}

const isIn = (point: GroupView, path: string): boolean =>
  (path === '' ? point.group.path === '' : point.group.path === path || point.group.path.startsWith(`${path}/`));

function rangeIn(range: RangeView, points: readonly GroupView[], all: number): RangeView {
  const inside = points.filter((point) => isIn(point, range.path));
  const sum = (of: (point: GroupView) => number): number => inside.reduce((total, point) => total + of(point), 0);
  const total_s = sum(({ group }) => group.total_s);
  const recoverable_s = sum(({ group }) => group.recoverable_s ?? 0);
  const work = noWork();
  for (const { group } of inside) addWork(work, group);
  return {
    ...range, launches: sum(({ group }) => group.launches), total_s, in_steps_s: total_s, share: all > 0 ? total_s / all : 0, recoverable_s,
    fraction_of_roofline: fractionOfRoofline(sumOf(inside)), ...placeOf(work, total_s),
  };
}

function experimentIn(whole: ExperimentView, timeline: Timeline, time: Time): ExperimentView {
  const uses = usesIn(timeline, time);
  const all = [...uses].reduce((sum, [, { total }]) => sum + total, 0);
  const points = whole.points.map((point, index): PointView => (isGroup(point) ? pointIn(point, uses.get(index), all) : point));
  const ran = points.filter((point): point is GroupView => isGroup(point) && point.group.launches > 0);
  const { program } = whole;
  return { ...whole, points, ...(program ? { program: { ...program, kernel_s: all, in_steps_s: all, losses: [], loss_basis: {
    is_step: false, time_s: all, share_per_s: all > 0 ? 1 / all : 0, waiting: 0, idle: 0 },
    ranges: program.ranges.map((range) => rangeIn(range, ran, all)).filter(({ launches }) => launches > 0) } } : {}) };
}

const known = new WeakMap<ExperimentView, Map<string, ExperimentView>>();

/** The experiment during that time, its points in the same order; those that did not run have no launches. */
export function inTime(whole: ExperimentView, time: Time | null): ExperimentView {
  if (!time || !whole.timeline) return whole;
  let times = known.get(whole);
  if (!times) known.set(whole, times = new Map());
  const key = time.join();
  let found = times.get(key);
  if (!found) {
    times.clear();
    times.set(key, found = experimentIn(whole, whole.timeline, time));
  }
  return found;
}

export type Phase = Timeline['phases'][number];

/** Those that the time touches. */
export const phasesIn = ({ phases }: Timeline, time: Time | null): Phase[] =>
  phases.filter(({ start_ns, duration_ns }) => !time || (start_ns < time[1] && start_ns + duration_ns > time[0]));
