// SPDX-License-Identifier: Apache-2.0
// What Plotly is to draw for a view.
import type { Annotations, Data, Layout, Shape } from 'plotly.js-basic-dist-min';
import type { ExperimentView, Level, Place, PointView, Window } from './data';
import { tick } from './format';
import { placeLabels, type Named } from './labels';
import { levelSymbol, symbolOf } from './marks';
import { MARGIN, Plane, windowAround, type Box, type Pixel } from './plane';
import { programFigure, programPlaces } from './program_figure';
import { attainable, lineOf, linesOf, plain, roofLabels, type ShownRoof } from './roof_lines';
import { shownRoofs } from './roofs';
import type { Colours } from './theme';
import { logTicks } from './ticks';
import type { Time } from './timeline';
import { bareChart, levelOf, pinnedPoints, roofsOf, shownPoints, type View } from './view';

/** A mark in the chart: of a point, of its useful or executed work, at a level. -1 for what is not a point. */
export interface Mark {
  point: number; level: Level; work: 'useful' | 'executed'; at: NonNullable<Place>; isStrong: boolean;
  /** For a mark that is not placed by the axes of the roofline. */
  pixel?: Pixel;
  radius: number;
  /** NVTX path, for the mark of a range. */
  range?: string;
  /** For the mark of a phase. */
  time?: Time;
}

/** `numbered`: the points at whose marks their number stands in place of their name. */
export interface Figure { data: Data[]; layout: Partial<Layout>; marks: Mark[][]; plane: Plane; numbered: Ranked[] }
/** A kernel with its place among those that take most of the time, from 1. */
export interface Ranked { point: number; rank: number }

const MOST_LABELS = 60;
const MOST_INTERVALS = 500;
const WIDE_INTERVAL = 1.05;
/** Pixels of a link's roof to either side of the mark below. */
const HALF_LINK_ROOF = 11;

/** For a program's kernel among other points, an area in proportion to its share of the time. */
const radiusOf = ({ share }: PointView): number => (share === undefined ? 5 : Math.min(18, Math.max(3, 34 * Math.sqrt(share))));

/** The marks of a point that the switches leave. */
function marksOf(point: PointView, index: number, view: View, level: Level | 'all'): Mark[] {
  const marks: Mark[] = [];
  const add = (at: Place, work: Mark['work'], of: Level, isStrong: boolean): void => {
    if (at && (view.work === 'both' || view.work === work || point.share !== undefined)) marks.push({ point: index, level: of, work, at, isStrong, radius: radiusOf(point) });
  };
  if (level === 'dram') {
    add(point.useful, 'useful', 'dram', true);
    // Where the executed mark covers the useful one it is not drawn twice, unless it is all that is asked for.
    if (point.share === undefined) add(point.executed ?? (view.work === 'executed' ? point.useful : null), 'executed', 'dram', false);
    return marks;
  }
  for (const place of point.levels) {
    if (level !== 'all' && place.level !== level) continue;
    if (level === 'all') {
      const work = view.work === 'executed' && point.share === undefined ? 'executed' : 'useful';
      add(place[work], work, place.level, place.is_limiting);
    } else {
      add(place.useful, 'useful', place.level, true);
      if (point.share === undefined) add(place.executed, 'executed', place.level, false);
    }
  }
  return marks;
}

function shownMarks(view: View, experiment: ExperimentView | undefined): Mark[] {
  if (!experiment) return [];
  const level = levelOf(view, experiment);
  const best = new Set([...experiment.best, ...pinnedPoints(view, experiment)]);
  const isDrawn = (index: number): boolean => view.sizes === 'all' || experiment.best.length === 0 || best.has(index);
  return shownPoints(view, experiment).filter(isDrawn).flatMap((index) => marksOf(experiment.points[index] as PointView, index, view, level));
}

function wholeWindow(view: View, experiment: ExperimentView | undefined): Window {
  if (!experiment) return bareChart(view).axes;
  return levelOf(view, experiment) === 'dram' ? experiment.axes.dram : experiment.axes.levels;
}

const windows = new WeakMap<View, Window>();

/** What the chart shows: around the points unless the reader chose another part. */
export function windowOf(view: View, experiment: ExperimentView | undefined): Window {
  if (view.zoom === 'all') return wholeWindow(view, experiment);
  if (view.zoom) return view.zoom;
  const known = windows.get(view);
  if (known) return known;
  // Whichever point is chosen, the window stays.
  const unpinned = experiment && experiment.best.length > 0 ? { ...view, pins: [] } : view;
  const places = experiment?.isOfProgram ? programPlaces(view, experiment) : shownMarks(unpinned, experiment).map(({ at }) => ({ at, weight: 1 }));
  const roofs = shownRoofs({ ...view, pins: [] }, experiment);
  const window = windowAround(places, (ai) => attainable(ai, roofs)) ?? wholeWindow(view, experiment);
  windows.set(view, window);
  return window;
}

export interface Options { width: number; height: number; colours: Colours; title?: string }

/** Collects traces with the marks that they show. */
export class Traces {
  readonly data: Data[] = [];
  readonly marks: Mark[][] = [];

  add(trace: object, marks: Mark[] = []): void {
    this.data.push({ type: 'scatter', hoverinfo: marks.length > 0 ? 'none' : 'skip', showlegend: false, ...trace } as Data);
    this.marks.push(marks);
  }

  addRoofs(roofs: readonly ShownRoof[], plane: Plane, colours: Colours, isDimmed: boolean): void {
    for (const roof of roofs) {
      const line = lineOf(roof, roofs, plane);
      this.add({
        x: line.map(([x]) => x), y: line.map(([, y]) => y), mode: 'lines',
        line: {
          color: roof.isLit ? colours.accent : roof.isMain && !isDimmed ? colours.roof : colours.faint,
          width: roof.isLit ? 2.2 : roof.source === 'theoretical' || !roof.isMain ? 1 : 1.8,
          dash: roof.source === 'theoretical' ? 'dash' : 'solid',
        },
      });
    }
  }
}

const share = (pixel: Pixel, plane: Plane): Pixel => ({
  x: (pixel.x - plane.frame.left) / (plane.frame.right - plane.frame.left),
  y: (plane.height - MARGIN.bottom - pixel.y) / (plane.height - MARGIN.bottom - plane.frame.top),
});

/** Texts and lines at places of the screen. */
export function annotationsOf(roofs: readonly ShownRoof[], names: readonly Named[], marks: readonly Box[], plane: Plane, colours: Colours, joins: readonly (readonly [Pixel, Pixel])[] = []): Pick<Partial<Layout>, 'annotations' | 'shapes'> & { numbers: Set<string> } {
  const { labels, boxes } = roofLabels(roofs, plane, marks);
  const lines = linesOf(roofs, plane).map(({ line }) => line);
  const placed = placeLabels(names, { ...plane.frame, bottom: plane.height - MARGIN.bottom }, [...marks, ...boxes, titleBox(plane)], [...lines, ...joins]);
  const text = (content: string, at: Pixel, color: string, extra: Partial<Annotations> = {}): Partial<Annotations> => ({
    text: plain(content), xref: 'paper', yref: 'paper', showarrow: false, ...share(at, plane), xanchor: 'center', yanchor: 'middle', font: { size: 11, color }, ...extra,
  });
  return {
    numbers: new Set(placed.flatMap(({ text: content, number }) => (content === number ? [number] : []))),
    annotations: [
      ...labels.map((label) => text(label.text, label, label.isLit ? colours.accent : colours.muted, { textangle: String(label.angle) })),
      ...placed.map(({ text: content, box }) => text(content, { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 }, colours.ink)),
    ],
    shapes: placed.flatMap(({ leader }): Partial<Shape>[] => {
      if (!leader) return [];
      const [from, to] = leader.map((end) => share(end, plane)) as [Pixel, Pixel];
      return [{ type: 'line', xref: 'paper', yref: 'paper', x0: from.x, y0: from.y, x1: to.x, y1: to.y, line: { color: colours.muted, width: 0.8 } }];
    }),
  };
}

/** Where the title and the numbers of the lower axis stand, above a strip. */
function titleBox(plane: Plane): Box {
  const { left, right, bottom } = plane.frame;
  return { left, right, top: bottom - 1, bottom: plane.height - MARGIN.bottom > bottom ? bottom + MARGIN.bottom : bottom };
}

export function figureOf(view: View, experiment: ExperimentView | undefined, options: Options): Figure {
  if (experiment?.isOfProgram) return programFigure(view, experiment, options);
  const { width, height, colours } = options;
  const plane = new Plane(windowOf(view, experiment), width, height);
  const marks = shownMarks(view, experiment);
  const traces = new Traces();
  const roofs = shownRoofs(view, experiment);
  traces.addRoofs(roofs, plane, colours, false);
  const links = roofsOf(view, experiment) === 'theoretical' ? [] : linkRoofsOf(experiment, marks);
  addLinkRoofs(links, colours, traces);
  if (experiment) addMarks(experiment, marks, colours, traces);
  const layout = layoutOf(plane, experiment, colours);
  const boxes = [...marks.map((mark) => boxOf(plane.pixel(mark.at), mark.radius)), ...links.map(({ ai, roof }) => boxOf(plane.pixel([ai, roof]), HALF_LINK_ROOF))];
  const names = experiment && marks.length <= MOST_LABELS ? namesOf(experiment, marks, plane) : [];
  const { annotations, shapes } = annotationsOf(roofs, names, boxes, plane, colours);
  return { data: traces.data, layout: { ...layout, annotations, shapes } as Partial<Layout>, marks: traces.marks, plane, numbered: [] };
}

export const boxOf = ({ x, y }: Pixel, radius: number): Box => ({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius });

/** One mark of each point has its name: a filled one. */
function namesOf(experiment: ExperimentView, marks: readonly Mark[], plane: Plane): Named[] {
  const ofPoint = new Map<number, Named>();
  for (const mark of [...marks].sort((a, b) => Number(b.isStrong) - Number(a.isStrong))) {
    const at = plane.pixel(mark.at);
    if (!ofPoint.has(mark.point) && plane.holds(at)) ofPoint.set(mark.point, { text: experiment.points[mark.point]?.label ?? '', at, radius: mark.radius });
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

function addLinkRoofs(links: readonly LinkRoof[], colours: Colours, traces: Traces): void {
  if (links.length === 0) return;
  traces.add({
    x: links.flatMap(({ ai }) => [ai, ai, null]), y: links.flatMap(({ rate, roof }) => [rate, roof, null]), mode: 'lines',
    line: { color: colours.muted, width: 1, dash: 'dot' }, connectgaps: false,
  });
  traces.add({
    x: links.map(({ ai }) => ai), y: links.map(({ roof }) => roof), mode: 'markers', name: 'NVLink roof of the point below', showlegend: true,
    marker: { symbol: 'line-ew', size: 2 * HALF_LINK_ROOF, opacity: 1, color: colours.roof, line: { color: colours.roof, width: 2.2 } },
  });
}

function addMarks(experiment: ExperimentView, marks: Mark[], colours: Colours, traces: Traces): void {
  const size = marks.length > 1000 ? 6 : marks.length > 200 ? 8 : 10;
  experiment.families.forEach((family, number) => {
    const own = marks.filter((mark) => experiment.points[mark.point]?.family === family);
    if (own.length === 0) return;
    const colour = colours.family(family.colour);
    if (experiment.are_joined) traces.add(connections(own, colour));
    for (const isStrong of [false, true]) {
      const chosen = own.filter((mark) => mark.isStrong === isStrong);
      if (chosen.length === 0) continue;
      traces.add({
        x: chosen.map((mark) => mark.at[0]), y: chosen.map((mark) => mark.at[1]), mode: 'markers',
        name: plain(family.name), legendgroup: String(number), showlegend: isStrong,
        marker: {
          size: experiment.program ? chosen.map((mark) => 2 * mark.radius) : size, opacity: 1,
          symbol: new Set(own.map((mark) => mark.level)).size > 1 ? chosen.map((mark) => levelSymbol(mark.level)) : symbolOf(family),
          color: isStrong ? colour : colours.paper,
          line: { color: isStrong ? colours.paper : colour, width: isStrong ? 1 : 1.8 },
        },
        ...intervals(experiment, chosen, colour),
      }, chosen);
    }
  });
}

/** Thin lines between the marks of one point. */
function connections(marks: Mark[], colour: string): object {
  const x: (number | null)[] = [];
  const y: (number | null)[] = [];
  let last = -1;
  for (const { point, at } of marks) {
    if (point !== last && x.length > 0) {
      x.push(null);
      y.push(null);
    }
    x.push(at[0]);
    y.push(at[1]);
    last = point;
  }
  return { x, y, mode: 'lines', line: { color: colour, width: 1 }, opacity: 0.7, connectgaps: false };
}

/** Error bars, where one is wider than its mark. */
function intervals(experiment: ExperimentView, marks: Mark[], colour: string): object {
  const range = (mark: Mark): [number, number] | null => {
    const interval = mark.work === 'useful' ? experiment.points[mark.point]?.interval : null;
    return interval && interval[1] / interval[0] > WIDE_INTERVAL ? interval : null;
  };
  if (marks.length > MOST_INTERVALS || !marks.some(range)) return {};
  return {
    error_y: {
      type: 'data', symmetric: false, color: colour, thickness: 1.4, width: 4,
      array: marks.map((mark) => (range(mark)?.[1] ?? mark.at[1]) - mark.at[1]),
      arrayminus: marks.map((mark) => mark.at[1] - (range(mark)?.[0] ?? mark.at[1])),
    },
  };
}

/** Numbers on a logarithmic axis, as many as fit into `room` pixels: decades, or also 2 and 5 times each. */
function ticksOf([low, high]: [number, number], room: number, each: number): { tickvals: number[]; ticktext: string[]; minor: number[] } {
  const decades = Math.log10(high / low);
  const most = Math.max(2, room / each);
  const steps = 3 * decades <= most ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil(decades / most));
  const values = logTicks([low, high], steps, every);
  // A narrow window may lie between two of them.
  if (values.length < 2) values.splice(0, values.length, ...[0.1, 0.5, 0.9].map((part) => Number((low * (high / low) ** part).toPrecision(2))));
  const minor = decades < 9 ? logTicks([low, high], [2, 3, 4, 5, 6, 7, 8, 9]) : [];
  return { tickvals: values, ticktext: values.map(tick), minor: minor.filter((value) => !values.includes(value)) };
}

export function layoutOf(plane: Plane, experiment: ExperimentView | undefined, colours: Colours): Partial<Layout> {
  const operations = experiment?.operations ?? 'FLOP';
  const log = (range: [number, number]): [number, number] => [Math.log10(range[0]), Math.log10(range[1])];
  const axis = {
    type: 'log', automargin: false, gridcolor: colours.grid, gridwidth: 1, linecolor: colours.line, mirror: true, ticks: 'outside',
    tickcolor: colours.line, fixedrange: false, zeroline: false, tickfont: { size: 11 },
  };
  const { left, right, top, bottom } = plane.frame;
  const numbers = (range: [number, number], room: number, each: number): object => {
    const { minor, ...major } = ticksOf(range, room, each);
    return { ...major, minor: { tickmode: 'array', tickvals: minor, showgrid: true, gridcolor: colours.gridMinor } };
  };
  return {
    width: plane.width, height: plane.height,
    margin: { l: MARGIN.left, r: MARGIN.right, t: MARGIN.top, b: MARGIN.bottom },
    paper_bgcolor: colours.paper, plot_bgcolor: colours.paper,
    font: { family: 'Inter, system-ui, "Helvetica Neue", Arial, sans-serif', size: 12, color: colours.ink },
    showlegend: false, hovermode: 'closest', hoverdistance: 14,
    xaxis: { ...axis, ...numbers(plane.window.ai, right - left, 62), range: log(plane.window.ai), title: { text: `Arithmetic intensity (${operations}/byte)`, standoff: 6 } },
    yaxis: { ...axis, ...numbers(plane.window.rate, bottom - top, 34), range: log(plane.window.rate), title: { text: `Performance (${operations}/s)`, standoff: 4 } },
  } as Partial<Layout>;
}
