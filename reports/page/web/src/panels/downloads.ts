// SPDX-License-Identifier: Apache-2.0
import { h } from '../dom';
import { fileOf } from '../files';
import { pictureOf, pngFileOf, svgFileOf } from '../chart/picture';
import type { ViewStore } from '../view';

function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Buttons for PNG and SVG of the chart as it is, CSV of every point, and run.json; and for a link to the view. */
export function downloads(store: ViewStore): HTMLElement {
  const name = (): string => `roofline-${(store.experiment?.name ?? 'ceilings').replace(/[^\w.-]/g, '_')}`;
  const button = (text: string, title: string, onclick: () => void): HTMLElement => h('button', { type: 'button', title, onclick }, text);
  const copied = h('span', { class: 'muted', role: 'status' });
  return h('div', { class: 'downloads', role: 'group', 'aria-label': 'Download' }, h('span', { class: 'muted' }, 'Download'),
    button('PNG', 'The current chart, 1600×900', () => void pngFileOf(pictureOf(store)).then((file) => save(`${name()}.png`, file))),
    button('SVG', 'The current chart', () => save(`${name()}.svg`, svgFileOf(pictureOf(store)))),
    button('CSV', 'points.csv: one row per point', () => void fileOf('points-csv', 'text/csv').then((file) => save('points.csv', file))),
    button('JSON', 'run.json: everything that was measured',
      () => void fileOf('run-json', 'application/json').then((file) => save('run.json', file))),
    button('Copy link', 'A link to the current view', () => {
      const say = (text: string) => (): void => { copied.textContent = text; };
      void navigator.clipboard.writeText(location.href).then(say('copied'), say('copy it from the address bar'));
      setTimeout(say(''), 3000);
    }), copied);
}
