// SPDX-License-Identifier: Apache-2.0
// What the roofline of points and that of a program have in common.
import type { Level, Place } from '../data';
import type { Drawing } from './drawing';
import type { Pixel } from './plane';
import type { Colours } from '../theme';
import type { Time } from '../timeline/timeline';

/** A mark that can be chosen: of a point, of its useful or executed work, at a level. -1 for what is not a point. */
export interface Mark {
  point: number; level: Level; work: 'useful' | 'executed'; at: NonNullable<Place>; isStrong: boolean; radius: number;
  /** For a mark that is not placed by the axes of the roofline. */
  pixel?: Pixel;
  /** NVTX path, for the mark of a range. */
  range?: string;
  /** For the mark of a phase. */
  time?: Time;
}

/** A kernel with its place among those that take most of the time, from 1. */
export interface Ranked { point: number; rank: number }
/** Of the legend that pictures have. */
export interface Entry { text: string; outline: string; fill: string; stroke: string }

/** `numbered`: the points at whose marks their number stands in place of their name. */
export interface Figure { drawing: Drawing; marks: Mark[]; numbered: Ranked[]; legend: Entry[] }
export interface Options { width: number; height: number; colours: Colours }
