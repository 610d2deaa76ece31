// SPDX-License-Identifier: Apache-2.0
// A roofline in SVG: axes, roofs, lines, marks, names. What moves with the plane is in one group, so that a drag costs little.
import { axesOf, BASELINE } from './axes';
import { placeLabels, type Named, type PlacedLabel } from './labels';
import { MARGIN, Plane, type Box, type Pixel, type Shift } from './plane';
import { linesOf, roofLabels, type RoofLabel, type ShownRoof } from './roof_lines';
import { draw, short } from './svg';
import type { Colours } from '../theme';

export const FONT = 'Inter, system-ui, "Helvetica Neue", Arial, sans-serif';

export interface Stroke { colour: string; width: number; dash?: string; opacity?: number; kind?: string }
/** Of marks, as far as they do not have their own. */
export interface Look { fill: string; stroke: string; width: number }
/** `outline`: of a mark whose radius is `unit`, around the origin. */
export interface Spot { at: Pixel; radius: number; outline: string; unit: number; fill?: string; opacity?: number }

type Ends = readonly [Pixel, Pixel];

/** More marks of one look than this are joined, this many to an element. */
const MOST_SINGLE = 500;
const JOINED = 100;

let count = 0;

export class Drawing {
  readonly svg: SVGSVGElement;
  private axes: SVGGElement;
  private readonly moving = draw('g', { class: 'moving' });

  constructor(readonly plane: Plane, private readonly operations: string, private readonly colours: Colours) {
    const { width, height, frame: { left, top, right, bottom } } = plane;
    const clip = `plane-${++count}`;
    const viewBox = `0 0 ${width} ${height}`;
    this.axes = axesOf(plane, operations, colours);
    this.svg = draw('svg', { width, height, viewBox, 'font-family': FONT, 'font-size': 11, 'aria-hidden': 'true' },
      draw('clipPath', { id: clip },
        draw('rect', { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) })),
      draw('rect', { class: 'paper', width, height, fill: colours.paper }),
      this.axes,
      draw('g', { 'clip-path': `url(#${clip})` }, this.moving));
  }

  /** Moves everything but the axes, whose numbers change instead. */
  shift(shift: Shift): void {
    this.moving.setAttribute('transform', `translate(${short(shift.x)} ${short(shift.y)}) scale(${shift.scale})`);
    const axes = axesOf(this.plane.shifted(shift), this.operations, this.colours);
    this.axes.replaceWith(axes);
    this.axes = axes;
  }

  /** Where the plane ends nothing of this is cut off, and it stays where it is when the plane is moved. */
  addFixed(...nodes: Node[]): void {
    this.svg.append(...nodes);
  }

  addMoving(...nodes: Node[]): void {
    this.moving.append(...nodes);
  }

  addRoofs(roofs: readonly ShownRoof[], isDimmed: boolean): void {
    const { colours } = this;
    for (const { roof, line } of linesOf(roofs, this.plane)) {
      this.addLines([line], {
        kind: 'roof', colour: roof.isLit ? colours.accent : roof.isMain && !isDimmed ? colours.roof : colours.faint,
        width: roof.isLit ? 2.2 : roof.source === 'theoretical' || !roof.isMain ? 1 : 1.8,
        ...(roof.source === 'theoretical' ? { dash: '9 6' } : {}),
      });
    }
  }

  addLines(lines: readonly (readonly Pixel[])[], { colour, width, dash, opacity, kind = 'join' }: Stroke): void {
    const d = lines.map((line) => `M${line.map(({ x, y }) => `${short(x)} ${short(y)}`).join('L')}`).join('');
    this.addMoving(draw('path', {
      class: kind, d, fill: 'none', stroke: colour, 'stroke-width': width, 'stroke-dasharray': dash ?? null, opacity: opacity ?? null,
    }));
  }

  addMarks(spots: readonly Spot[], look: Look, kind = 'marks'): void {
    this.addMoving(marksOf(spots, look, kind));
  }

  /**
   * Names of roofs and of marks, none over `taken`, across `joins`, or over another; returns the numbers that stand in place of
   * names.
   */
  addNames(roofs: readonly ShownRoof[], names: readonly Named[], taken: readonly Box[], joins: readonly Ends[] = []): Set<string> {
    const { plane } = this;
    const { labels, boxes } = roofLabels(roofs, plane, taken);
    const lines = linesOf(roofs, plane).map(({ line }) => line);
    const whole = { ...plane.frame, bottom: plane.height - MARGIN.bottom };
    const placed = placeLabels(names, whole, [...taken, ...boxes, titleBox(plane)], [...lines, ...joins]);
    this.addMoving(...labels.flatMap((label) => this.roofName(label)));
    for (const label of placed) {
      if (label.at.y <= plane.frame.bottom) this.addMoving(...this.nameAndLeader(label));
      else this.addFixed(...this.nameAndLeader(label));
    }
    return new Set(placed.flatMap(({ text, number }) => (text === number ? [number] : [])));
  }

  private roofName({ text, x, y, angle, isLit, leader }: RoofLabel): SVGElement[] {
    const turn = angle === 0 ? null : `rotate(${short(angle)} ${short(x)} ${short(y)})`;
    const name = nameOf(text, { x, y }, isLit ? this.colours.accent : this.colours.muted, turn);
    for (const [key, value] of Object.entries({ 'paint-order': 'stroke', stroke: this.colours.paper, 'stroke-width': '3' })) name.setAttribute(key, value);
    return [...this.leader(leader), name];
  }

  private nameAndLeader({ text, box, leader }: PlacedLabel): SVGElement[] {
    const middle = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
    return [...this.leader(leader), nameOf(text, middle, this.colours.ink)];
  }

  private leader(ends: [Pixel, Pixel] | null | undefined): SVGElement[] {
    if (!ends) return [];
    const [from, to] = ends;
    const places = { x1: short(from.x), y1: short(from.y), x2: short(to.x), y2: short(to.y) };
    return [draw('line', { class: 'leader', ...places, stroke: this.colours.muted, 'stroke-width': 0.8 })];
  }
}

/** Where the title and the numbers of the lower axis stand, above a strip. */
function titleBox({ frame, height }: Plane): Box {
  const below = height - MARGIN.bottom;
  return { ...frame, top: frame.bottom - 1, bottom: below > frame.bottom ? frame.bottom + MARGIN.bottom : frame.bottom };
}

function nameOf(text: string, { x, y }: Pixel, fill: string, turn: string | null = null): SVGTextElement {
  return draw('text', { class: 'name', x: short(x), y: short(y + BASELINE), 'text-anchor': 'middle', fill, transform: turn }, text);
}

/** Numbers of an arc that are before its end: two radii, an angle, two flags. */
const BEFORE_END = 5;

/** The outline at a place, this much larger. */
function outlineAt(outline: string, scale: number, { x, y }: Pixel): string {
  return outline.replace(/([MLA])([^A-Z]*)/g, (_, command: string, text: string) => {
    const first = command === 'A' ? BEFORE_END : 0;
    const numbers = (text.match(/-?[\d.]+/g) ?? []).map((digits, i) => {
      if (i >= 2 && i < first) return digits;
      const offset = i < first ? 0 : (i - first) % 2 === 0 ? x : y;
      return short(Number(digits) * scale + offset);
    });
    return command + numbers.join(' ');
  });
}

/** One element each or, if they are very many, few in all. */
export function marksOf(spots: readonly Spot[], { fill, stroke, width }: Look, kind = 'marks'): SVGGElement {
  const group = draw('g', { class: kind, fill, stroke, 'stroke-width': width });
  const outlines = spots.map(({ at, radius, outline, unit }) => outlineAt(outline, radius / unit, at));
  if (spots.length <= MOST_SINGLE) {
    group.append(...spots.map(({ fill: own = null, opacity = null }, i) => draw('path', { d: outlines[i] ?? '', fill: own, opacity })));
    return group;
  }
  // The edge of one is not to be seen on another.
  group.setAttribute('paint-order', 'stroke');
  for (let i = 0; i < outlines.length; i += JOINED) group.append(draw('path', { d: outlines.slice(i, i + JOINED).join('') }));
  return group;
}
