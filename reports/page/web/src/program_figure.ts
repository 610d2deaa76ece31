// SPDX-License-Identifier: Apache-2.0
// The roofline of a program: a mark per group of launches, its area their share of the time that is shown.
import { LEVELS, data, wordsFor, type ExperimentView, type GroupView, type Level } from './data';
import { percent, wholePercent } from './format';
import { annotationsOf, boxOf, layoutOf, Traces, windowOf, type Figure, type Mark, type Options, type Ranked } from './figure';
import type { Named } from './labels';
import { levelSymbol, symbolOf } from './marks';
import { cutApart, shortened } from './names';
import { MARGIN, overlap, Plane, type Box, type Pixel, type Weighted } from './plane';
import { plain } from './roof_lines';
import { shownRoofs } from './roofs';
import { groupsOf, sumOf, type Sum } from './sums';
import type { Colours } from './theme';
import { phasesIn, type Phase } from './timeline';
import { levelOf, pinnedPoints, shownPoints, type View } from './view';

/** Groups with less of the time that is shown are one mark together. */
const FOLDED = 0.005;
const MOST_NAMES = 8;
const LONGEST_NAME = 50;
const STRIP = 78;
const STRIP_GAP = 46;
const RANGE_SIZE = 13;

interface Shown { index: number; point: GroupView; part: number }
interface Parts { drawn: Shown[]; folded: GroupView[]; total: number; level: Level }

const partsOfView = new WeakMap<View, Parts>();

/** The groups that have a mark of their own, the largest first, and those that have not. */
function partsOf(view: View, experiment: ExperimentView): Parts {
  const known = partsOfView.get(view) ?? computeParts(view, experiment);
  partsOfView.set(view, known);
  return known;
}

/** The places of groups among those with a mark of their own, 1 for the largest: their labels begin with these. */
export const ranksOf = (view: View, experiment: ExperimentView): Map<number, number> => new Map(partsOf(view, experiment).drawn.map(({ index }, place) => [index, place + 1]));

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
    else folded.push(point);
  }
  drawn.sort((a, b) => b.part - a.part || a.index - b.index);
  const level = levelOf(view, experiment);
  return { drawn, folded, total, level: level === 'all' ? 'dram' : level };
}

/** Where it is at the level; null where it has no operations, or their number is unknown. */
const placeAt = (point: GroupView, level: Level): Mark['at'] | null =>
  (level === 'dram' ? point.useful : point.levels.find((at) => at.level === level)?.useful ?? null);
const shareAt = (point: GroupView, level: Level): number | null => point.levels.find((at) => at.level === level)?.share ?? null;

export function programPlaces(view: View, experiment: ExperimentView): Weighted[] {
  const { drawn, folded, total, level } = partsOf({ ...view, pins: [] }, experiment);
  const places = drawn.flatMap(({ point, part }) => {
    const at = placeAt(point, level);
    return at ? [{ at, weight: part }] : [];
  });
  const phases = placedPhases(view, experiment);
  const lasting = phases.reduce((sum, { phase }) => sum + phase.duration_ns, 0);
  places.push(...phases.map(({ phase, at }) => ({ at, weight: phase.duration_ns / lasting })));
  const other = level === 'dram' ? otherAt(sumOf(folded)) : null;
  return other ? [...places, { at: other, weight: sumOf(folded).total / total }] : places;
}

/** Where the groups without a mark of their own are, together. */
const otherAt = ({ flops, bytes, counted }: Sum): Mark['at'] | null => (flops > 0 && bytes > 0 && counted > 0 ? [flops / bytes, flops / counted] : null);

const radiusOf = (part: number): number => Math.min(24, Math.max(4, 48 * Math.sqrt(part)));

/** Above and below the middle of the strip, so that no mark covers another if there is room. */
function stacked(marks: { x: number; radius: number }[], top: number, bottom: number): Pixel[] {
  const middle = (top + bottom) / 2;
  const taken: Box[] = [];
  return marks.map(({ x, radius }) => {
    const steps = Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? 1 : -1) * Math.ceil(i / 2) * 3);
    const candidates = steps.map((step) => ({ x, y: middle + step })).filter(({ y }) => y - radius >= top && y + radius <= bottom);
    const place = candidates.find((candidate) => !taken.some((other) => overlap(other, boxOf(candidate, radius)))) ?? { x, y: middle };
    taken.push(boxOf(place, radius));
    return place;
  });
}

const colourOfBound = (bound: string, colours: Colours): string => {
  const { colour } = wordsFor(bound);
  return colour === null ? colours.faint : colours.family(colour);
};

export function programFigure(view: View, experiment: ExperimentView, { width, height, colours }: Options): Figure {
  const { drawn, folded, level, total } = partsOf(view, experiment);
  const chosen = experiment.points[pinnedPoints(view, experiment).at(-1) ?? -1] as GroupView | undefined;
  const strip = drawn.filter(({ point }) => placeAt(point, level) === null && shareAt(point, level) !== null);
  const hasStrip = strip.length > 0;
  const plane = new Plane(windowOf(view, experiment), width, height, hasStrip ? STRIP + STRIP_GAP : 0);
  const roofs = shownRoofs(view, experiment);
  const traces = new Traces();
  traces.addRoofs(roofs, plane, colours, chosen !== undefined);
  const layout = layoutOf(plane, experiment, colours);
  const boxes: Box[] = [];
  const most = Math.min(LONGEST_NAME, Math.max(18, Math.round(width / 18)));
  const cut = cutApart(drawn.map(({ point }) => point.label), most);
  const names: (Named & { order: number })[] = [];
  const name = (text: string, at: Pixel, radius: number, order: number): void => { names.push({ text: shortened(text, most), at, radius, order }); };
  const isDim = (point: GroupView): boolean => view.phaseMarks || (chosen !== undefined && point !== chosen);
  const markers = (shown: Shown[], marks: Mark[], extra: object = {}): void => traces.add({
    mode: 'markers',
    marker: {
      size: marks.map(({ radius }) => 2 * radius), symbol: shown.map(({ point }) => symbolOf({ shape: point.group.shape })),
      color: shown.map(({ point }) => colourOfBound(point.bound, colours)), opacity: shown.map(({ point }) => (isDim(point) ? 0.45 : 0.9)),
      line: { color: colours.paper, width: 1 },
    },
    ...extra,
  }, marks);
  const ranks = ranksOf(view, experiment);
  const rankOf = ({ index }: Shown): number => ranks.get(index) as number;
  /** The groups with a visible mark, each with its place and size. */
  const seen: { shown: Shown; at: Pixel; radius: number }[] = [];

  const placed = drawn.filter(({ point }) => placeAt(point, level) !== null);
  const marks = placed.map(({ index, point, part }): Mark => ({ point: index, level, work: 'useful', at: placeAt(point, level) as Mark['at'], isStrong: true, radius: radiusOf(part) }));
  placed.forEach((shown, i) => {
    const at = plane.pixel((marks[i] as Mark).at);
    if (!plane.holds(at)) return;
    boxes.push(boxOf(at, (marks[i] as Mark).radius));
    seen.push({ shown, at, radius: (marks[i] as Mark).radius });
  });

  const other = sumOf(folded);
  const at = level === 'dram' ? otherAt(other) : null;
  if (at) {
    const radius = radiusOf(other.total / total);
    traces.add({ x: [at[0]], y: [at[1]], mode: 'markers', marker: { size: 2 * radius, symbol: 'circle', color: colours.paper, opacity: 1, line: { color: colours.muted, width: 1.5 } } });
    const pixel = plane.pixel(at);
    if (plane.holds(pixel)) {
      boxes.push(boxOf(pixel, radius));
      name(`${folded.length} other groups, ${percent(other.total / total)}`, pixel, radius, MOST_NAMES + 0.5);
    }
  }
  markers(placed, marks, { x: marks.map(({ at }) => at[0]), y: marks.map(({ at }) => at[1]) });
  const joins = chosen ? addLevels(chosen, level, plane, colours, traces, boxes, name) : [];
  if (view.phaseMarks) addPhases(view, experiment, plane, colours, traces, boxes, name);
  if (view.rangeMarks) addRanges(view, experiment, plane, colours, traces, boxes, name);

  if (hasStrip) {
    const { left, right } = plane.frame;
    const bottom = height - MARGIN.bottom;
    const most = Math.max(1, ...strip.map(({ point }) => shareAt(point, level) ?? 0)) * 1.04;
    const radii = strip.map(({ part }) => radiusOf(part));
    const pixels = stacked(strip.map(({ point }, i) => ({ x: left + ((shareAt(point, level) ?? 0) / most) * (right - left), radius: radii[i] as number })), bottom - STRIP, bottom);
    const stripMarks = strip.map(({ index, point }, i): Mark => ({ point: index, level, work: 'useful', at: [shareAt(point, level) as number, 1], isStrong: true, radius: radii[i] as number, pixel: pixels[i] as Pixel }));
    markers(strip, stripMarks, { x: stripMarks.map(({ at }) => 100 * at[0]), y: pixels.map(({ y }) => bottom - y), xaxis: 'x2', yaxis: 'y2', cliponaxis: false });
    strip.forEach((shown, i) => {
      boxes.push(boxOf(pixels[i] as Pixel, radii[i] as number));
      seen.push({ shown, at: pixels[i] as Pixel, radius: radii[i] as number });
    });
    const whole = bottom - plane.frame.top;
    const axis = { fixedrange: true, zeroline: false, linecolor: colours.line, mirror: true, gridcolor: colours.grid, tickfont: { size: 11 } };
    const ticks = width < 600 ? [0, 50, 100] : [0, 20, 40, 60, 80, 100];
    Object.assign(layout, {
      yaxis: { ...layout.yaxis, domain: [(STRIP + STRIP_GAP) / whole, 1] },
      xaxis: { ...layout.xaxis, anchor: 'y' },
      yaxis2: { ...axis, domain: [0, STRIP / whole], range: [0, STRIP], anchor: 'x2', showticklabels: false, showgrid: false },
      xaxis2: {
        ...axis, range: [0, 100 * most], anchor: 'y2', ticks: 'outside', tickcolor: colours.line, tickvals: ticks, ticktext: ticks.map((value) => `${value}\u00a0%`),
        title: { text: width < 600 ? `No FLOP/s: share of ${levelName(level)}` : `No FLOP/s known: share of the ${levelName(level)} bandwidth`, standoff: 6 },
      },
    });
  }
  const named = seen.sort((a, b) => rankOf(a.shown) - rankOf(b.shown)).filter(({ shown }, place) => place < MOST_NAMES || shown.point === chosen);
  for (const { shown, at: pixel, radius } of named) {
    const rank = rankOf(shown);
    names.push({ text: `${rank} ${cut.get(shown.point.label) ?? shown.point.label}`, number: String(rank), at: pixel, radius, order: shown.point === chosen ? -1 : rank });
  }
  names.sort((a, b) => a.order - b.order);
  const { annotations, shapes, numbers } = annotationsOf(roofs, names, boxes, plane, colours, joins);
  const numbered = named.map(({ shown }): Ranked => ({ point: shown.index, rank: rankOf(shown) })).filter(({ rank }) => numbers.has(String(rank)));
  // For pictures, whose legend explains the colours.
  for (const { id, label } of data.bounds) {
    if (drawn.some(({ point }) => point.bound === id)) {
      traces.add({ x: [null], y: [null], mode: 'markers', name: plain(label), showlegend: true, marker: { symbol: 'square', size: 10, color: colourOfBound(id, colours) } });
    }
  }
  for (const { point, rank } of numbered) {
    const { label, group, bound } = experiment.points[point] as GroupView;
    traces.add({ x: [null], y: [null], mode: 'markers', name: plain(`${rank} ${label}`), showlegend: true, marker: { symbol: symbolOf({ shape: group.shape }), size: 10, color: colourOfBound(bound, colours) } });
  }
  return { data: traces.data, layout: { ...layout, annotations, shapes } as Figure['layout'], marks: traces.marks, plane, numbered };
}

type AddName = (text: string, at: Pixel, radius: number, order: number) => void;
const levelName = (level: Level): string => data.levels.find(({ id }) => id === level)?.name ?? level;

/** The chosen kernel at the other levels, and the line that joins them to its mark. */
function addLevels(chosen: GroupView, level: Level, plane: Plane, colours: Colours, traces: Traces, boxes: Box[], name: AddName): [Pixel, Pixel][] {
  const places = LEVELS.flatMap((of) => {
    const at = placeAt(chosen, of);
    return at ? [{ of, at }] : [];
  });
  if (places.length < 2) return [];
  const colour = colourOfBound(chosen.bound, colours);
  const ordered = [...places].sort((a, b) => a.at[0] - b.at[0]);
  traces.add({ x: ordered.map(({ at }) => at[0]), y: ordered.map(({ at }) => at[1]), mode: 'lines', line: { color: colour, width: 1.2 } });
  const others = places.filter(({ of }) => of !== level);
  traces.add({
    x: others.map(({ at }) => at[0]), y: others.map(({ at }) => at[1]), mode: 'markers',
    marker: { size: 11, symbol: others.map(({ of }) => levelSymbol(of)), color: colours.paper, opacity: 1, line: { color: colour, width: 2 } },
  });
  for (const { at, of } of others) {
    const pixel = plane.pixel(at);
    if (!plane.holds(pixel)) continue;
    boxes.push(boxOf(pixel, 6));
    const share = shareAt(chosen, of);
    name(share === null ? levelName(of) : `${levelName(of)} ${wholePercent(share)}`, pixel, 6, -0.5);
  }
  return [[plane.pixel((ordered[0] as { at: Mark['at'] }).at), plane.pixel((ordered.at(-1) as { at: Mark['at'] }).at)]];
}

/** The phases of the shown time that have a place on the roofline, in their order. */
function placedPhases(view: View, experiment: ExperimentView): { phase: Phase; at: Mark['at'] }[] {
  if (!view.phaseMarks || !experiment.timeline) return [];
  return phasesIn(experiment.timeline, view.time).flatMap((phase) => (phase.ai !== null && phase.rate !== null && phase.ai > 0 && phase.rate > 0 ? [{ phase, at: [phase.ai, phase.rate] as Mark['at'] }] : []));
}

/** The path of the program: a mark for each phase, its area the phase's share of the time, later ones darker, and a line through them. */
function addPhases(view: View, experiment: ExperimentView, plane: Plane, colours: Colours, traces: Traces, boxes: Box[], name: AddName): void {
  const phases = placedPhases(view, experiment);
  const all = phases.reduce((sum, { phase }) => sum + phase.duration_ns, 0);
  const marks = phases.map(({ phase, at }): Mark => ({ point: -1, level: 'dram', work: 'useful', at, isStrong: true, radius: radiusOf(phase.duration_ns / all), time: [phase.start_ns, phase.start_ns + phase.duration_ns] }));
  traces.add({ x: marks.map(({ at }) => at[0]), y: marks.map(({ at }) => at[1]), mode: 'lines', line: { color: colours.accent, width: 1, dash: 'dot' }, opacity: 0.7 });
  traces.add({
    x: marks.map(({ at }) => at[0]), y: marks.map(({ at }) => at[1]), mode: 'markers',
    marker: { size: marks.map(({ radius }) => 2 * radius), symbol: 'circle', color: colours.accent, opacity: marks.map((_, i) => 0.3 + (0.55 * i) / Math.max(1, marks.length - 1)), line: { color: colours.ink, width: 1.2 } },
  }, marks);
  const named = new Set<string>();
  marks.forEach((mark, i) => {
    const pixel = plane.pixel(mark.at);
    const text = phases[i]?.phase.name ?? '';
    if (!plane.holds(pixel)) return;
    boxes.push(boxOf(pixel, mark.radius));
    if (!named.has(text) && named.size < MOST_NAMES) name(text, pixel, mark.radius, -0.45 + i / 1000);
    named.add(text);
  });
}

/** A hollow mark for each NVTX range below the chosen one. */
function addRanges(view: View, experiment: ExperimentView, plane: Plane, colours: Colours, traces: Traces, boxes: Box[], name: AddName): void {
  const ranges = (experiment.program?.ranges ?? []).filter(({ path, ai, rate }) => path !== '' && ai !== null && rate !== null && ai > 0 && rate > 0 && (view.range === null || path === view.range || path.startsWith(`${view.range}/`)));
  const shown = ranges.sort((a, b) => b.share - a.share).slice(0, 40);
  const marks = shown.map(({ path, ai, rate }): Mark => ({ point: -1, level: 'dram', work: 'useful', at: [ai as number, rate as number], isStrong: false, radius: RANGE_SIZE / 2, range: path }));
  traces.add({
    x: marks.map(({ at }) => at[0]), y: marks.map(({ at }) => at[1]), mode: 'markers',
    marker: { size: RANGE_SIZE, symbol: 'diamond', color: colours.paper, opacity: 1, line: { color: colours.ink, width: 2 } },
  }, marks);
  marks.forEach((mark, i) => {
    const pixel = plane.pixel(mark.at);
    if (!plane.holds(pixel)) return;
    boxes.push(boxOf(pixel, mark.radius));
    if (i < MOST_NAMES) name(shown[i]?.path ?? '', pixel, mark.radius, -0.4 + i / 1000);
  });
}
