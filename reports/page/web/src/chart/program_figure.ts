// SPDX-License-Identifier: Apache-2.0
// The roofline of a program: a mark per group of launches, its area their share of the time that is shown.
import { stripOf } from './axes';
import { data, LEVELS, wordsFor, type ExperimentView, type GroupView, type Level } from '../data';
import { Drawing, marksOf, type Look, type Spot } from './drawing';
import type { Entry, Figure, Mark, Options, Ranked } from './figure_parts';
import { percent, wholePercent } from '../format';
import type { Named } from './labels';
import { OUTLINE_RADIUS, outlineOf, shapeOfLevel } from './marks';
import { cutApart, shortened } from '../names';
import { boxOf, MARGIN, overlap, Plane, type Box, type Pixel } from './plane';
import { otherAt, partsOf, placeAt, placedPhases, ranksOf, shareAt, type Shown } from './program_parts';
import { shownRoofs } from './roofs';
import { sumOf } from '../sums';
import type { Colours } from '../theme';
import { pinnedPoints, type View } from '../view';
import { windowOf } from './window';

const MOST_NAMES = 8;
const LONGEST_NAME = 50;
const STRIP = 78;
const STRIP_GAP = 46;
const RANGE_RADIUS = 6.5;
const LEVEL_RADIUS = 5.5;
const MOST_RANGES = 40;
const CIRCLE = 0;
const SQUARE = 1;
const DIAMOND = 3;

/** Names with a smaller order come first. */
type Ordered = Named & { order: number };
/** A mark of a group that is in sight. */
interface Seen { shown: Shown; at: Pixel; radius: number }

const radiusOf = (part: number): number => Math.min(24, Math.max(4, 48 * Math.sqrt(part)));
const levelName = (level: Level): string => data.levels.find(({ id }) => id === level)?.name ?? level;

function colourOfBound(bound: string, colours: Colours): string {
  const { colour } = wordsFor(bound);
  return colour === null ? colours.unknown : colours.family(colour);
}

/** Above and below the middle of the strip, so that no mark covers another if there is room. */
function stacked(marks: readonly { x: number; radius: number }[], { top, bottom }: Box): Pixel[] {
  const middle = (top + bottom) / 2;
  const taken: Box[] = [];
  return marks.map(({ x, radius }) => {
    const steps = Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? 1 : -1) * Math.ceil(i / 2) * 3);
    const candidates = steps.map((step) => ({ x, y: middle + step })).filter(({ y }) => y - radius >= top && y + radius <= bottom);
    const isFree = (candidate: Pixel): boolean => !taken.some((other) => overlap(other, boxOf(candidate, radius)));
    const place = candidates.find(isFree) ?? { x, y: middle };
    taken.push(boxOf(place, radius));
    return place;
  });
}

/** Draws one part of the figure after another; later ones lie above. */
class ProgramFigure {
  readonly marks: Mark[] = [];
  private readonly parts;
  private readonly chosen: GroupView | undefined;
  private readonly strip: Shown[];
  private readonly plane: Plane;
  private readonly drawing: Drawing;
  private readonly ranks: Map<number, number>;
  private readonly mostLetters: number;
  private readonly boxes: Box[] = [];
  private readonly names: Ordered[] = [];
  private readonly seen: Seen[] = [];
  private joins: [Pixel, Pixel][] = [];

  constructor(private readonly view: View, private readonly experiment: ExperimentView, private readonly options: Options) {
    const { width, height, colours } = options;
    this.parts = partsOf(view, experiment);
    this.ranks = ranksOf(view, experiment);
    this.chosen = experiment.points[pinnedPoints(view, experiment).at(-1) ?? -1] as GroupView | undefined;
    const { drawn, level } = this.parts;
    this.strip = drawn.filter(({ point }) => placeAt(point, level) === null && shareAt(point, level) !== null);
    this.plane = new Plane(windowOf(view, experiment), width, height, this.strip.length > 0 ? STRIP + STRIP_GAP : 0);
    this.drawing = new Drawing(this.plane, experiment.operations, colours);
    this.mostLetters = Math.min(LONGEST_NAME, Math.max(18, Math.round(width / 18)));
  }

  draw(): Figure {
    const roofs = shownRoofs(this.view, this.experiment);
    this.drawing.addRoofs(roofs, this.chosen !== undefined);
    this.addOthers();
    this.addPlaced();
    if (this.chosen) this.addLevels(this.chosen);
    if (this.view.phaseMarks) this.addPhases();
    if (this.view.rangeMarks) this.addRanges();
    if (this.strip.length > 0) this.addStrip();
    const ranked = this.nameSeen();
    this.names.sort((a, b) => a.order - b.order);
    const numbers = this.drawing.addNames(roofs, this.names, this.boxes, this.joins);
    const numbered = ranked.filter(({ rank }) => numbers.has(String(rank)));
    return { drawing: this.drawing, marks: this.marks, numbered, legend: this.legend(numbered) };
  }

  private get colours(): Colours {
    return this.options.colours;
  }

  private rankOf({ index }: Shown): number {
    return this.ranks.get(index) as number;
  }

  private addName(text: string, at: Pixel, radius: number, order: number): void {
    this.names.push({ text: shortened(text, this.mostLetters), at, radius, order });
  }

  private markOf({ index, part }: Shown, at: Mark['at'], pixel?: Pixel): Mark {
    const mark: Mark = { point: index, level: this.parts.level, work: 'useful', at, isStrong: true, radius: radiusOf(part) };
    return pixel ? { ...mark, pixel } : mark;
  }

  /** A mark of a group: its shape that of its type, its colour that of what bounds it. */
  private spotOf({ point, part }: Shown, at: Pixel): Spot {
    const isDim = this.view.phaseMarks || (this.chosen !== undefined && point !== this.chosen);
    return {
      at, radius: radiusOf(part), outline: outlineOf(point.group.shape), unit: OUTLINE_RADIUS,
      fill: colourOfBound(point.bound, this.colours), opacity: isDim ? 0.45 : 0.9,
    };
  }

  private get look(): Look {
    return { fill: this.colours.faint, stroke: this.colours.paper, width: 1 };
  }

  /** The groups without a mark of their own, together. */
  private addOthers(): void {
    const { folded, level, total } = this.parts;
    const other = sumOf(folded);
    const place = level === 'dram' ? otherAt(other) : null;
    if (!place) return;
    const at = this.plane.pixel(place);
    const radius = radiusOf(other.total / total);
    const spot = { at, radius, outline: outlineOf(CIRCLE), unit: OUTLINE_RADIUS };
    this.drawing.addMarks([spot], { fill: this.colours.paper, stroke: this.colours.muted, width: 1.5 });
    if (!this.plane.holds(at)) return;
    this.boxes.push(boxOf(at, radius));
    const share = percent(other.total / total);
    const name = folded.length === 1 ? `1 smaller group, ${share}` : `${folded.length} smaller groups together, ${share}`;
    this.addName(name.length <= this.mostLetters ? name : `${folded.length} smaller, ${share}`, at, radius, MOST_NAMES + 0.5);
  }

  private addPlaced(): void {
    const placed = this.parts.drawn.flatMap((shown) => {
      const place = placeAt(shown.point, this.parts.level);
      return place ? [{ shown, place, at: this.plane.pixel(place) }] : [];
    });
    this.marks.push(...placed.map(({ shown, place }) => this.markOf(shown, place)));
    this.drawing.addMarks(placed.map(({ shown, at }) => this.spotOf(shown, at)), this.look);
    for (const { shown, at } of placed) if (this.plane.holds(at)) this.see(shown, at);
  }

  private see(shown: Shown, at: Pixel): void {
    const radius = radiusOf(shown.part);
    this.boxes.push(boxOf(at, radius));
    this.seen.push({ shown, at, radius });
  }

  /** The chosen kernel at the other levels, and the line that joins them to its mark. */
  private addLevels(chosen: GroupView): void {
    const { plane } = this;
    const places = LEVELS.flatMap((of) => {
      const place = placeAt(chosen, of);
      return place ? [{ of, place, at: plane.pixel(place) }] : [];
    });
    if (places.length < 2) return;
    const colour = colourOfBound(chosen.bound, this.colours);
    const line = places.map(({ at }) => at).sort((a, b) => a.x - b.x);
    this.drawing.addLines([line], { colour, width: 1.2 });
    this.joins = [[line[0] as Pixel, line.at(-1) as Pixel]];
    const others = places.filter(({ of }) => of !== this.parts.level);
    const spots = others.map(({ of, at }) => ({ at, radius: LEVEL_RADIUS, outline: outlineOf(shapeOfLevel(of)), unit: OUTLINE_RADIUS }));
    this.drawing.addMarks(spots, { fill: this.colours.paper, stroke: colour, width: 2 });
    for (const { of, at } of others) {
      if (!plane.holds(at)) continue;
      this.boxes.push(boxOf(at, 6));
      const share = shareAt(chosen, of);
      this.addName(share === null ? levelName(of) : `${levelName(of)} ${wholePercent(share)}`, at, 6, -0.5);
    }
  }

  /**
   * The path of the program: a mark for each phase, its area the phase's share of the time, later ones darker, and a line
   * through them.
   */
  private addPhases(): void {
    const phases = placedPhases(this.view, this.experiment);
    const all = phases.reduce((sum, { phase }) => sum + phase.duration_ns, 0);
    const marks = phases.map(({ phase: { start_ns, duration_ns }, at }): Mark => {
      const time: Mark['time'] = [start_ns, start_ns + duration_ns];
      return { point: -1, level: 'dram', work: 'useful', at, isStrong: true, radius: radiusOf(duration_ns / all), time };
    });
    const pixels = marks.map(({ at }) => this.plane.pixel(at));
    this.marks.push(...marks);
    this.drawing.addLines([pixels], { colour: this.colours.accent, width: 1, dash: '3 3', opacity: 0.7 });
    this.drawing.addMarks(marks.map(({ radius }, i): Spot => {
      const opacity = 0.3 + (0.55 * i) / Math.max(1, marks.length - 1);
      return { at: pixels[i] as Pixel, radius, outline: outlineOf(CIRCLE), unit: OUTLINE_RADIUS, opacity };
    }), { fill: this.colours.accent, stroke: this.colours.ink, width: 1.2 });
    const named = new Set<string>();
    marks.forEach(({ radius }, i) => {
      const at = pixels[i] as Pixel;
      const text = phases[i]?.phase.name ?? '';
      if (!this.plane.holds(at)) return;
      this.boxes.push(boxOf(at, radius));
      if (!named.has(text) && named.size < MOST_NAMES) this.addName(text, at, radius, -0.45 + i / 1000);
      named.add(text);
    });
  }

  /** A hollow mark for each NVTX range below the chosen one. */
  private addRanges(): void {
    const { range } = this.view;
    const isBelow = (path: string): boolean => path !== '' && (range === null || path === range || path.startsWith(`${range}/`));
    const marks = (this.experiment.program?.ranges ?? []).filter(({ path }) => isBelow(path)).sort((a, b) => b.share - a.share)
      .flatMap(({ path, ai, rate }): Mark[] => (ai !== null && rate !== null && ai > 0 && rate > 0
        ? [{ point: -1, level: 'dram', work: 'useful', at: [ai, rate], isStrong: false, radius: RANGE_RADIUS, range: path }] : []))
      .slice(0, MOST_RANGES);
    const pixels = marks.map(({ at }) => this.plane.pixel(at));
    this.marks.push(...marks);
    const spots = pixels.map((at): Spot => ({ at, radius: RANGE_RADIUS, outline: outlineOf(DIAMOND), unit: OUTLINE_RADIUS }));
    this.drawing.addMarks(spots, { fill: this.colours.paper, stroke: this.colours.ink, width: 2 });
    pixels.forEach((at, i) => {
      if (!this.plane.holds(at)) return;
      this.boxes.push(boxOf(at, RANGE_RADIUS));
      if (i < MOST_NAMES) this.addName(marks[i]?.range ?? '', at, RANGE_RADIUS, -0.4 + i / 1000);
    });
  }

  /** Groups without operations, by their share of the level's bandwidth. */
  private addStrip(): void {
    const { level } = this.parts;
    const { plane, strip } = this;
    const { left, right } = plane.frame;
    const bottom = plane.height - MARGIN.bottom;
    const box = { left, right, top: bottom - STRIP, bottom };
    const shares = strip.map(({ point }) => shareAt(point, level) as number);
    const most = Math.max(1, ...shares) * 1.04;
    const xOf = (i: number): number => left + ((shares[i] as number) / most) * (right - left);
    const pixels = stacked(strip.map(({ part }, i) => ({ x: xOf(i), radius: radiusOf(part) })), box);
    this.marks.push(...strip.map((shown, i) => this.markOf(shown, [shares[i] as number, 1], pixels[i] as Pixel)));
    const name = levelName(level);
    const title = plane.width < 600 ? `No FLOP count: % of ${name}` : `Kernels without a FLOP count: % of ${name} bandwidth`;
    const spots = strip.map((shown, i) => this.spotOf(shown, pixels[i] as Pixel));
    this.drawing.addFixed(stripOf(plane, box, most, title, this.colours), marksOf(spots, this.look));
    strip.forEach((shown, i) => this.see(shown, pixels[i] as Pixel));
  }

  /** Names the largest groups and the chosen one. */
  private nameSeen(): Ranked[] {
    const cut = cutApart(this.parts.drawn.map(({ point }) => point.label), this.mostLetters);
    const named = this.seen.sort((a, b) => this.rankOf(a.shown) - this.rankOf(b.shown))
      .filter(({ shown }, place) => place < MOST_NAMES || shown.point === this.chosen);
    return named.map(({ shown, at, radius }) => {
      const rank = this.rankOf(shown);
      const { label } = shown.point;
      const order = shown.point === this.chosen ? -1 : rank;
      this.names.push({ text: `${rank} ${cut.get(label) ?? label}`, number: String(rank), at, radius, order });
      return { point: shown.index, rank };
    });
  }

  /** What the colours mean, and the names in whose place there are numbers. */
  private legend(numbered: readonly Ranked[]): Entry[] {
    const bounds = data.bounds.filter(({ id }) => this.parts.drawn.some(({ point }) => point.bound === id));
    const entry = (text: string, shape: number, bound: string): Entry =>
      ({ text, outline: outlineOf(shape), fill: colourOfBound(bound, this.colours), stroke: 'none' });
    return [
      ...bounds.map(({ id, legend }) => entry(legend, SQUARE, id)),
      ...numbered.map(({ point, rank }) => {
        const { label, group, bound } = this.experiment.points[point] as GroupView;
        return entry(`${rank} ${label}`, group.shape, bound);
      }),
    ];
  }
}

export const programFigure = (view: View, experiment: ExperimentView, options: Options): Figure =>
  new ProgramFigure(view, experiment, options).draw();
