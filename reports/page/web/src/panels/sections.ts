// SPDX-License-Identifier: Apache-2.0
// What stands below the chart and the table: ladder steps, ceilings, links, collectives, agreement, environment.
import { data, type AgreementTable, type CeilingTable, type DeviceTables, type ExperimentView, type SpeedTable, type Step,
  type TitledTable } from '../data';
import { fill, folded, h, scrollBox, type Child } from '../dom';
import type { ViewStore } from '../view';

function findings(texts: readonly string[]): HTMLElement | null {
  return texts.length === 0 ? null : h('ul', { class: 'findings' }, ...texts.map((text) => h('li', {}, text)));
}

function step({ from, to, speedup, outcome, counter_changes, changes }: Step, experiment: ExperimentView, store: ViewStore): HTMLElement {
  const name = (index: number): HTMLElement | null => {
    const point = experiment.points[index];
    return point ? h('button', { type: 'button', class: 'link', title: 'Pin', onclick: () => store.togglePin(point.key) }, point.label)
      : null;
  };
  return h('li', {},
    h('p', { class: 'what' }, name(from), ' → ', name(to), ' ', h('strong', { class: outcome }, speedup)),
    h('p', { class: 'changes' }, changes.join(' · ')),
    counter_changes.length > 0 && h('ul', {}, ...counter_changes.map((change) =>
      h('li', {}, h('span', { class: 'muted' }, `${change.name} `), `${change.from} → ${change.to}`))));
}

/** The number of steps that the style sheet keeps on paper. */
const MOST_ON_PAPER = 24;
/** Further steps are folded away. */
const MOST_STEPS = 100;

/** A section with what `content` makes of each experiment; hidden where that is nothing. */
function sectionOf(store: ViewStore, id: string, content: (experiment: ExperimentView, place: number) => Child[] | null): HTMLElement {
  const element = h('section', { id });
  store.show((view, previous) => {
    if (previous?.experiment === view.experiment) return;
    const shown = store.experiment ? content(store.experiment, view.experiment) : null;
    element.hidden = shown === null;
    fill(element, ...shown ?? []);
  });
  return element;
}

/** From version to version: how much faster, and which counters moved. */
export const ladder = (store: ViewStore): HTMLElement => sectionOf(store, 'ladder', (experiment) => {
  const { steps } = experiment;
  if (steps.length === 0) return null;
  const list = (of: readonly Step[]): HTMLElement => h('ol', { class: 'steps' }, ...of.map((each) => step(each, experiment, store)));
  return [h('h2', {}, 'From version to version'),
    h('p', { class: 'muted' }, 'Speed-up from each version to the next, and what changed in the counters, most relevant first.'),
    list(steps.slice(0, MOST_STEPS)),
    steps.length > MOST_STEPS && folded(`${steps.length - MOST_STEPS} more steps`, () => [list(steps.slice(MOST_STEPS))]),
    steps.length > MOST_ON_PAPER && h('p', { class: 'print-more muted' }, `The first ${MOST_ON_PAPER} of ${steps.length} steps.`)];
});

/** What casts doubt on numbers of the experiment. */
export function implausible(store: ViewStore): HTMLElement {
  const element = h('div');
  store.show((view, previous) => {
    if (previous?.experiment !== view.experiment) fill(element, findings(store.experiment?.findings ?? []));
  });
  return element;
}

/** What the self-test makes suspect, before anything that relies on it. */
export function suspicion(): HTMLElement | null {
  const { suspicion: found } = data.run;
  return found && h('div', { class: 'suspicion', role: 'note' }, h('strong', {}, found.text), findings(found.findings));
}

/** What a reader must know before anything else: what an imported report lacks, or that nothing was measured. */
export function notice(): HTMLElement | null {
  const { notice: text } = data.run;
  // The command between backticks is to be copied.
  return text === undefined ? null
    : h('p', { class: 'notice', role: 'note' }, ...text.split('`').map((part, i) => (i % 2 === 1 ? h('code', {}, part) : part)));
}

/** What the program drew itself, if anything: it is in the part for readers without scripts. */
let drawings: DocumentFragment | undefined;
function drawing(name: string): Node | undefined {
  if (!drawings) {
    const template = document.createElement('template');
    template.innerHTML = document.querySelector('noscript')?.textContent ?? '';
    drawings = template.content;
  }
  const figure = drawings.querySelector(`figure[data-name="${name}"]`)?.cloneNode(true) as HTMLElement | undefined;
  // It is wider than a phone: the keyboard scrolls it too.
  figure?.setAttribute('tabindex', '0');
  return figure;
}

/** Bandwidth against size and speed against the references, where an experiment goes over sizes. */
export const sizeSweep = (store: ViewStore): HTMLElement => sectionOf(store, 'sizes', ({ speeds }, place) => {
  const picture = drawing(`size-sweep-${place}`);
  if (!picture && speeds.length === 0) return null;
  return [h('h2', {}, 'Sizes'),
    picture && h('p', { class: 'muted' },
      'Bandwidth against the number of elements. The roofline cannot show it, because every size has the same intensity.'),
    picture,
    ...speeds.map((table) => folded(table.title, () => [heatMap(table)]))];
});

/** How points over several GPUs scale with their number. */
export const scaling = (store: ViewStore): HTMLElement => sectionOf(store, 'scaling', ({ scaling: found }, place) =>
  (found ? [h('h2', {}, 'Scaling'), h('p', { class: 'muted' }, found.explanation), drawing(`scaling-${place}`),
    ...found.tables.map(titledTable)] : null));

/** The energy of a launch, where the plan asks for it. */
export const energy = (store: ViewStore): HTMLElement => sectionOf(store, 'energy', (_, place) => {
  const picture = drawing(`energy-${place}`);
  return picture ? [h('h2', {}, 'Energy'),
    h('p', { class: 'muted' },
      'Energy per launch, from the energy counter of the whole board, with the useful work per joule and the mean power.'),
    picture] : null;
});

function tableSection(id: string, title: string, explanation: string, { columns, rows, findings: texts }: CeilingTable,
  picture?: Node): HTMLElement {
  return h('section', { id }, h('h2', {}, title),
    h('p', { class: 'muted' }, explanation),
    findings(texts),
    picture,
    rows.length > 0 && tableOf(title, columns, rows));
}

type Rows = readonly (readonly string[])[];
interface Heading { title: string; is_number: boolean }
const headingsOf = (titles: readonly string[]): Heading[] => titles.map((title) => ({ title, is_number: false }));

/** `cell`: of each column but the first. */
function tableOf(label: string, columns: readonly Heading[], rows: Rows, cell?: (text: string, column: number, row: number) => HTMLElement,
  kind: string | null = null): HTMLElement {
  const classOf = (column: number): string | null => (columns[column]?.is_number ? 'number' : null);
  const plain = (text: string, column: number): HTMLElement => h('td', { class: classOf(column) }, text);
  return scrollBox(label, h('table', { class: kind },
    h('thead', {}, h('tr', {}, ...columns.map(({ title }, i) => h('th', { scope: 'col', class: classOf(i) }, title)))),
    h('tbody', {}, ...rows.map((texts, row) => h('tr', {},
      ...texts.map((text, i) => (i === 0 ? h('th', { scope: 'row' }, text) : (cell ?? plain)(text, i, row))))))));
}

/** What is below a long table matters more than its last rows. */
const MOST_ROWS = 20;

export function titledTable({ title, table: { columns, rows, findings: texts } }: TitledTable): HTMLElement {
  const more = rows.length - MOST_ROWS;
  return h('div', {}, h('h3', {}, title), rows.length > 0 && tableOf(title, columns, rows.slice(0, MOST_ROWS)),
    more > 0 && folded(`${more} more rows`, () => [tableOf(`${title}, the rest`, columns, rows.slice(MOST_ROWS))]),
    ...texts.map((text) => h('p', { class: 'muted' }, text)));
}

/** What a profiled program did as a whole, and what could be gained in its kernels. */
export const program = (store: ViewStore): HTMLElement => sectionOf(store, 'program', ({ program: found }) =>
  (found ? [h('h2', {}, 'Program'), h('ul', {}, ...found.sentences.map((text) => h('li', {}, text))),
    ...found.tables.map(titledTable)] : null));

export function ceilings(): HTMLElement {
  const areMeasured = data.run.roofs.some(({ source }) => source === 'measured');
  return tableSection('ceilings', 'Ceilings',
    data.run.ceilings.rows.length === 0 ? 'None are known.'
      : areMeasured ? 'What this device was measured to deliver, and what it could deliver in theory. ' +
        '“ok”: hardware counters confirm the benchmark’s work.'
        : 'What this device could deliver in theory; nothing was measured.', data.run.ceilings);
}

function betweenDevices(id: string, title: string, found: DeviceTables | undefined): HTMLElement | null {
  if (!found) return null;
  return h('section', { id }, h('h2', {}, title), h('p', { class: 'muted' }, found.explanation), drawing(id),
    ...found.tables.map(titledTable));
}

/** How devices differ that measured the same points. */
export const spread = (): HTMLElement | null => betweenDevices('spread', 'Spread between the devices', data.run.spread);

/** A matrix between the devices for each way in which bytes can move. */
export const links = (): HTMLElement | null => betweenDevices('links', 'Links between the devices', data.run.links);

export const collectives = (): HTMLElement | null => betweenDevices('collectives', 'Collectives', data.run.collectives);

export function primitives(): HTMLElement | null {
  if (!data.run.primitives) return null;
  return tableSection('primitives', 'Primitives',
    'Operations by which threads exchange values, in SM cycles. Latency: from one operation to the next that needs its result. ' +
    'Throughput: with as many independent operations as the SM holds, per operation, per instruction that moves values between ' +
    'lanes, and per element.', data.run.primitives, drawing('primitives'));
}

/** What is written as 1.00 or 1.01 times as fast, or as slow. */
const EQUAL = 0.015;

/** Faster and slower than the reference by colour; equal speed has a colour of its own. */
function heatMap({ title, columns, rows, factors }: SpeedTable): HTMLElement {
  const colourOf = (factor: number | null | undefined): string | null => {
    if (factor == null) return null;
    if (Math.abs(factor - 1) < EQUAL) return 'var(--highlight)';
    const strength = Math.min(40, 6 + 45 * Math.abs(Math.log2(factor))).toFixed(0);
    return `color-mix(in srgb, var(--${factor > 1 ? 'good' : 'bad'}) ${strength}%, var(--paper))`;
  };
  const cell = (text: string, column: number, row: number): HTMLElement => {
    const element = h('td', { class: 'number' }, text);
    const colour = colourOf(factors[row]?.[column - 1]);
    if (colour) element.style.background = colour;
    return element;
  };
  return tableOf(title, columns.map((text, i) => ({ title: text, is_number: i > 0 })), rows, cell, 'heat-map');
}

function agreementRows(label: string, { headings }: AgreementTable, rows: Rows): HTMLElement {
  const verdict = headings.indexOf('verdict');
  return tableOf(label, headingsOf(headings), rows, (text, column) =>
    h('td', {}, column === verdict ? h('span', { class: `verdict ${text}` }, text) : text));
}

/** The verdict, a row per quantity, what differs; every single number is folded away: there may be a thousand. */
function agreementTable(table: AgreementTable): HTMLElement {
  const differing = table.rows.filter((row) => row[table.headings.indexOf('verdict')] === 'differs');
  return h('div', { class: 'agreement' },
    h('p', {}, h('strong', {}, table.title), ' ', h('span', { class: differing.length > 0 ? 'slower' : 'muted' },
      table.summary || table.reason),
      table.hint !== '' && h('span', { class: 'muted' }, ` ${table.hint}`)),
    table.quantities.length > 0 && folded(`By quantity (${table.quantities.length})`,
      () => [tableOf(`${table.title} by quantity`, headingsOf(table.quantity_headings), table.quantities)]),
    differing.length > 0 && folded(`Differences (${differing.length})`,
      () => [agreementRows(`${table.title}: differences`, table, differing)], { open: differing.length <= 20 }),
    table.rows.length > 0 && folded(`All numbers (${table.rows.length})`, () => [agreementRows(table.title, table, table.rows)]));
}

export function agreements(): HTMLElement | null {
  if (data.run.agreements.length === 0) return null;
  return h('section', { id: 'agreement' }, h('h2', {}, 'Agreement'),
    h('p', { class: 'muted' }, 'Our numbers compared with kernels of known work and with other profilers.'),
    ...data.run.agreements.map(agreementTable));
}

export function environment(): HTMLElement {
  return h('section', { id: 'environment' }, h('h2', {}, 'Environment'),
    scrollBox('Environment', h('table', { class: 'facts' },
      h('tbody', {}, ...data.run.environment.map(([name, text]) => h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, text)))))));
}
