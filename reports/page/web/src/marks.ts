// SPDX-License-Identifier: Apache-2.0
// Families are told apart by colour and shape, as in the pictures (reports/charts/marks.cpp, reports/draw/scene.h).
import type { Level } from './data';

// Okabe and Ito's colours.
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];
const SYMBOLS = ['circle', 'square', 'triangle-up', 'diamond', 'triangle-down', 'pentagon'];
const GLYPHS = ['M0-5A5 5 0 1 1 0 5A5 5 0 1 1 0-5Z', 'M-4.5-4.5H4.5V4.5H-4.5Z', 'M0-5.5L5 4H-5Z', 'M0-6L6 0L0 6L-6 0Z', 'M0 5.5L5-4H-5Z', 'M0-5.5L5.2-1.7L3.2 4.4H-3.2L-5.2-1.7Z'];
const LEVEL_SYMBOLS: Record<Level, string> = { dram: 'circle', l2: 'square', l1: 'triangle-up', shared: 'diamond' };

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

export const familyColour = (family: number): string => at(COLOURS, family);
/** Each round of colours begins with another outline, so that the first 36 families differ. */
const outline = (family: number): number => family + Math.floor(family / COLOURS.length);
export const familySymbol = (family: number): string => at(SYMBOLS, outline(family));
export const levelSymbol = (level: Level): string => LEVEL_SYMBOLS[level];

function glyph(path: string, colour: string, isHollow = false): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '-7 -7 14 14');
  svg.setAttribute('class', 'glyph');
  svg.setAttribute('aria-hidden', 'true');
  const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  shape.setAttribute('d', path);
  shape.setAttribute('fill', isHollow ? 'none' : colour);
  shape.setAttribute('stroke', colour);
  shape.setAttribute('stroke-width', '1.6');
  svg.append(shape);
  return svg;
}

export const familyGlyph = (family: number, isHollow = false): SVGSVGElement => glyph(at(GLYPHS, outline(family)), familyColour(family), isHollow);
export const levelGlyph = (level: Level): SVGSVGElement =>
  glyph(GLYPHS[SYMBOLS.indexOf(LEVEL_SYMBOLS[level])] ?? '', 'currentColor');
