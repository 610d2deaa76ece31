// SPDX-License-Identifier: Apache-2.0
// The plane of the chart: from operations per byte and per second to pixels.
import type { Place, Window } from './data';

export interface Pixel { x: number; y: number }
export interface Box { left: number; top: number; right: number; bottom: number }

export const MARGIN = { left: 62, right: 14, top: 12, bottom: 46 };

export class Plane {
  private readonly box: Box;

  constructor(readonly window: Window, readonly width: number, readonly height: number) {
    this.box = { left: MARGIN.left, top: MARGIN.top, right: width - MARGIN.right, bottom: height - MARGIN.bottom };
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

  /** The place at a share of width and height, from the lower left corner. */
  place(x: number, y: number): [number, number] {
    const [left, right] = this.window.ai;
    const [bottom, top] = this.window.rate;
    return [left * (right / left) ** x, bottom * (top / bottom) ** y];
  }

  holds({ x, y }: Pixel): boolean {
    return x >= this.box.left && x <= this.box.right && y >= this.box.top && y <= this.box.bottom;
  }
}

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

/** The window around `places` with some room; null where there are none. */
export function windowAround(places: readonly NonNullable<Place>[]): Window | null {
  if (places.length === 0) return null;
  const range = (values: number[]): [number, number] => {
    const low = values.reduce((a, b) => Math.min(a, b));
    const high = values.reduce((a, b) => Math.max(a, b));
    const room = Math.max((high / low) ** 0.12, 1.25);
    return [low / room, high * room];
  };
  return { ai: range(places.map((place) => place[0])), rate: range(places.map((place) => place[1])) };
}
