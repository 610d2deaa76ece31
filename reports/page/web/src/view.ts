// SPDX-License-Identifier: Apache-2.0
// What the reader chose to see. It is in the address after `#`, so that a link shows the same.
import { cacheStates, countedLevels, data, LEVELS, type ExperimentView, type Level, type PointView, type Window } from './data';

export type Work = 'both' | 'useful' | 'executed';
export type Roofs = 'both' | 'measured' | 'theoretical';
export type Theme = 'auto' | 'light' | 'dark';

export interface View {
  experiment: number;
  level: Level | 'all';
  /** Null: those of the points. */
  precisions: string[] | null;
  work: Work;
  caches: string;
  roofs: Roofs;
  hiddenFamilies: string[];
  filter: string;
  bound: string | null;
  sort: { column: string; descending: boolean } | null;
  /** Keys of points, in the order in which they were pinned. */
  pins: string[];
  /** Null: the axes that come from the ceilings. */
  zoom: Window | null;
  theme: Theme;
}

const DEFAULT: View = {
  experiment: 0, level: 'dram', precisions: null, work: 'both', caches: 'both', roofs: 'both', hiddenFamilies: [], filter: '',
  bound: null, sort: null, pins: [], zoom: null, theme: 'auto',
};

function oneOf<T extends string>(value: string | null, values: readonly T[], otherwise: T): T {
  return values.includes(value as T) ? (value as T) : otherwise;
}

function zoomFrom(text: string | null): Window | null {
  const numbers = (text ?? '').split(',').map(Number);
  const [left, right, bottom, top] = numbers;
  if (numbers.length !== 4 || left === undefined || right === undefined || bottom === undefined || top === undefined) return null;
  const isWindow = numbers.every((n) => Number.isFinite(n) && n > 0) && left < right && bottom < top;
  return isWindow ? { ai: [left, right], rate: [bottom, top] } : null;
}

export function viewFrom(hash: string): View {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const names = data.run.experiments.map((experiment) => experiment.name);
  const column = params.get('sort')?.replace(/^-/, '');
  return {
    experiment: Math.max(0, names.indexOf(params.get('experiment') ?? '')),
    level: oneOf(params.get('level'), [...LEVELS, 'all'] as const, 'dram'),
    precisions: params.has('precision') ? params.getAll('precision').filter((name) => name !== '') : null,
    work: oneOf(params.get('work'), ['both', 'useful', 'executed'] as const, 'both'),
    caches: params.get('caches') ?? 'both',
    roofs: oneOf(params.get('roofs'), ['both', 'measured', 'theoretical'] as const, 'both'),
    hiddenFamilies: params.getAll('hide'),
    filter: params.get('filter') ?? '',
    bound: params.get('bound'),
    sort: column ? { column, descending: params.get('sort')!.startsWith('-') } : null,
    pins: params.getAll('pin'),
    zoom: zoomFrom(params.get('zoom')),
    theme: oneOf(params.get('theme'), ['auto', 'light', 'dark'] as const, 'auto'),
  };
}

export function hashOf(view: View): string {
  const params = new URLSearchParams();
  const name = data.run.experiments[view.experiment]?.name;
  if (view.experiment > 0 && name !== undefined) params.set('experiment', name);
  for (const key of ['level', 'work', 'caches', 'roofs', 'filter', 'theme'] as const) {
    if (view[key] !== DEFAULT[key]) params.set(key, view[key]);
  }
  if (view.precisions) for (const precision of view.precisions.length > 0 ? view.precisions : ['']) params.append('precision', precision);
  for (const family of view.hiddenFamilies) params.append('hide', family);
  if (view.bound) params.set('bound', view.bound);
  if (view.sort) params.set('sort', (view.sort.descending ? '-' : '') + view.sort.column);
  for (const key of view.pins) params.append('pin', key);
  if (view.zoom) params.set('zoom', [...view.zoom.ai, ...view.zoom.rate].map((n) => n.toPrecision(5)).join(','));
  return params.toString();
}

type Listener = (view: View, previous: View | null) => void;

/** The view and those who show it. */
export class ViewStore {
  private current = viewFrom(location.hash);
  private readonly listeners: Listener[] = [];

  constructor() {
    window.addEventListener('hashchange', () => this.replace(viewFrom(location.hash)));
  }

  get view(): View {
    return this.current;
  }

  get experiment(): ExperimentView | undefined {
    return data.run.experiments[this.current.experiment];
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

  /** Another experiment: what was chosen among the points of the old one is gone. */
  setExperiment(experiment: number): void {
    this.set({ experiment, precisions: null, hiddenFamilies: [], filter: '', bound: null, zoom: null });
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

export function precisionsOf(view: View, experiment: ExperimentView | undefined): string[] {
  return view.precisions ?? experiment?.precisions ?? data.run.precisions;
}

/** The level that can be shown: the chosen one, or DRAM where nothing was counted there. */
export function levelOf(view: View, experiment: ExperimentView | undefined): Level | 'all' {
  if (!experiment) return view.level;
  const counted = countedLevels(experiment);
  if (view.level === 'all') return counted.length > 1 ? 'all' : 'dram';
  return counted.includes(view.level) ? view.level : 'dram';
}

function cachesOf(view: View, experiment: ExperimentView): string {
  return cacheStates(experiment).includes(view.caches) ? view.caches : 'both';
}

/** The indices of the points that the switches, the legend and the filter leave. */
export function shownPoints(view: View, experiment: ExperimentView): number[] {
  const precisions = new Set(precisionsOf(view, experiment));
  const hidden = new Set(view.hiddenFamilies);
  const caches = cachesOf(view, experiment);
  const words = typed(view.filter).split(/\s+/).filter((word) => word !== '');
  const isShown = (point: PointView): boolean =>
    (point.share !== undefined || precisions.has(point.precision)) && !hidden.has(point.family.name) &&
    (caches === 'both' || point.cache === caches) && (view.bound === null || point.bound === view.bound) &&
    (words.length === 0 || matches(point, words));
  return experiment.points.flatMap((point, index) => (isShown(point) ? [index] : []));
}

/** As one types it: in lower case, 2^20 for 2²⁰. */
function typed(text: string): string {
  const digits = '⁰¹²³⁴⁵⁶⁷⁸⁹';
  return text.toLowerCase().replace(new RegExp(`(?<=2)[${digits}]+`, 'g'), (power) => `^${[...power].map((digit) => digits.indexOf(digit)).join('')}`);
}

function matches(point: PointView, words: string[]): boolean {
  const text = typed(`${point.texts.join(' ')} ${point.key}`);
  return words.every((word) => text.includes(word));
}
