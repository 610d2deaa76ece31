// SPDX-License-Identifier: Apache-2.0
// The chart as a file, with title, legend and origin, on light paper.
import { BASELINE } from './axes';
import { data } from '../data';
import { h } from '../dom';
import { FONT, marksOf } from './drawing';
import { figureOf } from './figure';
import type { Entry, Figure } from './figure_parts';
import { OUTLINE_RADIUS } from './marks';
import { MARGIN } from './plane';
import { textWidth } from './roof_lines';
import { draw } from './svg';
import { coloursOf, type Colours } from '../theme';
import { bareChart, type ViewStore } from '../view';

const WIDTH = 1600;
const HEIGHT = 900;
const TITLE = 52;
const FOOT = 28;
const ROW = 18;
const GLYPH = 18;
const BETWEEN = 16;
const FONT_SIZE = 12;

function lightColours(): Colours {
  const light = h('div', { 'data-theme': 'light', hidden: true });
  document.body.append(light);
  const colours = coloursOf(light);
  light.remove();
  return colours;
}

interface Placed { entry: Entry; x: number; row: number }

/** From left to right, in as many rows as there have to be. */
function placed(entries: readonly Entry[]): Placed[] {
  let x = MARGIN.left;
  let row = 0;
  return entries.map((entry) => {
    const width = GLYPH + textWidth(entry.text, FONT_SIZE);
    if (x > MARGIN.left && x + width > WIDTH - MARGIN.right) [x, row] = [MARGIN.left, row + 1];
    const place = { entry, x, row };
    x += width + BETWEEN;
    return place;
  });
}

function legendOf(places: readonly Placed[], colours: Colours): SVGGElement {
  return draw('g', { class: 'legend', 'font-size': FONT_SIZE, fill: colours.ink }, ...places.flatMap(({ entry, x, row }) => {
    const { outline, fill, stroke } = entry;
    const at = { x: x + GLYPH / 3, y: TITLE + ROW * row + ROW / 2 };
    return [
      marksOf([{ at, radius: OUTLINE_RADIUS, outline, unit: OUTLINE_RADIUS }], { fill, stroke, width: 2 }),
      draw('text', { x: x + GLYPH, y: at.y + BASELINE }, entry.text),
    ];
  }));
}

/** A figure below a head of that many rows of legend. */
function figureBelow(store: ViewStore, rows: number, colours: Colours): { figure: Figure; head: number } {
  const head = TITLE + ROW * rows;
  return { head, figure: figureOf(store.view, store.experiment, { width: WIDTH, height: HEIGHT - head - FOOT, colours }) };
}

export function pictureOf(store: ViewStore): SVGSVGElement {
  const colours = lightColours();
  const shown = store.experiment ?? bareChart(store.view);
  const rowsOf = ({ legend }: Figure): number => 1 + Math.max(-1, ...placed(legend).map(({ row }) => row));
  const first = figureBelow(store, 1, colours);
  const { figure, head } = figureBelow(store, rowsOf(first.figure), colours);
  const { svg } = figure.drawing;
  const text = (content: string, y: number, size: number, attributes: Record<string, string> = {}): SVGTextElement =>
    draw('text', { x: MARGIN.left, y, 'font-size': size, fill: colours.ink, ...attributes }, content);
  const origin = { x: String(WIDTH - MARGIN.right), 'text-anchor': 'end', fill: colours.muted };
  const picture = draw('svg', { width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'font-family': FONT },
    draw('rect', { width: WIDTH, height: HEIGHT, fill: colours.paper }),
    text(shown.heading, 26, 17),
    text(store.experiment?.subtitle ?? '', 44, FONT_SIZE, { fill: colours.muted }),
    legendOf(placed(figure.legend), colours),
    text(`${shown.provenance} · ${data.tool}`, HEIGHT - 12, 11, origin),
    svg);
  svg.setAttribute('y', String(head));
  return picture;
}

export function svgFileOf(picture: SVGSVGElement): Blob {
  return new Blob([new XMLSerializer().serializeToString(picture)], { type: 'image/svg+xml' });
}

export async function pngFileOf(picture: SVGSVGElement): Promise<Blob> {
  const address = URL.createObjectURL(svgFileOf(picture));
  const image = new Image(WIDTH, HEIGHT);
  image.src = address;
  await image.decode().finally(() => URL.revokeObjectURL(address));
  const canvas = h('canvas', { width: WIDTH, height: HEIGHT });
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  return new Promise((resolve, reject) => {
    canvas.toBlob((file) => (file ? resolve(file) : reject(new Error('the picture is too large'))), 'image/png');
  });
}
