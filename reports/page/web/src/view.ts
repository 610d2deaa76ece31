// SPDX-License-Identifier: Apache-2.0
// What the reader chose to see. It is in the address after `#`, so that a link shows the same.
import { cacheStates, countedLevels, data, LEVELS, type BareChart, type ExperimentView, type Level, type PointView,
  type Window } from './data';
import { inScope } from './scopes';
import { inTime, timeFrom, timeText, type Time } from './timeline/timeline';

export type Work = 'both' | 'useful' | 'executed';
export type Roofs = 'both' | 'measured' | 'theoretical';
export type Theme = 'auto' | 'light' | 'dark';
/** What the table of a program has a row for. */
export const TABLES = ['kernels', 'names', 'ranges', 'types'] as const;
export type Table = (typeof TABLES)[number];

export interface View {
  experiment: number;
  /** Whose roofs the chart shows where there are no experiments. */
  device: number;
  level: Level | 'all';
  /** Null: those of the points. */
  precisions: string[] | null;
  work: Work;
  caches: string;
  /** For versions that were measured at many sizes: what the chart shows of each. */
  sizes: 'best' | 'all';
  /** Null: those that the kind of experiment calls for. */
  roofs: Roofs | null;
  hiddenFamilies: string[];
  filter: string;
  bound: string | null;
  /** For a program: the NVTX path whose kernels are shown; empty for those in none. Null: all. */
  range: string | null;
  /**
   * For a program with a trace of PyTorch: the path of modules and operators whose launches are shown; empty for those without
   * any in the trace. Null: all.
   */
  scope: string | null;
  /** For a program: the short name of the only kernel that is shown, and the only type of operations. Null: all. */
  kernel: string | null;
  type: string | null;
  /** Whether the chart has a mark for each NVTX range. */
  rangeMarks: boolean;
  /** The part of the sampled time whose launches are shown. Null: all launches of the program. */
  time: Time | null;
  /** Whether the chart has a mark for each phase of the sampled time. */
  phaseMarks: boolean;
  table: Table;
  sort: { column: string; descending: boolean } | null;
  /** Keys of points, in the order in which they were pinned. */
  pins: string[];
  /** Null: around the points. All: the axes that come from the ceilings. */
  zoom: Window | 'all' | null;
  /** How the axis of the times of launches is divided; auto: by their range. */
  times: 'auto' | 'linear' | 'log';
  theme: Theme;
}

const DEFAULT: View = {
  experiment: 0, device: 0, level: 'dram', precisions: null, work: 'both', sizes: 'best', caches: 'both', roofs: null, hiddenFamilies: [],
  filter: '',
  bound: null, range: null, scope: null, kernel: null, type: null, rangeMarks: false, time: null, phaseMarks: false, table: 'kernels',
  sort: null, pins: [], zoom: null, times: 'auto', theme: 'auto',
};

function oneOf<T extends string>(value: string | null, values: readonly T[], otherwise: T): T {
  return values.includes(value as T) ? (value as T) : otherwise;
}

function zoomFrom(text: string | null): View['zoom'] {
  if (text === 'all') return 'all';
  const numbers = (text ?? '').split(',').map(Number);
  const [left, right, bottom, top] = numbers;
  if (numbers.length !== 4 || left === undefined || right === undefined || bottom === undefined || top === undefined) return null;
  const isWindow = numbers.every((n) => Number.isFinite(n) && n > 0) && left < right && bottom < top;
  return isWindow ? { ai: [left, right], rate: [bottom, top] } : null;
}

function deviceFrom(text: string | null): number {
  const place = Number(text ?? 0);
  return place in data.run.bare_charts ? place : 0;
}

export function viewFrom(hash: string): View {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const names = data.run.experiments.map((experiment) => experiment.name);
  const column = params.get('sort')?.replace(/^-/, '');
  return {
    experiment: Math.max(0, names.indexOf(params.get('experiment') ?? '')),
    device: deviceFrom(params.get('device')),
    level: oneOf(params.get('level'), [...LEVELS, 'all'] as const, 'dram'),
    precisions: params.has('precision') ? params.getAll('precision').filter((name) => name !== '') : null,
    work: oneOf(params.get('work'), ['both', 'useful', 'executed'] as const, 'both'),
    sizes: oneOf(params.get('sizes'), ['best', 'all'] as const, 'best'),
    caches: params.get('caches') ?? 'both',
    roofs: params.has('roofs') ? oneOf(params.get('roofs'), ['both', 'measured', 'theoretical'] as const, 'both') : null,
    hiddenFamilies: params.getAll('hide'),
    filter: params.get('filter') ?? '',
    bound: params.get('bound'),
    range: params.get('range'),
    scope: params.get('scope'),
    kernel: params.get('kernel'),
    type: params.get('type'),
    rangeMarks: params.has('ranges'),
    time: timeFrom(params.get('time')),
    phaseMarks: params.has('phases'),
    table: oneOf(params.get('table'), TABLES, 'kernels'),
    sort: column ? { column, descending: params.get('sort')!.startsWith('-') } : null,
    pins: params.getAll('pin'),
    zoom: zoomFrom(params.get('zoom')),
    times: oneOf(params.get('times'), ['auto', 'linear', 'log'] as const, 'auto'),
    theme: oneOf(params.get('theme'), ['auto', 'light', 'dark'] as const, 'auto'),
  };
}

export function hashOf(view: View): string {
  const params = new URLSearchParams();
  const name = data.run.experiments[view.experiment]?.name;
  if (view.experiment > 0 && name !== undefined) params.set('experiment', name);
  if (view.device > 0) params.set('device', String(view.device));
  for (const key of ['level', 'work', 'sizes', 'caches', 'filter', 'table', 'times', 'theme'] as const) {
    if (view[key] !== DEFAULT[key]) params.set(key, view[key]);
  }
  if (view.precisions) for (const precision of view.precisions.length > 0 ? view.precisions : ['']) params.append('precision', precision);
  for (const family of view.hiddenFamilies) params.append('hide', family);
  if (view.roofs) params.set('roofs', view.roofs);
  if (view.bound) params.set('bound', view.bound);
  for (const key of ['range', 'scope', 'kernel', 'type'] as const) if (view[key] !== null) params.set(key, view[key]);
  if (view.rangeMarks) params.set('ranges', '');
  if (view.time) params.set('time', timeText(view.time));
  if (view.phaseMarks) params.set('phases', '');
  if (view.sort) params.set('sort', (view.sort.descending ? '-' : '') + view.sort.column);
  for (const key of view.pins) params.append('pin', key);
  if (view.zoom === 'all') params.set('zoom', 'all');
  else if (view.zoom) params.set('zoom', [...view.zoom.ai, ...view.zoom.rate].map((n) => n.toPrecision(5)).join(','));
  return params.toString();
}

/** Every point is shown. */
export const UNFILTERED = { precisions: null, caches: 'both', hiddenFamilies: [], filter: '', bound: null, range: null, scope: null,
  time: null, kernel: null, type: null } satisfies Partial<View>;

type Listener = (view: View, previous: View | null) => void;

/** The view and its listeners. */
export class ViewStore {
  private current = viewFrom(location.hash);
  private readonly listeners: Listener[] = [];

  constructor() {
    window.addEventListener('hashchange', () => this.replace(viewFrom(location.hash)));
  }

  get view(): View {
    return this.current;
  }

  /** As it was in the chosen time. */
  get timed(): ExperimentView | undefined {
    const whole = data.run.experiments[this.current.experiment];
    return whole && inTime(whole, this.current.time);
  }

  /** The same within the chosen module or operator. */
  get experiment(): ExperimentView | undefined {
    const timed = this.timed;
    return timed && inScope(timed, this.current.scope);
  }

  /** Calls `listener` now and after every change. */
  show(listener: Listener): void {
    this.listeners.push(listener);
    listener(this.current, null);
  }

  set(change: Partial<View>): void {
    this.replace({ ...this.current, ...change });
    const hash = hashOf(this.current);
    history.replaceState(null, '', hash ? `#${hash}` : location.href.split('#')[0]);
  }

  /** Another experiment: what was chosen among the points of the old one is discarded. */
  setExperiment(experiment: number): void {
    this.set({ ...UNFILTERED, experiment, zoom: null });
  }

  /**
   * Shows everything about one point in the inspector or, if it is there already, closes it. Others stay pinned beside it if
   * `isAdded`.
   */
  choose(key: string, isAdded: boolean): void {
    const { pins } = this.current;
    if (isAdded || !this.experiment?.isOfProgram) return this.togglePin(key);
    this.set({ pins: pins.at(-1) === key ? [] : [key] });
  }

  togglePin(key: string): void {
    const { pins } = this.current;
    this.set({ pins: pins.includes(key) ? pins.filter((pin) => pin !== key) : [...pins, key] });
  }

  private replace(view: View): void {
    const previous = this.current;
    this.current = view;
    for (const listener of this.listeners) listener(view, previous);
  }
}

/** The points that are pinned, in that order; the last is the one that the inspector shows. */
export function pinnedPoints(view: View, experiment: ExperimentView | undefined): number[] {
  return view.pins.flatMap((key) => {
    const index = experiment?.points.findIndex((point) => point.key === key) ?? -1;
    return index < 0 ? [] : [index];
  });
}

/** The chart of the chosen device where there are no experiments. */
export const bareChart = (view: View): BareChart => data.run.bare_charts[view.device] as BareChart;

/** Whether there are roofs of both kinds: imported reports have theoretical ones alone. */
export const hasBothRoofs = new Set(data.run.roofs.map(({ source }) => source)).size > 1;

export function roofsOf(view: View, experiment: ExperimentView | undefined): Roofs {
  return hasBothRoofs ? view.roofs ?? (experiment?.isOfProgram ? 'measured' : 'both') : 'both';
}

export function precisionsOf(view: View, experiment: ExperimentView | undefined): string[] {
  return view.precisions ?? experiment?.precisions ?? data.run.precisions.map(({ id }) => id);
}

/** The level that can be shown: the chosen one, or DRAM where nothing was counted at that level. */
export function levelOf(view: View, experiment: ExperimentView | undefined): Level | 'all' {
  if (!experiment) return view.level;
  const counted = countedLevels(experiment);
  // A program has too many marks for that; its chosen kernel opens into those of every level.
  if (view.level === 'all') return counted.length > 1 && !experiment.isOfProgram ? 'all' : 'dram';
  return counted.includes(view.level) ? view.level : 'dram';
}

function cachesOf(view: View, experiment: ExperimentView): string {
  return cacheStates(experiment).includes(view.caches) ? view.caches : 'both';
}

export function isInRange(point: PointView, range: string | null): boolean {
  if (range === null) return true;
  const path = point.group?.path ?? '';
  return range === '' ? path === '' : path === range || path.startsWith(`${range}/`);
}

/** The points that the switches and filters leave: of the view, or of it with some of them released. */
function indicesOf(view: View, experiment: ExperimentView): number[] {
  const precisions = new Set(precisionsOf(view, experiment));
  const hidden = new Set(view.hiddenFamilies);
  const caches = cachesOf(view, experiment);
  const words = typed(view.filter).split(/\s+/).filter((word) => word !== '');
  // Within a scope, launches are estimates, which may round to zero although there is some time.
  const isPart = (view.time !== null && experiment.timeline !== undefined) ||
    (view.scope !== null && experiment.program?.torch !== undefined);
  const isShown = (point: PointView): boolean =>
    (point.share !== undefined || precisions.has(point.precision)) && !hidden.has(point.family.name) &&
    (caches === 'both' || point.cache === caches) && (view.bound === null || point.bound === view.bound) &&
    isInRange(point, view.range) && (!isPart || (point.group?.total_s ?? 0) > 0) &&
      (view.kernel === null || point.kernelShort === view.kernel) && (view.type === null || point.group?.type === view.type) &&
        (words.length === 0 || matches(point, words));
  return experiment.points.flatMap((point, index) => (isShown(point) ? [index] : []));
}

const shownOf = new WeakMap<View, number[]>();

/** The indices of the points that the switches, the legend and the filter leave; not to be changed. */
export function shownPoints(view: View, experiment: ExperimentView): readonly number[] {
  const known = shownOf.get(view);
  if (known) return known;
  const shown = indicesOf(view, experiment);
  shownOf.set(view, shown);
  return shown;
}

/** The same, whatever bounds them: what the list of bounds counts. */
export function shownOfAnyBound(view: View, experiment: ExperimentView): readonly number[] {
  return view.bound === null ? shownPoints(view, experiment) : indicesOf({ ...view, bound: null }, experiment);
}

/** As it is typed: in lower case, 2^20 for 2²⁰. */
function typed(text: string): string {
  const digits = '⁰¹²³⁴⁵⁶⁷⁸⁹';
  return text.toLowerCase().replace(new RegExp(`(?<=2)[${digits}]+`, 'g'),
    (power) => `^${[...power].map((digit) => digits.indexOf(digit)).join('')}`);
}

const textsOf = new WeakMap<PointView, string>();

function matches(point: PointView, words: string[]): boolean {
  let text = textsOf.get(point);
  if (text === undefined) {
    text = typed(`${point.texts.join(' ')} ${point.key} ${point.kernel} ${point.operators.map(({ name }) => name).join(' ')}`);
    textsOf.set(point, text);
  }
  return words.every((word) => text.includes(word));
}
