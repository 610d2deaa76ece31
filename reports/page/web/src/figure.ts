// SPDX-License-Identifier: Apache-2.0
// What Plotly is to draw for a view.
import type { Annotations, Data, Layout } from 'plotly.js-basic-dist-min';
import { data, type ExperimentView, type Level, type Place, type PointView, type Window } from './data';
import { levelSymbol, symbolOf } from './marks';
import { MARGIN, overlap, Plane, type Box } from './plane';
import { lineOf, plain, roofLabels, shownRoofs, textWidth } from './roofs';
import type { Colours } from './theme';
import { levelOf, shownPoints, type View } from './view';

/** A mark in the chart: of a point, of its useful or executed work, at a level. */
export interface Mark { point: number; level: Level; work: 'useful' | 'executed'; at: NonNullable<Place>; isStrong: boolean }

export interface Figure { data: Data[]; layout: Partial<Layout>; marks: Mark[][] }

const MOST_LABELS = 60;
const MOST_PROGRAM_LABELS = 10;
const MOST_INTERVALS = 500;
const WIDE_INTERVAL = 1.05;

/** The marks of a point that the switches leave. */
export function marksOf(point: PointView, index: number, view: View, level: Level | 'all'): Mark[] {
  const marks: Mark[] = [];
  const add = (at: Place, work: Mark['work'], of: Level, isStrong: boolean): void => {
    if (at && (view.work === 'both' || view.work === work || point.share !== undefined)) marks.push({ point: index, level: of, work, at, isStrong });
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

export function axesOf(view: View, experiment: ExperimentView | undefined): Window {
  if (!experiment) return data.run.axes;
  return levelOf(view, experiment) === 'dram' ? experiment.axes.dram : experiment.axes.levels;
}

export function shownMarks(view: View, experiment: ExperimentView | undefined): Mark[] {
  if (!experiment) return [];
  const level = levelOf(view, experiment);
  return shownPoints(view, experiment).flatMap((index) => marksOf(experiment.points[index] as PointView, index, view, level));
}

interface Options { width: number; height: number; colours: Colours; title?: string }

export function figureOf(view: View, experiment: ExperimentView | undefined, options: Options): Figure {
  const { width, height, colours } = options;
  const plane = new Plane(view.zoom ?? axesOf(view, experiment), width, height);
  const marks = shownMarks(view, experiment);
  const traces: Data[] = [];
  const marksOfTraces: Mark[][] = [];
  const add = (trace: Data, traceMarks: Mark[] = []): void => {
    traces.push({ type: 'scatter', hoverinfo: traceMarks.length > 0 ? 'none' : 'skip', showlegend: false, ...trace } as Data);
    marksOfTraces.push(traceMarks);
  };

  const roofs = shownRoofs(view, experiment);
  for (const roof of roofs) {
    const line = lineOf(roof, roofs, plane);
    add({
      x: line.map(([x]) => x), y: line.map(([, y]) => y), mode: 'lines',
      line: {
        color: roof.isMain ? colours.roof : colours.faint,
        width: roof.source === 'theoretical' || !roof.isMain ? 1 : 1.8,
        dash: roof.source === 'theoretical' ? 'dash' : 'solid',
      },
    });
  }
  if (experiment) addMarks(experiment, marks, colours, add);
  if (experiment && (experiment.program || marks.length <= MOST_LABELS)) add(pointLabels(experiment, labelled(experiment, marks), plane, colours));

  const layout = layoutOf(plane, experiment, colours);
  layout.annotations = roofLabels(roofs, plane).map((label): Partial<Annotations> => ({
    text: plain(label.text), xref: 'paper', yref: 'paper', showarrow: false, textangle: String(label.angle),
    x: (label.x - plane.frame.left) / (plane.frame.right - plane.frame.left),
    y: (plane.frame.bottom - label.y) / (plane.frame.bottom - plane.frame.top),
    xanchor: 'center', yanchor: 'middle', font: { size: 11, color: colours.muted },
  }));
  return { data: traces, layout, marks: marksOfTraces };
}

/** Of a program, the kernels that took longest have their names; every mark of other experiments has. */
function labelled(experiment: ExperimentView, marks: Mark[]): Mark[] {
  if (!experiment.program) return marks;
  const share = (mark: Mark): number => experiment.points[mark.point]?.share ?? 0;
  const isKernel = (mark: Mark): boolean => experiment.points[mark.point]?.share !== undefined;
  const longest = [...new Set(marks.filter(isKernel).sort((a, b) => share(b) - share(a)).map((mark) => mark.point))].slice(0, MOST_PROGRAM_LABELS);
  return marks.filter((mark) => !isKernel(mark) || longest.includes(mark.point));
}

/** Of a program’s kernel, an area in proportion to its share of the time, as in the pictures. */
function sizeOf(experiment: ExperimentView, mark: Mark, otherwise: number): number {
  const share = experiment.points[mark.point]?.share;
  return share === undefined ? otherwise : Math.min(36, Math.max(5, 68 * Math.sqrt(share)));
}

function addMarks(experiment: ExperimentView, marks: Mark[], colours: Colours, add: (trace: Data, marks?: Mark[]) => void): void {
  const size = marks.length > 1000 ? 6 : marks.length > 200 ? 8 : 10;
  experiment.families.forEach((family, number) => {
    const own = marks.filter((mark) => experiment.points[mark.point]?.family === family);
    // Large marks first: they would cover the small ones.
    if (experiment.program) own.sort((a, b) => sizeOf(experiment, b, size) - sizeOf(experiment, a, size));
    if (own.length === 0) return;
    const colour = colours.family(family.colour);
    if (experiment.are_joined) add(connections(own, colour));
    for (const isStrong of [false, true]) {
      const chosen = own.filter((mark) => mark.isStrong === isStrong);
      if (chosen.length === 0) continue;
      add({
        x: chosen.map((mark) => mark.at[0]), y: chosen.map((mark) => mark.at[1]), mode: 'markers',
        name: plain(family.name), legendgroup: String(number), showlegend: isStrong,
        marker: {
          size: experiment.program ? chosen.map((mark) => sizeOf(experiment, mark, size)) : size, opacity: 1,
          symbol: new Set(own.map((mark) => mark.level)).size > 1 ? chosen.map((mark) => levelSymbol(mark.level)) : symbolOf(family),
          color: isStrong ? colour : colours.paper,
          line: { color: isStrong ? colours.paper : colour, width: isStrong ? 1 : 1.8 },
        },
        ...intervals(experiment, chosen, colour),
      } as Data, chosen);
    }
  });
}

/** Thin lines between the marks of one point. */
function connections(marks: Mark[], colour: string): Data {
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
  return { x, y, mode: 'lines', line: { color: colour, width: 1 }, opacity: 0.7, connectgaps: false } as Data;
}

/** Error bars, where one is wider than its mark. */
function intervals(experiment: ExperimentView, marks: Mark[], colour: string): Partial<Data> {
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
  } as Partial<Data>;
}

/** Names beside the marks, as many as fit without covering each other; zooming in shows more. */
function pointLabels(experiment: ExperimentView, marks: Mark[], plane: Plane, colours: Colours): Data {
  const radius = (mark: Mark): number => sizeOf(experiment, mark, 10) / 2;
  const taken: Box[] = marks.map((mark) => {
    const { x, y } = plane.pixel(mark.at);
    const r = radius(mark);
    return { left: x - r, right: x + r, top: y - r, bottom: y + r };
  });
  const labelled = new Set<number>();
  const x: number[] = [];
  const y: number[] = [];
  const text: string[] = [];
  const positions: string[] = [];
  for (const mark of [...marks].sort((a, b) => Number(b.isStrong) - Number(a.isStrong))) {
    const pixel = plane.pixel(mark.at);
    const label = experiment.points[mark.point]?.label ?? '';
    if (labelled.has(mark.point) || !plane.holds(pixel)) continue;
    const width = textWidth(label) + 4;
    const gap = radius(mark) + 2;
    const boxes: [string, Box][] = [
      ['middle right', { left: pixel.x + gap, right: pixel.x + gap + width, top: pixel.y - 7, bottom: pixel.y + 7 }],
      ['middle left', { left: pixel.x - gap - width, right: pixel.x - gap, top: pixel.y - 7, bottom: pixel.y + 7 }],
    ];
    const free = boxes.find(([, box]) => box.left >= plane.frame.left && box.right <= plane.frame.right && !taken.some((other) => overlap(box, other)));
    if (!free) continue;
    taken.push(free[1]);
    labelled.add(mark.point);
    x.push(mark.at[0]);
    y.push(mark.at[1]);
    // Plotly has no distance between a place and its text but spaces, of which two clear the usual mark.
    const space = '\u00a0'.repeat(Math.max(2, Math.ceil((gap - 1) / 3)));
    text.push(free[0] === 'middle right' ? `${space}${plain(label)}` : `${plain(label)}${space}`);
    positions.push(free[0]);
  }
  return { x, y, text, mode: 'text', textposition: positions, textfont: { size: 11, color: colours.ink }, cliponaxis: true } as Data;
}

function layoutOf(plane: Plane, experiment: ExperimentView | undefined, colours: Colours): Partial<Layout> {
  const operations = experiment?.operations ?? 'FLOP';
  const log = (range: [number, number]): [number, number] => [Math.log10(range[0]), Math.log10(range[1])];
  // Whole decades alone have a number, unless there are few of them.
  const ticks = (range: [number, number]): object => (range[1] / range[0] > 300 ? { dtick: 1 } : {});
  const axis = {
    type: 'log', automargin: false, gridcolor: colours.grid, gridwidth: 1, linecolor: colours.line, mirror: true, ticks: 'outside',
    tickcolor: colours.line, minor: { showgrid: true, gridcolor: colours.gridMinor }, fixedrange: false, zeroline: false, tickfont: { size: 11 },
  };
  return {
    width: plane.width, height: plane.height,
    margin: { l: MARGIN.left, r: MARGIN.right, t: MARGIN.top, b: MARGIN.bottom },
    paper_bgcolor: colours.paper, plot_bgcolor: colours.paper,
    font: { family: 'Inter, system-ui, "Helvetica Neue", Arial, sans-serif', size: 12, color: colours.ink },
    showlegend: false, hovermode: 'closest', hoverdistance: 14,
    xaxis: { ...axis, ...ticks(plane.window.ai), range: log(plane.window.ai), exponentformat: 'none', title: { text: `Arithmetic intensity (${operations}/byte)`, standoff: 6 } },
    yaxis: { ...axis, ...ticks(plane.window.rate), range: log(plane.window.rate), exponentformat: 'SI', title: { text: `Performance (${operations}/s)`, standoff: 4 } },
  } as Partial<Layout>;
}
