// SPDX-License-Identifier: Apache-2.0
// The plane of the chart: from operations per byte and per second to pixels.
import type { Place, Window } from '../data';

export interface Pixel { x: number; y: number }
/** Of pixels: `scale` times their coordinates, and this further. */
export interface Shift { scale: number; x: number; y: number }
export interface Box { left: number; top: number; right: number; bottom: number }

export const MARGIN = { left: 62, right: 22, top: 12, bottom: 46 };

export class Plane {
  private readonly box: Box;

  /** `below`: height of what stands between the plane and the lower margin. */
  constructor(readonly window: Window, readonly width: number, readonly height: number, private readonly below = 0) {
    this.box = { left: MARGIN.left, top: MARGIN.top, right: width - MARGIN.right, bottom: height - MARGIN.bottom - below };
  }

  get frame(): Box {
    return this.box;
  }

  pixel(place: NonNullable<Place>): Pixel {
    const share = (value: number, [low, high]: [number, number]): number => Math.log(value / low) / Math.log(high / low);
    return {
      x: this.box.left + share(place[0], this.window.ai) * (this.box.right - this.box.left),
      y: this.box.bottom - share(place[1], this.window.rate) * (this.box.bottom - this.box.top),
    };
  }

  /** The plane as it is seen after `shift`. */
  shifted({ scale, x, y }: Shift): Plane {
    const { left, right, top, bottom } = this.box;
    const across = (edge: number): number => (edge - x) / scale;
    const up = (edge: number): number => (edge - y) / scale;
    return this.within({ left: across(left), right: across(right), top: up(top), bottom: up(bottom) });
  }

  /** What is in `part` of it fills the plane. */
  within(part: Box): Plane {
    const { left, right, top, bottom } = this.box;
    const value = (edge: number, from: number, to: number, [low, high]: [number, number]): number =>
      low * (high / low) ** ((edge - from) / (to - from));
    const { ai, rate } = this.window;
    return new Plane({
      ai: [value(part.left, left, right, ai), value(part.right, left, right, ai)],
      rate: [value(part.bottom, bottom, top, rate), value(part.top, bottom, top, rate)],
    }, this.width, this.height, this.below);
  }

  holds({ x, y }: Pixel): boolean {
    return x >= this.box.left && x <= this.box.right && y >= this.box.top && y <= this.box.bottom;
  }
}

export const boxOf = ({ x, y }: Pixel, radius: number): Box =>
  ({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius });
export const overlap = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** `window`, `factor` times as large on a logarithmic scale around its middle, moved by shares of its size. */
export function scaled({ ai, rate }: Window, factor: number, dx = 0, dy = 0): Window {
  const range = ([low, high]: [number, number], shift: number): [number, number] => {
    const length = Math.log(high / low);
    const middle = Math.log(low) + length * (0.5 + shift);
    return [Math.exp(middle - (length * factor) / 2), Math.exp(middle + (length * factor) / 2)];
  };
  return { ai: range(ai, dx), rate: range(rate, dy) };
}

/** A place and how much it matters. */
export interface Weighted { at: NonNullable<Place>; weight: number }

const FAR = 5;
const LITTLE = 0.1;
const LEAST_RANGE = 12;
/** If the ridge is this close to the places, it is in sight: without it nobody sees on which side of it they are. */
const NEAR_RIDGE = 4;
/** The roof beyond it has room for its name. */
const BEYOND_RIDGE = 2;

/** The intensities, and what puts the ridge in sight. */
function withRidge(ais: number[], ridge: number | null): number[] {
  if (ridge === null || !ais.some((ai) => Math.abs(Math.log(ai / ridge)) <= Math.log(NEAR_RIDGE))) return ais;
  if (ais.every((ai) => ai > ridge)) return [...ais, ridge / BEYOND_RIDGE];
  return ais.every((ai) => ai < ridge) ? [...ais, ridge * BEYOND_RIDGE] : ais;
}

/** Leaves out those at either end that are a small part of the whole and far from the others: they would squeeze these into a corner. */
function withoutOutliers(places: readonly Weighted[], axis: 0 | 1): Weighted[] {
  const kept = [...places].sort((a, b) => a.at[axis] - b.at[axis]);
  const all = kept.reduce((sum, { weight }) => sum + weight, 0);
  const cut = (fromEnd: (index: number) => number): number => {
    let weight = 0;
    let count = 0;
    for (let i = 0; i + 1 < kept.length; ++i) {
      const [outer, inner] = [kept[fromEnd(i)] as Weighted, kept[fromEnd(i + 1)] as Weighted];
      weight += outer.weight;
      if (weight > LITTLE * all) break;
      const distance = Math.abs(Math.log(outer.at[axis] / inner.at[axis]));
      if (distance > Math.log(FAR)) count = i + 1;
    }
    return count;
  };
  const low = cut((i) => i);
  const high = cut((i) => kept.length - 1 - i);
  return kept.slice(low, Math.max(low + 1, kept.length - high));
}

/**
 * The window around `places`, except outliers unless all are to be in it, with some room; null where there are none. `roofAt`: what must be
 * in it above a place.
 */
export function windowAround(places: readonly Weighted[], roofAt: (ai: number) => number, ridge: number | null = null,
  hasAll = false): Window | null {
  if (places.length === 0) return null;
  const kept = hasAll ? [...places] : withoutOutliers(withoutOutliers(places, 1), 0);
  const range = (values: number[]): [number, number] => {
    const low = values.reduce((a, b) => Math.min(a, b));
    const high = values.reduce((a, b) => Math.max(a, b));
    const room = Math.max((high / low) ** 0.1, Math.sqrt(Math.max(1, LEAST_RANGE / (high / low))), 1.35);
    return [low / room, high * room];
  };
  const roofs = kept.map(({ at }) => roofAt(at[0])).filter((rate) => Number.isFinite(rate) && rate > 0);
  return { ai: range(withRidge(kept.map(({ at }) => at[0]), ridge)), rate: range([...kept.map(({ at }) => at[1]), ...roofs]) };
}
