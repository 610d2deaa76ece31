// SPDX-License-Identifier: Apache-2.0
// What the roofline of a program has marks for: groups of launches, each by its share of the time that is shown, and phases.
import type { ExperimentView, GroupView, Level } from '../data';
import type { Mark } from './figure_parts';
import type { Weighted } from './plane';
import { groupsOf, sumOf, type Sum } from '../sums';
import { phasesIn, type Phase } from '../timeline/timeline';
import { levelOf, pinnedPoints, shownPoints, type View } from '../view';

/** Groups with less of the time that is shown are one mark together, if their operations are known. */
const FOLDED = 0.005;

export interface Shown { index: number; point: GroupView; part: number }
interface Parts { drawn: Shown[]; folded: GroupView[]; total: number; level: Level }

const partsOfView = new WeakMap<View, Parts>();

/** The groups that have a mark of their own, the largest first, and those that have not. */
export function partsOf(view: View, experiment: ExperimentView): Parts {
  const known = partsOfView.get(view) ?? computeParts(view, experiment);
  partsOfView.set(view, known);
  return known;
}

/** The places of groups among those with a mark of their own, 1 for the largest: their labels begin with these. */
export const ranksOf = (view: View, experiment: ExperimentView): Map<number, number> =>
  new Map(partsOf(view, experiment).drawn.map(({ index }, place) => [index, place + 1]));

function computeParts(view: View, experiment: ExperimentView): Parts {
  const indices = shownPoints(view, experiment);
  const groups = groupsOf(experiment, indices);
  const { total } = sumOf(groups);
  const chosen = new Set(pinnedPoints(view, experiment));
  const drawn: Shown[] = [];
  const folded: GroupView[] = [];
  for (const index of indices) {
    const point = experiment.points[index] as GroupView;
    const part = total > 0 ? point.group.total_s / total : 0;
    if (part >= FOLDED || chosen.has(index)) drawn.push({ index, point, part });
    // Only those with a place of their own give the one mark a place.
    else if (point.useful) folded.push(point);
  }
  drawn.sort((a, b) => b.part - a.part || a.index - b.index);
  const level = levelOf(view, experiment);
  return { drawn, folded, total, level: level === 'all' ? 'dram' : level };
}

/** Where it is at the level; null where it has no operations, or their number is unknown. */
export const placeAt = (point: GroupView, level: Level): Mark['at'] | null =>
  (level === 'dram' ? point.useful : point.levels.find((at) => at.level === level)?.useful ?? null);
export const shareAt = (point: GroupView, level: Level): number | null => point.levels.find((at) => at.level === level)?.share ?? null;

/** Where the groups without a mark of their own are, together. */
export const otherAt = ({ flops, bytes, counted }: Sum): Mark['at'] | null =>
  (flops > 0 && bytes > 0 && counted > 0 ? [flops / bytes, flops / counted] : null);

/** The phases of the shown time that have a place on the roofline, in their order. */
export function placedPhases(view: View, experiment: ExperimentView): { phase: Phase; at: Mark['at'] }[] {
  if (!view.phaseMarks || !experiment.timeline) return [];
  return phasesIn(experiment.timeline, view.time).flatMap((phase) => {
    const { ai, rate } = phase;
    return ai !== null && rate !== null && ai > 0 && rate > 0 ? [{ phase, at: [ai, rate] as Mark['at'] }] : [];
  });
}

/** What the window of the chart is to be around. */
export function programPlaces(view: View, experiment: ExperimentView): Weighted[] {
  const { drawn, folded, total, level } = partsOf({ ...view, pins: [] }, experiment);
  const places = drawn.flatMap(({ point, part }) => {
    const at = placeAt(point, level);
    return at ? [{ at, weight: part }] : [];
  });
  const phases = placedPhases(view, experiment);
  const lasting = phases.reduce((sum, { phase }) => sum + phase.duration_ns, 0);
  places.push(...phases.map(({ phase, at }) => ({ at, weight: phase.duration_ns / lasting })));
  const rest = sumOf(folded);
  const other = level === 'dram' ? otherAt(rest) : null;
  return other ? [...places, { at: other, weight: rest.total / total }] : places;
}
