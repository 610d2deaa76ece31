// SPDX-License-Identifier: Apache-2.0
// Families are told apart by colour and shape, as in the pictures.
import { data, isGroup, wordsFor, type Family, type Level, type PointView } from '../data';
import { draw } from './svg';

/** For styles, so that it follows the theme. */
export const colourOf = ({ colour }: Family): string => `var(--family-${colour})`;
export function colourOfBound(bound: string): string {
  const { colour } = wordsFor(bound);
  return colour === null ? 'var(--unknown)' : `var(--family-${colour})`;
}
/** Radius of the outlines that the program writes. */
export const OUTLINE_RADIUS = 4.5;
/** Around the origin, in the syntax of an SVG path. */
export const outlineOf = (shape: number): string => data.shapes[shape]?.path ?? '';
export const shapeOfLevel = (level: Level): number => data.levels.find(({ id }) => id === level)?.shape ?? 0;

function glyph(shape: number, colour: string): SVGSVGElement {
  return draw('svg', { viewBox: '-7 -7 14 14', class: 'glyph', 'aria-hidden': 'true' },
    draw('path', { d: outlineOf(shape), fill: colour, stroke: colour, 'stroke-width': 1.6 }));
}

export const familyGlyph = (family: Family): SVGSVGElement => glyph(family.shape, colourOf(family));
/** Like its mark in the chart. */
export const pointGlyph = (point: PointView): SVGSVGElement =>
  (isGroup(point) ? glyph(point.group.shape, colourOfBound(point.bound)) : familyGlyph(point.family));
export const shapeGlyph = (shape: number): SVGSVGElement => glyph(shape, 'currentColor');
export const levelGlyph = (level: Level): SVGSVGElement => glyph(shapeOfLevel(level), 'currentColor');
