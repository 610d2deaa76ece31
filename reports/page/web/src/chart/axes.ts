// SPDX-License-Identifier: Apache-2.0
// The axes of a chart: lines and numbers at ticks, titles, and the border.
import { logTicks, tick } from '../format';
import { MARGIN, type Box, type Plane } from './plane';
import { draw, short } from './svg';
import type { Colours } from '../theme';

const FONT_SIZE = 11;
/** From the middle of a line of text to its baseline. */
export const BASELINE = 4;
const TICK = 5;
/** Pixels that a number takes along the lower and along the left axis. */
const EACH = { x: 62, y: 34 };

interface Ticks { major: number[]; minor: number[] }

/** Numbers on a logarithmic axis, as many as fit into `room` pixels: decades, or also 2 and 5 times each. */
function ticksOf([low, high]: [number, number], room: number, each: number): Ticks {
  const decades = Math.log10(high / low);
  const most = Math.max(2, room / each);
  const steps = 3 * decades <= most ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil(decades / most));
  const major = logTicks([low, high], steps, every);
  // A narrow window may lie between two of them.
  if (major.length < 2) {
    major.splice(0, major.length, ...[0.1, 0.5, 0.9].map((part) => Number((low * (high / low) ** part).toPrecision(2))));
  }
  const minor = decades < 9 ? logTicks([low, high], [2, 3, 4, 5, 6, 7, 8, 9]) : [];
  return { major, minor: minor.filter((value) => !major.includes(value)) };
}

/** Lines across the box at these places of one axis, and ticks outside of it. */
function upright(places: readonly number[], { top, bottom }: Box): string {
  return places.map((x) => `M${short(x)} ${top}V${bottom}`).join('');
}
function level(places: readonly number[], { left, right }: Box): string {
  return places.map((y) => `M${left} ${short(y)}H${right}`).join('');
}
const border = ({ left, top, right, bottom }: Box): string => `M${left} ${top}H${right}V${bottom}H${left}Z`;

const number = (kind: string, text: string, x: number, y: number, anchor: string): SVGTextElement =>
  draw('text', { class: kind, x: short(x), y: short(y), 'text-anchor': anchor }, text);

const title = (kind: string, text: string, x: number, y: number, turn: string | null = null): SVGTextElement =>
  draw('text', { class: kind, x: short(x), y: short(y), 'text-anchor': 'middle', 'font-size': 14, transform: turn }, text);

/** Of a plane of operations per byte and per second. */
export function axesOf(plane: Plane, operations: string, colours: Colours): SVGGElement {
  const { frame, window } = plane;
  const across = ticksOf(window.ai, frame.right - frame.left, EACH.x);
  const up = ticksOf(window.rate, frame.bottom - frame.top, EACH.y);
  const x = (value: number): number => plane.pixel([value, window.rate[0]]).x;
  const y = (value: number): number => plane.pixel([window.ai[0], value]).y;
  const grid = ({ ai, rate, colour }: { ai: number[]; rate: number[]; colour: string }): SVGPathElement =>
    draw('path', { d: upright(ai.map(x), frame) + level(rate.map(y), frame), stroke: colour, fill: 'none' });
  const outside = upright(across.major.map(x), { ...frame, top: frame.bottom, bottom: frame.bottom + TICK }) +
    level(up.major.map(y), { ...frame, left: frame.left - TICK, right: frame.left });
  const middle = short((frame.top + frame.bottom) / 2);
  return draw('g', { class: 'axes', fill: colours.ink, 'font-size': FONT_SIZE },
    grid({ ai: across.minor, rate: up.minor, colour: colours.gridMinor }),
    grid({ ai: across.major, rate: up.major, colour: colours.grid }),
    draw('path', { d: border(frame) + outside, stroke: colours.line, fill: 'none' }),
    ...across.major.map((value) => number('x-tick', tick(value), x(value), frame.bottom + 17, 'middle')),
    ...up.major.map((value) => number('y-tick', tick(value), frame.left - TICK - 3, y(value) + BASELINE, 'end')),
    title('x-title', `Arithmetic intensity (${operations}/byte)`, (frame.left + frame.right) / 2, frame.bottom + 36),
    title('y-title', `Performance (${operations}/s)`, 16, middle, `rotate(-90 16 ${middle})`));
}

/** Of a strip below the plane, from 0 to `most` of a whole. */
export function stripOf(plane: Plane, strip: Box, most: number, text: string, colours: Colours): SVGGElement {
  const isNarrow = plane.width < 600;
  const values = (isNarrow ? [0, 50, 100] : [0, 20, 40, 60, 80, 100]).filter((value) => value <= 100 * most);
  const x = (value: number): number => strip.left + (value / (100 * most)) * (strip.right - strip.left);
  const places = values.map(x);
  const outside = upright(places, { ...strip, top: strip.bottom, bottom: strip.bottom + TICK });
  return draw('g', { class: 'axes', fill: colours.ink, 'font-size': FONT_SIZE },
    draw('path', { d: upright(places, strip), stroke: colours.grid, fill: 'none' }),
    draw('path', { d: border(strip) + outside, stroke: colours.line, fill: 'none' }),
    ...values.map((value) => number('strip-tick', `${value}\u00a0%`, x(value), strip.bottom + 17, 'middle')),
    title('strip-title', text, (strip.left + strip.right) / 2, plane.height - MARGIN.bottom + 36));
}
