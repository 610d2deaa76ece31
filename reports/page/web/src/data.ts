// SPDX-License-Identifier: Apache-2.0
import type {
  Bound, Column, ExperimentView as ExperimentData, Family, Group, Level, PageData, PointView as PointData, RunView as RunData,
  TimelineView,
} from './generated/page_data';

import { fileOf } from './files';

export type {
  AgreementTable, CeilingTable, Column, DeviceTables, Family, Group, Level, Range, RangeView, RanksView, Roof, SpeedTable, Step,
  TitledTable, Window,
} from './generated/page_data';

export type Timeline = TimelineView;

/** Operations per byte and operations per second; null where it cannot be drawn. */
export type Place = [number, number] | null;

export interface LevelPlace {
  level: Level; useful: Place; executed: Place; utilisation: string; share: number | null; is_limiting: boolean;
}

/** A point with what follows from its data. */
export interface PointView extends Omit<PointData, 'family' | 'levels'> {
  label: string;
  /** Full and short name of a program's kernel; empty for other points. */
  kernel: string;
  kernelShort: string;
  /** The operators and modules of PyTorch that launched it, where there is a trace. */
  operators: { name: string; share: number }[];
  family: Family;
  bound: string;
  /** As the table has it. */
  boundName: string;
  cache: string;
  fraction_of_roofline: number | null;
  useful: Place;
  executed: Place;
  levels: LevelPlace[];
}
/** A kernel of a profiled program. */
export type GroupView = PointView & { group: Group };
export const isGroup = (point: PointView | undefined): point is GroupView => point?.group !== undefined;

export type Program = NonNullable<ExperimentData['program']>;
export type Loss = Program['losses'][number];

export interface ExperimentView extends Omit<ExperimentData, 'points'> {
  points: PointView[];
  /** Whether all of its points are kernels of a profiled program. */
  isOfProgram: boolean;
}
/** For a device that was sampled while nothing is known about what ran: there is nothing to put under its roofs. */
export const wasWatched = (experiment: ExperimentView | undefined): boolean => experiment?.timeline?.was_watched ?? false;
/** What a row of a program's table is. */
export const GROUP = 'the launches of one kernel with one grid, block and shared memory in one NVTX range.';
/** What a row of the table is called. */
export const thingOf = (experiment: ExperimentView | undefined): 'launch group' | 'point' =>
  (experiment?.isOfProgram ? 'launch group' : 'point');
export interface RunView extends Omit<RunData, 'experiments'> { experiments: ExperimentView[] }

export type BareChart = RunView['bare_charts'][number];

const page = JSON.parse(await (await fileOf('page-data', 'application/json')).text()) as PageData;

const columnOf = (role: Column['role']): number => page.columns.findIndex((column) => column.role === role);
const [LABEL, CACHES, BOUND, AI, EXECUTED_AI, OF_ROOF] = (['label', 'cache', 'bound', 'ai', 'executed_ai',
  'fraction_of_roofline'] as const).map(columnOf) as [number, number, number, number, number, number];

const words = new Map(page.bounds.map((bound) => [bound.id, bound]));
const idOf = new Map(page.bounds.flatMap(({ id, label, legend }) => [[label, id], [legend, id]]));

const place = (ai: number | null | undefined, rate: number | null): Place => (ai == null || rate === null ? null : [ai, rate]);

function pointOf(point: PointData, { families, program }: ExperimentData): PointView {
  const kernel = point.group && program?.kernels[point.group.kernel];
  const { rate, executed_rate, is_apart, share, texts, values } = point;
  return {
    ...point,
    family: families[point.family] as Family, kernel: kernel?.name ?? '', kernelShort: kernel?.short ?? '',
    operators: (point.group?.operators ?? []).map(([operator, of]) => ({ name: program?.torch?.operators[operator] ?? '', share: of })),
    label: texts[LABEL] ?? '', bound: idOf.get(texts[BOUND] ?? '') ?? 'unknown', boundName: texts[BOUND] ?? '', cache: texts[CACHES] ?? '',
    fraction_of_roofline: values[OF_ROOF] ?? null,
    useful: place(values[share === undefined ? AI : EXECUTED_AI], rate),
    executed: is_apart ? place(values[EXECUTED_AI], executed_rate) : null,
    levels: point.levels.map(({ ai, executed_ai, ...rest }) =>
      ({ ...rest, useful: place(ai, rate), executed: place(executed_ai, executed_rate) })),
  };
}

function experimentOf(experiment: ExperimentData): ExperimentView {
  const isOfProgram = experiment.program !== undefined && experiment.points.every(({ group }) => group !== undefined);
  return { ...experiment, isOfProgram, points: experiment.points.map((point) => pointOf(point, experiment)) };
}

export const data = {
  ...page,
  run: { ...page.run, experiments: page.run.experiments.map(experimentOf) } as RunView,
};

export const LEVELS: readonly Level[] = data.levels.map(({ id }) => id);

/** What to call a bound, and what it means. */
export function wordsFor(bound: string): Bound {
  return words.get(bound) ?? { id: bound, label: bound, legend: bound, meaning: '', colour: null };
}

/** Text and number of the column with this title; neither where there is no such column. */
export function cellOf(point: PointView, title: string): { text: string; value: number | null } {
  const column = page.columns.findIndex((candidate) => candidate.title === title);
  return { text: point.texts[column] ?? '', value: point.values[column] ?? null };
}

/** The names of everything known about a point: the columns, then what is in no column. */
export function factNames(experiment: ExperimentView): string[] {
  return [...data.columns.slice(1).map(({ name }) => name), ...experiment.fact_names];
}

/** Energy is measured only where the plan asks for it. */
const isOfEnergy = (column: number): boolean => page.columns[column]?.role === 'energy';
const isEmpty = (text: string | null | undefined): boolean => ['', '–', null, undefined].includes(text);
const isUnaskedEnergy = (fact: number, text: string): boolean => text === '–' && isOfEnergy(fact + 1);

/** Whether the table has this column for the experiment. */
export function hasColumn(experiment: ExperimentView, column: number): boolean {
  const mayBeEmpty = isOfEnergy(column) || page.columns[column]?.role === 'program' || experiment.program !== undefined;
  return !mayBeEmpty || experiment.points.some((point) => !isEmpty(point.texts[column]));
}

/** Name and text of everything known about a point; a fact tells more than the column of the same name. */
export function factsOf(experiment: ExperimentView, point: PointView): [string, string][] {
  const names = factNames(experiment);
  const texts = [...point.texts.slice(1), ...point.facts];
  return [...new Map(texts.flatMap((text, name): [string, string][] => {
    const isLeftOut = text === null || text === '' || isUnaskedEnergy(name, text) || (point.share !== undefined && isEmpty(text));
    return isLeftOut ? [] : [[names[name] ?? '', text]];
  }))];
}

export function cacheStates(experiment: ExperimentView): string[] {
  return [...new Set(experiment.points.map((point) => point.cache))].sort();
}

/** The levels at which traffic of the experiment was counted. */
export function countedLevels(experiment: ExperimentView): Level[] {
  return LEVELS.filter((level) => experiment.points.some((point) => point.levels.some((at) => at.level === level && at.useful)));
}

export type Finding = ExperimentView['rules'][number] & { evidence: string };

/** What bounds the point, first, and whatever else holds for it. */
export function findingsOf(experiment: ExperimentView, point: PointView): Finding[] {
  return point.findings.flatMap(([rule, evidence]) => {
    const texts = experiment.rules[rule];
    return texts ? [{ ...texts, evidence }] : [];
  });
}
