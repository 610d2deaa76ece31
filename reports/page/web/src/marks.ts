// SPDX-License-Identifier: Apache-2.0
// Families are told apart by colour and shape, as in the pictures.
import { data, isGroup, wordsFor, type Family, type Level, type PointView, type Shape } from './data';

/** For styles, so that it follows the theme. */
export const colourOf = ({ colour }: Family): string => `var(--family-${colour})`;
export function colourOfBound(bound: string): string {
  const { colour } = wordsFor(bound);
  return colour === null ? 'var(--faint)' : `var(--family-${colour})`;
}
/** Plotly uses the same names for the shapes as the program. */
export const symbolOf = ({ shape }: Pick<Family, 'shape'>): Shape['name'] => data.shapes[shape]?.name ?? 'circle';
export const levelSymbol = (level: Level): Shape['name'] => symbolOf(lookOf(level));

const lookOf = (level: Level): { shape: number } => data.levels.find(({ id }) => id === level) ?? { shape: 0 };

function glyph(shape: number, colour: string): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '-7 -7 14 14');
  svg.setAttribute('class', 'glyph');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', data.shapes[shape]?.path ?? '');
  path.setAttribute('stroke-width', '1.6');
  path.style.fill = colour;
  path.style.stroke = colour;
  svg.append(path);
  return svg;
}

export const familyGlyph = (family: Family): SVGSVGElement => glyph(family.shape, colourOf(family));
/** Like its mark in the chart. */
export const pointGlyph = (point: PointView): SVGSVGElement => (isGroup(point) ? glyph(point.group.shape, colourOfBound(point.bound)) : familyGlyph(point.family));
export const shapeGlyph = (shape: number): SVGSVGElement => glyph(shape, 'currentColor');
export const levelGlyph = (level: Level): SVGSVGElement => glyph(lookOf(level).shape, 'currentColor');
