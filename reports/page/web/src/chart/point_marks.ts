// SPDX-License-Identifier: Apache-2.0
// Which marks points have in the chart.
import type { ExperimentView, Level, Place, PointView } from '../data';
import type { Mark } from './figure_parts';
import { levelOf, pinnedPoints, shownPoints, type View } from '../view';

/** For a program's kernel among other points, an area in proportion to its share of the time. */
const radiusOf = ({ share }: PointView): number => (share === undefined ? 5 : Math.min(18, Math.max(3, 34 * Math.sqrt(share))));

type Add = (at: Place, work: Mark['work'], level: Level, isStrong: boolean) => void;

function addOfDram(point: PointView, view: View, add: Add): void {
  add(point.useful, 'useful', 'dram', true);
  // Where the executed mark covers the useful one it is not drawn twice, unless it is all that is asked for.
  if (point.share === undefined) add(point.executed ?? (view.work === 'executed' ? point.useful : null), 'executed', 'dram', false);
}

function addOfAllLevels(point: PointView, view: View, add: Add): void {
  const work = view.work === 'executed' && point.share === undefined ? 'executed' : 'useful';
  for (const place of point.levels) add(place[work], work, place.level, place.is_limiting);
}

function addOfLevel(point: PointView, level: Level, add: Add): void {
  for (const place of point.levels) {
    if (place.level !== level) continue;
    add(place.useful, 'useful', level, true);
    if (point.share === undefined) add(place.executed, 'executed', level, false);
  }
}

/** The marks of a point that the switches leave. */
function marksOf(point: PointView, index: number, view: View, level: Level | 'all'): Mark[] {
  const marks: Mark[] = [];
  const add: Add = (at, work, of, isStrong) => {
    if (!at || (view.work !== 'both' && view.work !== work && point.share === undefined)) return;
    marks.push({ point: index, level: of, work, at, isStrong, radius: radiusOf(point) });
  };
  if (level === 'dram') addOfDram(point, view, add);
  else if (level === 'all') addOfAllLevels(point, view, add);
  else addOfLevel(point, level, add);
  return marks;
}

export function shownMarks(view: View, experiment: ExperimentView | undefined): Mark[] {
  if (!experiment) return [];
  const level = levelOf(view, experiment);
  const best = new Set([...experiment.best, ...pinnedPoints(view, experiment)]);
  const isDrawn = (index: number): boolean => view.sizes === 'all' || experiment.best.length === 0 || best.has(index);
  return shownPoints(view, experiment).filter(isDrawn)
    .flatMap((index) => marksOf(experiment.points[index] as PointView, index, view, level));
}
