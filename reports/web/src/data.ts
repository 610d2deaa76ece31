// SPDX-License-Identifier: Apache-2.0
import type { ExperimentView, PageData, PointView, Level } from './generated/page_data';

export type {
  AgreementTable, CeilingTable, Column, ExperimentView, Level, PageData, Place, PointView, Range, Roof, RunView, Step, Window,
} from './generated/page_data';

export const LEVELS: readonly Level[] = ['dram', 'l2', 'l1', 'shared'];

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? '';
}

export const data = JSON.parse(textOf('page-data')) as PageData;

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (digit) => digit.charCodeAt(0));
}

/** The file run.json, as it was written; the page has it compressed. */
export function runJson(): Promise<Blob> {
  const compressed = new Blob([fromBase64(textOf('run-json'))]);
  const json = compressed.stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(json, { headers: { 'Content-Type': 'application/json' } }).blob();
}

/** Name and text of everything known of a point. */
export function factsOf(experiment: ExperimentView, point: PointView): [string, string][] {
  return point.facts.flatMap((text, name): [string, string][] => (text === null ? [] : [[experiment.fact_names[name] ?? '', text]]));
}

export function cacheStates(experiment: ExperimentView): string[] {
  return [...new Set(experiment.points.map((point) => point.id.cache))].sort();
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
