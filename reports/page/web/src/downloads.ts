// SPDX-License-Identifier: Apache-2.0
import Plotly, { type Layout } from 'plotly.js-basic-dist-min';
import { data } from './data';
import { h } from './dom';
import { figureOf } from './figure';
import { fileOf, fromBase64 } from './files';
import { plain } from './roof_lines';
import { coloursOf } from './theme';
import { bareChart, type ViewStore } from './view';

const WIDTH = 1600;
const HEIGHT = 900;
const HEAD = 84;
const FOOT = 28;

function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** The chart as it is shown, with title, legend and origin, on light paper. */
async function picture(store: ViewStore, format: 'png' | 'svg'): Promise<Blob> {
  const light = h('div', { 'data-theme': 'light', hidden: true });
  document.body.append(light);
  const colours = coloursOf(light);
  light.remove();
  const experiment = store.experiment;
  const figure = figureOf(store.view, experiment, { width: WIDTH, height: HEIGHT - HEAD - FOOT, colours });
  const margin = figure.layout.margin ?? {};
  const layout = {
    ...figure.layout, height: HEIGHT, showlegend: (experiment?.families.length ?? 0) > 0,
    margin: { ...margin, t: (margin.t ?? 0) + HEAD, b: (margin.b ?? 0) + FOOT },
    title: {
      text: plain((experiment ?? bareChart(store.view)).heading), subtitle: { text: plain(experiment?.subtitle ?? '') },
      x: 0, xref: 'paper', xanchor: 'left', y: 1, yref: 'container', yanchor: 'top', pad: { t: 14 },
    },
    legend: { orientation: 'h', x: 1, xanchor: 'right', y: 1.005, yanchor: 'bottom' },
    annotations: [...(figure.layout.annotations ?? []), {
      text: plain(`${(experiment ?? bareChart(store.view)).provenance} · ${data.tool}`), xref: 'paper', yref: 'paper', x: 1, y: 0, xanchor: 'right', yanchor: 'top',
      yshift: -(margin.b ?? 0) - 2, showarrow: false, font: { size: 11, color: colours.muted },
    }],
  } as Partial<Layout>;
  const url = await Plotly.toImage({ data: figure.data, layout } as never, { format, width: WIDTH, height: HEIGHT });
  const [head = '', body = ''] = [url.slice(0, url.indexOf(',')), url.slice(url.indexOf(',') + 1)];
  if (!head.includes(';base64')) return new Blob([decodeURIComponent(body)], { type: 'image/svg+xml' });
  return new Blob([fromBase64(body)], { type: `image/${format}` });
}

/** Buttons for PNG and SVG of the chart as it is, CSV of every point, and run.json; and for a link to the view. */
export function downloads(store: ViewStore): HTMLElement {
  const name = (): string => `roofline-${(store.experiment?.name ?? 'ceilings').replace(/[^\w.-]/g, '_')}`;
  const button = (text: string, title: string, onclick: () => void): HTMLElement => h('button', { type: 'button', title, onclick }, text);
  const copied = h('span', { class: 'muted', role: 'status' });
  return h('div', { class: 'downloads', role: 'group', 'aria-label': 'Download' }, h('span', { class: 'muted' }, 'Download'),
    button('PNG', 'The current chart, 1600×900', () => void picture(store, 'png').then((file) => save(`${name()}.png`, file))),
    button('SVG', 'The current chart', () => void picture(store, 'svg').then((file) => save(`${name()}.svg`, file))),
    button('CSV', 'points.csv: one row per point', () => void fileOf('points-csv', 'text/csv').then((file) => save('points.csv', file))),
    button('JSON', 'run.json: everything that was measured', () => void fileOf('run-json', 'application/json').then((file) => save('run.json', file))),
    button('Copy link', 'A link to the current view', () => {
      void navigator.clipboard.writeText(location.href).then(() => { copied.textContent = 'copied'; }, () => { copied.textContent = 'copy it from the address bar'; });
      setTimeout(() => { copied.textContent = ''; }, 3000);
    }), copied);
}
