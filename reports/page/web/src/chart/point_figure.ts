// SPDX-License-Identifier: Apache-2.0
// The roofline of points: a mark for each, or several for its work and its levels.
import type { ExperimentView } from '../data';
import { Drawing, type Spot } from './drawing';
import type { Entry, Figure, Mark, Options } from './figure_parts';
import type { Named } from './labels';
import { OUTLINE_RADIUS, outlineOf, shapeOfLevel } from './marks';
import { boxOf, Plane, type Pixel } from './plane';
import { shownMarks } from './point_marks';
import { shownRoofs } from './roofs';
import type { Colours } from '../theme';
import { roofsOf, type View } from '../view';
import { windowOf } from './window';

const MOST_LABELS = 60;
const MOST_INTERVALS = 500;
const WIDE_INTERVAL = 1.05;
const HALF_CAP = 4;
/** Pixels of a link's roof to either side of the mark below. */
const HALF_LINK_ROOF = 11;
const LINK_OUTLINE = `M${-HALF_LINK_ROOF} 0L${HALF_LINK_ROOF} 0`;

export function pointFigure(view: View, experiment: ExperimentView | undefined, { width, height, colours }: Options): Figure {
  const plane = new Plane(windowOf(view, experiment), width, height);
  const drawing = new Drawing(plane, experiment?.operations ?? 'FLOP', colours);
  const marks = shownMarks(view, experiment);
  const roofs = shownRoofs(view, experiment);
  const links = roofsOf(view, experiment) === 'theoretical' ? [] : linkRoofsOf(experiment, marks);
  drawing.addRoofs(roofs, false);
  const legend = [...addLinkRoofs(drawing, links, colours), ...(experiment ? addMarks(drawing, experiment, marks, colours) : [])];
  const boxes = [
    ...marks.map((mark) => boxOf(plane.pixel(mark.at), mark.radius)),
    ...links.map(({ ai, roof }) => boxOf(plane.pixel([ai, roof]), HALF_LINK_ROOF)),
  ];
  drawing.addNames(roofs, experiment && marks.length <= MOST_LABELS ? namesOf(experiment, marks, plane) : [], boxes);
  return { drawing, marks, numbered: [], legend };
}

/** One mark of each point has its name: a filled one. */
function namesOf(experiment: ExperimentView, marks: readonly Mark[], plane: Plane): Named[] {
  const ofPoint = new Map<number, Named>();
  for (const mark of [...marks].sort((a, b) => Number(b.isStrong) - Number(a.isStrong))) {
    const at = plane.pixel(mark.at);
    if (ofPoint.has(mark.point) || !plane.holds(at)) continue;
    ofPoint.set(mark.point, { text: experiment.points[mark.point]?.label ?? '', at, radius: mark.radius });
  }
  return [...ofPoint.values()];
}

/** What NVLink allows a point, above its mark. */
interface LinkRoof { ai: number; rate: number; roof: number }

function linkRoofsOf(experiment: ExperimentView | undefined, marks: readonly Mark[]): LinkRoof[] {
  return marks.flatMap(({ point, work, isStrong, at: [ai, rate] }) => {
    const roof = experiment?.points[point]?.link_rate;
    return roof !== undefined && work === 'useful' && isStrong ? [{ ai, rate, roof }] : [];
  });
}

function addLinkRoofs(drawing: Drawing, links: readonly LinkRoof[], colours: Colours): Entry[] {
  if (links.length === 0) return [];
  const { plane } = drawing;
  const stroke = { colour: colours.muted, width: 1, dash: '3 3' };
  drawing.addLines(links.map(({ ai, rate, roof }) => [plane.pixel([ai, rate]), plane.pixel([ai, roof])]), stroke);
  const spots = links.map(({ ai, roof }): Spot =>
    ({ at: plane.pixel([ai, roof]), radius: HALF_LINK_ROOF, outline: LINK_OUTLINE, unit: HALF_LINK_ROOF }));
  drawing.addMarks(spots, { fill: 'none', stroke: colours.roof, width: 2.2 }, 'link-roofs');
  return [{ text: 'NVLink roof of the point below', outline: 'M-5 0L5 0', fill: 'none', stroke: colours.roof }];
}

/** Family by family, hollow marks below filled ones. */
function addMarks(drawing: Drawing, experiment: ExperimentView, marks: readonly Mark[], colours: Colours): Entry[] {
  const common = marks.length > 1000 ? 3 : marks.length > 200 ? 4 : 5;
  const radiusOf = (mark: Mark): number => (experiment.program ? mark.radius : common);
  return experiment.families.flatMap((family) => {
    const own = marks.filter((mark) => experiment.points[mark.point]?.family === family);
    if (own.length === 0) return [];
    const colour = colours.family(family.colour);
    const isOfOneLevel = new Set(own.map((mark) => mark.level)).size === 1;
    if (experiment.are_joined) drawing.addLines(connections(own, drawing.plane), { colour, width: 1, opacity: 0.7 });
    for (const isStrong of [false, true]) {
      const chosen = own.filter((mark) => mark.isStrong === isStrong);
      if (chosen.length === 0) continue;
      addIntervals(drawing, experiment, chosen, colour);
      const look = isStrong ? { fill: colour, stroke: colours.paper, width: 1 } : { fill: colours.paper, stroke: colour, width: 1.8 };
      drawing.addMarks(chosen.map((mark): Spot => {
        const outline = outlineOf(isOfOneLevel ? family.shape : shapeOfLevel(mark.level));
        return { at: drawing.plane.pixel(mark.at), radius: radiusOf(mark), outline, unit: OUTLINE_RADIUS };
      }), look);
    }
    return [{ text: family.name, outline: outlineOf(family.shape), fill: colour, stroke: 'none' }];
  });
}

/** A line through the marks of each point. */
function connections(marks: readonly Mark[], plane: Plane): Pixel[][] {
  const lines: Pixel[][] = [];
  let last = -1;
  for (const { point, at } of marks) {
    if (point === last) lines.at(-1)?.push(plane.pixel(at));
    else lines.push([plane.pixel(at)]);
    last = point;
  }
  return lines.filter(({ length }) => length > 1);
}

/** Error bars, where one is wider than its mark. */
function addIntervals(drawing: Drawing, experiment: ExperimentView, marks: readonly Mark[], colour: string): void {
  if (marks.length > MOST_INTERVALS) return;
  const lines = marks.flatMap((mark): Pixel[][] => {
    const interval = mark.work === 'useful' ? experiment.points[mark.point]?.interval : null;
    if (!interval || interval[1] / interval[0] <= WIDE_INTERVAL) return [];
    const ends = interval.map((rate) => drawing.plane.pixel([mark.at[0], rate]));
    return [ends, ...ends.map(({ x, y }) => [{ x: x - HALF_CAP, y }, { x: x + HALF_CAP, y }])];
  });
  if (lines.length > 0) drawing.addLines(lines, { colour, width: 1.4, kind: 'interval' });
}
