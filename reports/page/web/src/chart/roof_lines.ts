// SPDX-License-Identifier: Apache-2.0
// Roofs as lines of the chart, and their labels.
import type { Roof } from '../generated/page_data';
import { overlap, Plane, type Box, type Pixel } from './plane';

/** A roof that is drawn. Those that are not main are thin lines without a name; lit ones are those of the chosen kernel. */
export type ShownRoof = Roof & { index: number; isMain: boolean; isLit: boolean };

/** Performance at an intensity under the highest roofs of each kind. */
export function attainable(ai: number, roofs: readonly ShownRoof[]): number {
  const memory = highest(roofs, 'bandwidth');
  const compute = highest(roofs, 'compute');
  return Math.min(memory ? memory.value * ai : Infinity, compute?.value ?? Infinity);
}

/** Where the highest roofs of both kinds meet; null without both. */
export function ridgeOf(roofs: readonly ShownRoof[]): number | null {
  const memory = highest(roofs, 'bandwidth');
  const compute = highest(roofs, 'compute');
  return memory && compute ? compute.value / memory.value : null;
}

function highest(roofs: readonly ShownRoof[], kind: Roof['kind']): ShownRoof | undefined {
  return roofs.filter((roof) => roof.kind === kind).reduce<ShownRoof | undefined>((best, roof) =>
    (best && best.value >= roof.value ? best : roof), undefined);
}

/** The ends of the line: where it meets the highest roof of the other kind, and well outside the frame. */
export function lineOf(roof: ShownRoof, roofs: readonly ShownRoof[], plane: Plane): [left: [number, number], right: [number, number]] {
  const [left, right] = [plane.window.ai[0] / 1e3, plane.window.ai[1] * 1e3];
  if (roof.kind === 'bandwidth') {
    const compute = highest(roofs, 'compute');
    const end: [number, number] = compute ? [roof.ridges[compute.index] ?? right, compute.value] : [right, roof.value * right];
    return [[left, roof.value * left], end];
  }
  return [[highest(roofs, 'bandwidth')?.ridges[roof.index] ?? left, roof.value], [right, roof.value]];
}

/** `leader`: to its line, where another one is between them. */
export interface RoofLabel { text: string; x: number; y: number; angle: number; isLit: boolean; leader?: [Pixel, Pixel] }

const FONT_SIZE = 11;
/** Boxes are larger than the text in them by this much. */
const BOX_MARGIN = 3;
const measure = document.createElement('canvas').getContext('2d');
export function textWidth(text: string, size = FONT_SIZE): number {
  if (!measure) return text.length * size * 0.55;
  measure.font = `${size}px system-ui, sans-serif`;
  return measure.measureText(text).width;
}

/** The lines of roofs on the screen. */
export function linesOf(roofs: readonly ShownRoof[], plane: Plane): { roof: ShownRoof; line: readonly [Pixel, Pixel] }[] {
  return roofs.map((roof) => {
    const [left, right] = lineOf(roof, roofs, plane);
    return { roof, line: [plane.pixel(left), plane.pixel(right)] as const };
  });
}

/**
 * Labels on the lines that are in the frame: none over another label, over another line or, where there is room, over `marks`;
 * in pixels of the plot.
 */
export function roofLabels(roofs: readonly ShownRoof[], plane: Plane, marks: readonly Box[] = []): { labels: RoofLabel[]; boxes: Box[] } {
  const labels: RoofLabel[] = [];
  const taken: Box[] = [];
  const lines = linesOf(roofs, plane);
  // Those of the chosen kernel first: where there is no room for all labels, theirs are shown.
  let unnamed = roofs.filter(({ isMain }) => isMain).sort((a, b) => Number(b.isLit) - Number(a.isLit));
  /** Names those for which one of the places is free of other labels and of the lines to avoid, in the order of the places. */
  const nameWhere = (placesOf: (roof: ShownRoof) => Candidate[], isAvoided: (other: ShownRoof) => boolean = () => true,
    mayCoverMarks = false): void => {
    unnamed = unnamed.filter((roof) => {
      const avoided = lines.filter((other) => other.roof !== roof && isAvoided(other.roof));
      const free = placesOf(roof).filter(({ boxes }) => !boxes.some((box) => taken.some((other) => overlap(box, other)) ||
        avoided.some(({ line: [left, right] }) => crosses(left, right, box))));
      const found = free.find(({ boxes }) => !boxes.some((box) => marks.some((mark) => overlap(box, mark)))) ??
        (roof.isLit || mayCoverMarks ? free[0] : undefined);
      taken.push(...found?.boxes ?? []);
      labels.push(...found?.labels ?? []);
      return !found;
    });
  };
  const partsOf = ({ text }: ShownRoof): [string, string] => {
    const [, name = text, value = ''] = /^(.*)\s([\d.]+\s\S+)$/.exec(text) ?? [];
    return [name, value];
  };
  const places = (roof: ShownRoof, texts: readonly string[]): Candidate[] => (roof.kind === 'compute'
    ? levelPlaces(roof, texts, roofs, plane) : texts.length === 1 ? slopePlaces(roof, texts[0] ?? '', roofs, plane) : []);
  // Where the line is short, or marks lie on it, the value is below the name. Where there is no room for that, a slope may run
  // behind a measured roof's, then the value is left out, and at last a measured pipe's name covers marks.
  nameWhere((roof) => [...places(roof, [roof.text]), ...places(roof, partsOf(roof))]);
  nameWhere((roof) => (roof.source === 'measured' ? places(roof, [roof.text]) : []), ({ kind }) => kind === 'compute');
  nameWhere((roof) => places(roof, partsOf(roof).slice(0, 1)));
  nameWhere((roof) => (roof.source === 'measured' && roof.kind === 'compute' ? places(roof, [roof.text]) : []), undefined, true);
  return { labels, boxes: taken };
}

/** Whether the line between two places runs through the box without its margin. */
export function crosses(start: Pixel, end: Pixel, box: Box): boolean {
  const left = Math.max(box.left + BOX_MARGIN, start.x);
  const right = Math.min(box.right - BOX_MARGIN, end.x);
  if (start.x === end.x) return left <= right && Math.min(start.y, end.y) < box.bottom && Math.max(start.y, end.y) > box.top;
  const heights = [left, right].map((x) => start.y + ((x - start.x) * (end.y - start.y)) / (end.x - start.x));
  return left <= right && Math.min(...heights) < box.bottom - BOX_MARGIN && Math.max(...heights) > box.top + BOX_MARGIN;
}

interface Candidate { labels: RoofLabel[]; boxes: Box[] }

/** From one line of a label to the next. */
const LINE = 13;

/**
 * Over the line, from the right; where the line is short, as on a phone, the name may begin left of it, but half of the name
 * stays over it. Where that has no room either, the line begins where the name ends.
 */
function levelPlaces(roof: ShownRoof, texts: readonly string[], roofs: readonly ShownRoof[], plane: Plane): Candidate[] {
  const { frame } = plane;
  const [start] = lineOf(roof, roofs, plane);
  const line = plane.pixel(start);
  if (line.y < frame.top || line.y > frame.bottom) return [];
  const width = Math.max(...texts.map((text) => textWidth(text)));
  const half = (LINE * (texts.length - 1)) / 2;
  const above = roof.source === 'theoretical' ? [-8 - half, 8 + half] : [8 + half, -8 - half];
  const candidates: Candidate[] = [];
  const add = (right: number, y: number): void => {
    if (right - width < frame.left || right > frame.right - 6 || y - half < frame.top + 6 || y + half > frame.bottom - 6) return;
    candidates.push({
      labels: texts.map((text, i) => ({ text, x: right - width / 2, y: y - half + LINE * i, angle: 0, isLit: roof.isLit })),
      boxes: [{ left: right - width - 4, right: right + 4, top: y - half - 7, bottom: y + half + 7 }],
    });
  };
  for (let right = frame.right - 6; right - width / 2 > line.x; right -= 14) for (const offset of above) add(right, line.y + offset);
  for (const gap of [8, 16, 24]) add(line.x - gap, line.y);
  return candidates;
}

/** From a slope to the middle of its label. */
const [NEAR, FAR] = [9, 20];

/** Along the slope, first above the line for theoretical roofs, else first below; farther off where another line is near. */
function slopePlaces(roof: ShownRoof, text: string, roofs: readonly ShownRoof[], plane: Plane): Candidate[] {
  const { frame } = plane;
  const [start, end] = lineOf(roof, roofs, plane);
  const top = plane.pixel(end);
  const other = plane.pixel(start);
  const slope = (top.y - other.y) / (top.x - other.x);
  if (!Number.isFinite(slope) || top.x <= frame.left) return [];
  const length = Math.hypot(1, slope);
  const unit = { x: 1 / length, y: slope / length };
  const width = textWidth(text);
  const sides = roof.source === 'theoretical' ? [-NEAR, NEAR, -FAR, FAR] : [NEAR, -NEAR, FAR, -FAR];
  const candidates: Candidate[] = [];
  for (const side of sides) {
    for (let x = Math.min(top.x, frame.right) - 30; x > frame.left + 10; x -= 14) {
      const centre = { x: x - (unit.x * width) / 2, y: other.y + slope * (x - other.x) - (unit.y * width) / 2 };
      const at = { x: centre.x - unit.y * side, y: centre.y + unit.x * side };
      const ends = [-0.5, 0.5].map((share) => ({ x: at.x + unit.x * width * share, y: at.y + unit.y * width * share }));
      if (!ends.every((pixel) => plane.holds(pixel))) continue;
      const boxes = [-0.5, -0.4, -0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3, 0.4, 0.5].map((share) => {
        const centreOfBox = { x: at.x + unit.x * width * share, y: at.y + unit.y * width * share };
        return { left: centreOfBox.x - 8, right: centreOfBox.x + 8, top: centreOfBox.y - 8, bottom: centreOfBox.y + 8 };
      });
      const label: RoofLabel = { text, isLit: roof.isLit, ...at, angle: (Math.atan(slope) * 180) / Math.PI };
      const edge = Math.abs(side) > NEAR ? { x: at.x + unit.y * Math.sign(side) * 6, y: at.y - unit.x * Math.sign(side) * 6 } : null;
      candidates.push({ labels: [edge ? { ...label, leader: [edge, centre] } : label], boxes });
    }
  }
  return candidates;
}
