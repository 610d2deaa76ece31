// SPDX-License-Identifier: Apache-2.0
// Names beside marks: none over another, over a mark, or across a line. Where marks lie too close for a name, its number stands there.
import { boxOf, overlap, type Box, type Pixel } from './plane';
import { crosses, textWidth } from './roof_lines';

/** `number`: what is shown at the mark in any case if there is no room for the text. */
export interface Named { text: string; at: Pixel; radius: number; number?: string }
export interface PlacedLabel extends Named { box: Box; leader: [Pixel, Pixel] | null }
type Place = Pick<PlacedLabel, 'box' | 'leader'>;

const HALF = 7;
const ROOM = 3;
const DISTANCES = [5, 11, 18, 28, 40, 54, 70, 88, 108];
const DIRECTIONS: [number, number][] = [[1, 0], [-1, 0], [0.8, 0.6], [0.8, -0.6], [-0.8, 0.6], [-0.8, -0.6], [0.35, 1], [0.35, -1],
  [-0.35, 1], [-0.35, -1]];

function boxAt({ at, radius }: Named, width: number, [dx, dy]: [number, number], distance: number): Box {
  const reach = radius + distance;
  const x = at.x + dx * reach;
  const y = at.y + dy * reach;
  const left = Math.abs(dx) < 0.5 ? x - width / 2 : dx > 0 ? x : x - width;
  return { left, right: left + width, top: y - HALF, bottom: y + HALF };
}

/** From the nearest place of the box to the edge of the mark, where they lie apart. */
function leaderOf({ at, radius }: Named, box: Box): [Pixel, Pixel] | null {
  const from = { x: Math.max(box.left, Math.min(at.x, box.right)), y: Math.max(box.top + 2, Math.min(at.y, box.bottom - 2)) };
  const length = Math.hypot(at.x - from.x, at.y - from.y);
  if (length < radius + 8) return null;
  const share = radius / length;
  return [from, { x: at.x + (from.x - at.x) * share, y: at.y + (from.y - at.y) * share }];
}

/** A place for each of `names` that has one; earlier names come first. */
export function placeLabels(names: readonly Named[], frame: Box, taken: readonly Box[],
  lines: readonly (readonly [Pixel, Pixel])[]): PlacedLabel[] {
  const placed: PlacedLabel[] = [];
  const isFree = (box: Box): boolean => {
    const roomy = { left: box.left - ROOM, right: box.right + ROOM, top: box.top - 1, bottom: box.bottom + 1 };
    return box.left >= frame.left + 2 && box.right <= frame.right - 2 && box.top >= frame.top + 2 && box.bottom <= frame.bottom - 2 &&
      !taken.some((other) => overlap(roomy, other)) && !placed.some((other) => overlap(roomy, other.box)) &&
        !lines.some(([a, b]) => crosses(a, b, roomy));
  };
  const meets = ([a, b]: readonly [Pixel, Pixel], box: Box): boolean => crosses(...(a.x <= b.x ? [a, b] as const : [b, a] as const), box);
  const between = ([a, b]: readonly [Pixel, Pixel], [c, d]: readonly [Pixel, Pixel]): boolean =>
    side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b);
  const candidatesOf = (name: Named, text: string): Place[] => DISTANCES.flatMap((reach) => DIRECTIONS.map((direction) => {
    const box = boxAt(name, textWidth(text) + 2, direction, reach);
    return { box, leader: leaderOf(name, box) };
  })).filter(({ box, leader }) => isFree(box) && !(leader &&
    placed.some((other) => meets(leader, other.box) || (other.leader && between(leader, other.leader)))));
  /** `isStrict`: its leader crosses no mark except those over its own. */
  const place = (name: Named, text: string, isStrict: boolean): Place | undefined => {
    const own = boxOf(name.at, name.radius);
    const isNearOther = (box: Box): boolean => names.some((other) => other !== name && distance(box, other) < distance(box, name));
    const all = candidatesOf(name, text).filter(({ leader }) =>
      !isStrict || !leader || !taken.some((other) => !overlap(other, own) && meets(leader, other)));
    // Near another mark, without its leader, it would seem to belong to that mark.
    const clear = all.filter(({ box }) => !isNearOther(box));
    const free = clear.length > 0 ? clear : all.filter(({ leader }) => leader);
    return free.find(({ leader }) => !leader || !lines.some((line) => between(leader, line))) ?? free[0];
  };
  for (const name of names) {
    const { number } = name;
    const best = place(name, name.text, true);
    const numbered = best || number === undefined ? undefined
      : place(name, number, true) ?? place(name, number, false) ?? overMark(name, number, placed);
    if (best) placed.push({ ...name, ...best });
    else if (numbered) placed.push({ ...name, ...numbered, text: number as string });
  }
  return placed;
}

/** From the box to the edge of the mark. */
const distance = (box: Box, { at, radius }: Named): number =>
  Math.hypot(Math.max(box.left - at.x, 0, at.x - box.right), Math.max(box.top - at.y, 0, at.y - box.bottom)) - radius;

/** On the mark or, where another number is there, as near as possible. */
function overMark({ at }: Named, text: string, placed: readonly PlacedLabel[]): Place {
  const half = (textWidth(text) + 2) / 2;
  const places = [0, 14, -14, 28, -28, 42, -42].flatMap((dy) => [0, 16, -16, 32, -32]
    .map((dx) => ({ left: at.x + dx - half, right: at.x + dx + half, top: at.y + dy - HALF, bottom: at.y + dy + HALF })));
  return { box: places.find((box) => !placed.some((other) => overlap(box, other.box))) ?? places[0] as Box, leader: null };
}

const side = (a: Pixel, b: Pixel, c: Pixel): boolean => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0;
