// SPDX-License-Identifier: Apache-2.0
// Every point in a table that sorts, filters, and is linked to the chart.
import { data, hasColumn, isGroup, thingOf, wasWatched, wordsFor, type ExperimentView, type PointView } from '../data';
import { breakable, fill, h, keepFocus, scrollBox } from '../dom';
import { count, counted, duration, percent, wholePercent } from '../format';
import type { Highlight } from './highlight';
import { copyButton } from './inspector';
import { colourOf, colourOfBound, pointGlyph } from '../chart/marks';
import { cutApart } from '../names';
import { ranksOf } from '../chart/program_parts';
import { NO_RANGE, NO_SCOPE, rangeTitle } from './ranges';
import { fractionOfRoofline, groupedBy, groupsOf, isOfStep, savedInStep, savingShare, shareOf, sumOf, type Sum } from '../sums';
import { shownPoints, TABLES, UNFILTERED, type Table, type View, type ViewStore } from '../view';

const ROWS_PER_PAGE = 200;
const KERNELS_PER_PAGE = 40;
/** Characters of a kernel's name in the table: as many as three lines of its column hold. */
const LONGEST_NAME = 90;
const SAVED_IN_STEP = 'could save/step';
const rowsPerPage = (experiment: ExperimentView): number => (experiment.isOfProgram ? KERNELS_PER_PAGE : ROWS_PER_PAGE);

/** For a program, the columns that are always shown, in their order; the others are a click away. */
const PROGRAM_COLUMNS = ['point', 'share', 'could save', '% of roofline', 'bound by', 'operator', 'tensor', 'total', 'launches',
  'mean', 'type', 'p95', 'occupancy', 'registers'];
/** For one with steps: no sum over the whole run beside what is of a step. */
const STEP_COLUMNS = ['point', 'share', SAVED_IN_STEP, 'mean', '% of roofline', 'bound by', 'operator', 'tensor', 'type', 'p95',
  'occupancy', 'registers'];
/** Those of them that only a wide screen has room for beside the inspector. */
const LAST = ['type', 'p95', 'occupancy', 'registers'];
const NAME_OF_SHARE = 'of a step';
/** The columns that stay in sight where the table is narrow, and those that stay where it is not wide. */
const NARROW = ['point', 'share', 'could save', SAVED_IN_STEP, 'time', 'mean', '% of roofline', 'bound by'];
const MEDIUM = [...NARROW, 'operator', 'tensor', 'total', 'launches', 'type', 'GB/s', 'n', 'dtype'];
const widthClass = (title: string): string | null => (NARROW.includes(title) ? null : MEDIUM.includes(title) ? 'not-narrow' : 'only-wide');

const typeName = (type: string): string => (type === '–' ? 'no floating-point operations' : type);

const TABLE_NAMES: Record<Table, string> = { kernels: 'Kernels', names: 'By name', ranges: 'By range', types: 'By precision' };

// What has no number comes last, whatever the direction.
function compare(a: PointView, b: PointView, column: number, descending: boolean): number {
  const [x, y] = [a.values[column] ?? null, b.values[column] ?? null];
  const isNumber = data.columns[column]?.is_number ?? false;
  const direction = descending ? -1 : 1;
  if (x !== null && y !== null) return direction * (x - y);
  if (isNumber || x !== null || y !== null) return Number(x === null) - Number(y === null);
  return direction * (a.texts[column] ?? '').localeCompare(b.texts[column] ?? '', 'en', { numeric: true });
}

/** What belongs to no step comes after what does, what has no roof last. */
const savedOf = (point: PointView | undefined): number =>
  (!point?.group || point.group.recoverable_s === null ? -1 : point.group.in_steps_s > 0 ? point.group.recoverable_s : -0.5);

/** Indices of the shown points in the order of the view. */
export function sortedPoints(view: View, experiment: ExperimentView): number[] {
  const shown = [...shownPoints(view, experiment)];
  if (!view.sort && experiment.program) {
    const key = (index: number): [number, number] =>
      [savedOf(experiment.points[index]), experiment.points[index]?.share ?? 0];
    return shown.sort((a, b) => key(b)[0] - key(a)[0] || key(b)[1] - key(a)[1] || a - b);
  }
  const column = data.columns.findIndex(({ title }) => title === view.sort?.column);
  if (!view.sort || column < 0) return shown;
  const { descending } = view.sort;
  const { points } = experiment;
  return shown.sort((a, b) => compare(points[a] as PointView, points[b] as PointView, column, descending) || a - b);
}

export class PointTable {
  readonly element = h('section', { class: 'points', id: 'points', 'aria-label': 'Points' });
  private readonly filter = h('input', { type: 'search', id: 'filter', placeholder: 'V7, f16, 2^20, latency …', autocomplete: 'off',
    spellcheck: 'false' });
  private readonly count = h('span', { class: 'muted', role: 'status' });
  private readonly chips = h('span', { class: 'chips', role: 'group', 'aria-label': 'Filters' });
  private readonly head = h('tr');
  private readonly body = h('tbody');
  private readonly pages = h('div', { class: 'pages' });
  /** On paper, where a long table ends early. */
  private readonly rest = h('p', { class: 'print-more muted' });
  private readonly title = h('h2', {}, 'Points');
  private readonly tabs = h('div', { class: 'table-tabs', role: 'group', 'aria-label': 'Rows of the table' });
  private readonly more = h('button', { type: 'button', 'aria-pressed': 'false',
    onclick: () => { this.hasMore = !this.hasMore; this.update(this.store.view, this.store.view); } }, 'More columns');
  private readonly sums = h('div', { class: 'sums' });
  private readonly kernels: HTMLElement;
  /** As the rows have them; by the full ones. */
  private readonly names = new WeakMap<ExperimentView, Map<string, string>>();
  private hasMore = false;
  private page = 0;
  private order: number[] = [];

  constructor(private readonly store: ViewStore, private readonly highlight: Highlight) {
    const table = h('table', { class: 'points' }, h('thead', {}, this.head), this.body);
    this.kernels = h('div', {}, h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table of points' }, table),
      this.nothing(), this.rest, this.pages);
    this.element.append(
      h('div', { class: 'section-head' }, this.title, this.tabs,
        h('label', { for: 'filter', class: 'filter' }, 'Filter ', this.filter), this.count, this.chips, this.clearButton(), this.more),
      this.kernels, this.sums);
    this.filter.addEventListener('input', () => this.store.set({ filter: this.filter.value }));
    this.listen();
    this.store.show((view, previous) => this.update(view, previous));
    this.highlight.onChange((active) => this.markActive(active?.point));
  }

  /** Shown in place of rows where no point is left. */
  private nothing(): HTMLElement {
    const what = h('span');
    const text = h('p', { class: 'nothing' }, what,
      h('button', { type: 'button', class: 'link', onclick: () => this.showAll() }, 'Remove all filters'));
    this.store.show((view) => {
      const { experiment } = this.store;
      what.textContent = `No ${thingOf(experiment)} matches. `;
      text.hidden = experiment === undefined || shownPoints(view, experiment).length > 0;
    });
    return text;
  }

  private showAll(): void {
    this.store.set(UNFILTERED);
  }

  private clearButton(): HTMLElement {
    const button = h('button', { type: 'button', onclick: () => this.showAll() });
    this.store.show((view) => {
      const { experiment } = this.store;
      button.textContent = `Show all ${thingOf(experiment)}s`;
      button.hidden = experiment === undefined || shownPoints(view, experiment).length === experiment.points.length;
    });
    return button;
  }

  private listen(): void {
    const rowOf = (event: Event): HTMLTableRowElement | null => (event.target as Element).closest('tr');
    const pointOf = (row: HTMLTableRowElement | null): number | undefined => (row ? Number(row.dataset['point']) : undefined);
    this.body.addEventListener('pointerover', (event) => {
      const point = pointOf(rowOf(event));
      if (point !== undefined) this.highlight.set({ point, at: null });
    });
    this.body.addEventListener('pointerleave', () => this.highlight.set(null));
    this.body.addEventListener('focusin', (event) => {
      const point = pointOf(rowOf(event));
      if (point !== undefined) this.highlight.set({ point, at: null });
    });
    this.body.addEventListener('focusout', () => this.highlight.set(null));
    this.body.addEventListener('click', (event) => {
      const point = this.store.experiment?.points[pointOf(rowOf(event)) ?? -1];
      if (point) this.store.choose(point.key, event.ctrlKey || event.metaKey || event.shiftKey);
    });
  }

  private update(view: View, previous: View | null): void {
    const experiment = this.store.experiment;
    this.element.hidden = !experiment || wasWatched(experiment);
    if (!experiment) return;
    if (this.filter.value !== view.filter) this.filter.value = view.filter;
    const order = sortedPoints(view, experiment);
    if (previous?.experiment !== view.experiment || order.join() !== this.order.join()) this.page = 0;
    const lastPin = view.pins.at(-1);
    this.order = order;
    if (previous && view.pins.length > previous.pins.length) this.showPageOf(experiment, lastPin);
    this.filter.placeholder = !experiment.isOfProgram ? 'V7, f16, 2^20, latency …'
      : experiment.program?.torch ? 'kernel, operator, range, latency …' : 'kernel, range, latency …';
    const of = order.length === experiment.points.length ? '' : `${order.length} of `;
    const kernels = new Set(order.map((index) => experiment.points[index]?.kernel)).size;
    this.count.textContent = of + counted(experiment.points.length, thingOf(experiment)) +
      (experiment.isOfProgram ? `, ${counted(kernels, 'kernel')}` : '');
    this.drawChips(view, experiment);
    const isOfProgram = experiment.isOfProgram;
    const table = isOfProgram ? view.table : 'kernels';
    this.title.textContent = isOfProgram ? 'Kernels' : 'Points';
    this.title.classList.toggle('visually-hidden', isOfProgram);
    this.kernels.hidden = table !== 'kernels';
    this.sums.hidden = table === 'kernels';
    this.more.hidden = !isOfProgram || table !== 'kernels';
    this.more.setAttribute('aria-pressed', String(this.hasMore));
    this.drawTabs(view, experiment);
    if (table === 'kernels') {
      fill(this.sums);
      this.drawHead(view, experiment);
      this.drawRows(view, experiment);
    } else {
      fill(this.body);
      keepFocus(this.sums, () => fill(this.sums, this.sumTable(table, view, experiment)));
    }
  }

  /** The filters of the rows, one by one: a click removes one. */
  private drawChips(view: View, experiment: ExperimentView): void {
    const chip = (name: string, value: string | null, change: Partial<View>): HTMLElement | false => value !== null &&
      h('button', { type: 'button', class: 'chip', 'data-value': name, title: 'Show the others too',
        onclick: () => this.store.set(change) }, h('span', { class: 'muted' }, `${name}: `), value, ' ×');
    this.chips.hidden = !experiment.isOfProgram;
    keepFocus(this.chips, () => fill(this.chips,
      chip('kernel', view.kernel, { kernel: null }), chip('precision', view.type === null ? null : typeName(view.type), { type: null }),
      chip('range', view.range === '' ? NO_RANGE : view.range, { range: null }),
      chip(experiment.program?.torch?.has_modules ? 'module' : 'operator', view.scope === '' ? NO_SCOPE : view.scope, { scope: null }),
      chip('limit', view.bound === null ? null : wordsFor(view.bound).legend, { bound: null })));
  }

  private drawTabs(view: View, experiment: ExperimentView): void {
    this.tabs.hidden = !experiment.isOfProgram;
    if (!experiment.isOfProgram) return fill(this.tabs);
    const tables = TABLES.filter((table) => table !== 'ranges' || (experiment.program?.ranges.length ?? 0) > 0);
    keepFocus(this.tabs, () => fill(this.tabs, ...tables.map((table) =>
      h('button', { type: 'button', 'aria-pressed': String(view.table === table), 'data-value': table,
        onclick: () => this.store.set({ table }) }, TABLE_NAMES[table]))));
  }

  /** The places of the columns that are shown. */
  private columnsOf(experiment: ExperimentView): number[] {
    const all = data.columns.flatMap((_, column) => (hasColumn(experiment, column) ? [column] : []));
    if (!experiment.isOfProgram) return all;
    const hasSteps = isOfStep(experiment);
    const of = data.columns.map((_, column) => column).filter((column) => all.includes(column) ||
      (hasSteps && data.columns[column]?.title === SAVED_IN_STEP));
    const first = (hasSteps ? STEP_COLUMNS : PROGRAM_COLUMNS).flatMap((title) => of.filter((column) => data.columns[column]?.title === title));
    return this.hasMore ? [...first, ...all.filter((column) => !first.includes(column))] : first;
  }

  /** The shown groups summed by kernel, range or type; a click shows the groups of a row. */
  private sumTable(table: Exclude<Table, 'kernels'>, view: View, experiment: ExperimentView): HTMLElement {
    const groups = groupsOf(experiment, shownPoints(view, experiment));
    const { program } = experiment;
    const isStep = isOfStep(experiment);
    const { total } = sumOf(groups);
    const keyOf = { names: ({ kernelShort }: PointView) => kernelShort, ranges: ({ group }: PointView) => group?.path ?? '',
      types: ({ group }: PointView) => group?.type ?? '' }[table];
    const rows = [...groupedBy(groups, keyOf)].map(([key, of]) => {
      const sum = sumOf(of);
      return { key, first: of[0] as PointView, sum,
        saved: isStep && program ? savingShare(program, of) * program.loss_basis.time_s : sum.recoverable };
    }).sort((a, b) => b.saved - a.saved || b.sum.total - a.sum.total);
    const nameOf = (key: string): string => (table === 'names' ? key : table === 'ranges' ? rangeTitle(experiment, key) || NO_RANGE : typeName(key));
    const show = (key: string): void => this.store.set({ [{ names: 'kernel', ranges: 'range', types: 'type' }[table]]: key,
      table: 'kernels', zoom: null });
    const most = 500;
    const perSecond = isStep && program ? program.loss_basis.share_per_s : 1 / total;
    const timeOf = ({ total: time, inSteps }: Sum): number => (isStep && program ? inSteps * perSecond * program.loss_basis.time_s : time);
    const cells = (sum: Sum, saved: number): string[] => [duration(timeOf(sum)), ...(isStep ? [] : [count(sum.launches)]), count(sum.groups),
      fractionOfRoofline(sum) === null ? '–' : wholePercent(fractionOfRoofline(sum) as number), saved > 0 ? duration(saved) : '–'];
    const titles = [TABLE_NAMES[table].replace('By ', ''), ...(isStep ? [NAME_OF_SHARE, 'time/step'] : ['share', 'total', 'launches']),
      'launch groups', '% of roofline', isStep ? SAVED_IN_STEP : 'could save'];
    const isWide = (title: string | undefined): boolean => title === 'launches' || title === 'launch groups';
    let before = 0;
    const body = rows.slice(0, most).map(({ key, first, sum, saved }) => {
      const share = total > 0 ? (isStep ? sum.inSteps : sum.total) * perSecond : 0;
      const row = h('tr', {},
        h('th', { scope: 'row' }, h('button', { type: 'button', class: 'name',
          title: table === 'names' ? first.kernel : `Show the kernels of ${nameOf(key)}`, onclick: () => show(key) },
          h('span', { class: 'text' }, ...breakable(nameOf(key))))),
        h('td', { class: 'number with-bar' }, cumulativeBar(before, share), h('span', {}, percent(share))),
        ...cells(sum, saved).map((text, i) => h('td', { class: `number${isWide(titles[i + 2]) ? ' not-narrow' : ''}` }, text)));
      before += share;
      return row;
    });
    return h('div', {}, scrollBox(TABLE_NAMES[table], h('table', { class: 'sum-table' },
      h('thead', {}, h('tr', {}, ...titles.map((title, i) => h('th', { scope: 'col',
        class: i === 0 ? null : `number${isWide(title) ? ' not-narrow' : ''}` }, title)))),
      h('tbody', {}, ...body))),
      rows.length > most && h('p', { class: 'muted' }, `… and ${rows.length - most} more.`));
  }

  private namesOf(experiment: ExperimentView): Map<string, string> {
    const known = this.names.get(experiment) ?? (experiment.isOfProgram
      ? cutApart(experiment.points.map(({ label }) => label), LONGEST_NAME) : new Map<string, string>());
    this.names.set(experiment, known);
    return known;
  }

  private showPageOf(experiment: ExperimentView, key: string | undefined): void {
    const place = this.order.findIndex((index) => experiment.points[index]?.key === key);
    if (place >= 0) this.page = Math.floor(place / rowsPerPage(experiment));
  }

  /** On which screens the column is shown. */
  private widthOf({ isOfProgram }: ExperimentView, title: string): string | null {
    const width = widthClass(title);
    return isOfProgram && !this.hasMore && LAST.includes(title) ? `only-widest ${width ?? ''}` : width;
  }

  private drawHead(view: View, experiment: ExperimentView): void {
    const focused = document.activeElement?.closest('th')?.dataset['column'];
    fill(this.head, ...this.columnsOf(experiment).map((column) => {
      const { title, role, is_number, help } = data.columns[column] as (typeof data.columns)[number];
      const isSorted = view.sort?.column === title;
      const direction = isSorted ? (view.sort?.descending ? 'descending' : 'ascending') : null;
      const isByDefault = experiment.isOfProgram && !view.sort && title === (isOfStep(experiment) ? SAVED_IN_STEP : 'could save');
      const sort = (): void => {
        // In a program, one looks for the largest number.
        const isFirstDown = experiment.isOfProgram && is_number;
        if (isSorted && view.sort?.descending !== isFirstDown) return this.store.set({ sort: null });
        this.store.set({ sort: { column: title, descending: isSorted ? !isFirstDown : isFirstDown } });
      };
      return h('th', { scope: 'col', class: [is_number ? 'number' : '', this.widthOf(experiment, title) ?? ''].join(' ').trim() || null,
        'aria-sort': direction ?? (isByDefault ? 'descending' : null), 'data-column': title },
        h('button', { type: 'button', title: help || null, onclick: sort },
          role === 'label' && experiment.isOfProgram ? 'kernel' : title === 'share' && isOfStep(experiment) ? NAME_OF_SHARE : title));
    }));
    if (focused) [...this.head.cells].find((cell) => cell.dataset['column'] === focused)?.querySelector('button')?.focus();
  }

  private drawRows(view: View, experiment: ExperimentView): void {
    const pins = new Map(view.pins.map((key, place) => [key, place + 1]));
    const focused = (document.activeElement?.closest('tr') as HTMLElement | null)?.dataset['point'];
    const each = rowsPerPage(experiment);
    const first = this.page * each;
    const shown = this.order.slice(first, first + each);
    const columns = this.columnsOf(experiment);
    const isOfProgram = experiment.isOfProgram;
    const ranks = isOfProgram ? ranksOf(view, experiment) : new Map<number, number>();
    const names = this.namesOf(experiment);
    const share = (index: number): number => shareOf(experiment, experiment.points[index] as PointView);
    let before = isOfProgram ? this.order.slice(0, first).reduce((sum, index) => sum + share(index), 0) : 0;
    fill(this.body, ...shown.map((index) => {
      const row = this.row(experiment, columns, index, pins, before, names, ranks.get(index));
      before += share(index);
      return row;
    }));
    const last = Math.ceil(this.order.length / each) - 1;
    const turn = (by: number) => (): void => {
      this.page += by;
      this.drawRows(this.store.view, experiment);
    };
    fill(this.pages, ...(last > 0 ? [
      h('button', { type: 'button', disabled: this.page === 0, onclick: turn(-1) }, 'Previous'),
      h('span', { class: 'muted' }, `rows ${first + 1} to ${first + shown.length} of ${this.order.length}`),
      h('button', { type: 'button', disabled: this.page === last, onclick: turn(1) }, 'Next')] : []));
    this.pages.hidden = last <= 0;
    this.rest.textContent = `The first 28 of ${this.order.length}; points.csv has all of them.`;
    this.rest.hidden = this.order.length <= 28;
    if (focused !== undefined) this.body.querySelector<HTMLElement>(`tr[data-point="${focused}"] button`)?.focus();
  }

  private row(experiment: ExperimentView, columns: readonly number[], index: number, pins: Map<string, number>, before: number,
    names: ReadonlyMap<string, string>, rank: number | undefined): HTMLElement {
    const point = experiment.points[index] as PointView;
    const number = pins.get(point.key);
    const row = h('tr', { 'data-point': index, class: number !== undefined ? 'pinned' : null });
    row.append(...columns.map((column) => {
      const { role, title, is_number } = data.columns[column] as (typeof data.columns)[number];
      const text = point.texts[column] ?? '';
      const width = this.widthOf(experiment, title);
      const classes = (...names: (string | null | false)[]): string | null => [...names, width].filter(Boolean).join(' ') || null;
      if (role === 'label') {
        const place = experiment.isOfProgram && h('span',
          { class: 'rank', title: rank === undefined ? null : `Place ${rank} by time, as in the chart` },
          rank === undefined ? '' : String(rank));
        const name = h('button', { type: 'button', class: 'name', 'aria-pressed': String(number !== undefined),
          title: point.kernel || (number !== undefined ? 'Unpin' : 'Pin') },
          pointGlyph(point), h('span', { class: 'text' }, ...breakable(names.get(text) ?? text)),
          number !== undefined && pins.size > 1 && h('span', { class: 'pin' }, String(number)));
        return h('th', { scope: 'row' }, h('div', { class: 'of-name' }, place, name,
          point.kernel !== '' && copyButton(point.kernel, `Copy ${text}`)));
      }
      if (role === 'fraction_of_roofline') return h('td', { class: classes('number', 'with-bar') }, bar(point), h('span', {}, text));
      if (title === 'share' && experiment.isOfProgram) return h('td', { class: classes('number', 'with-bar') },
        cumulativeBar(before, shareOf(experiment, point)), h('span', {}, isOfStep(experiment) ? percent(shareOf(experiment, point)) : text));
      if (title === SAVED_IN_STEP && isGroup(point)) return h('td', { class: classes('number') }, savedInStep(experiment, point));
      if (role === 'bound') return h('td', { class: classes(), title: wordsFor(point.bound).meaning },
        h('span', { class: `bound bound-${point.bound}` }, text));
      if (role === 'family') return h('td', { class: classes() }, point.family.name);
      return h('td', { class: classes(is_number && 'number') }, text);
    }));
    return row;
  }

  private markActive(point: number | undefined): void {
    this.body.querySelector('tr.active')?.classList.remove('active');
    if (point !== undefined) this.body.querySelector(`tr[data-point="${point}"]`)?.classList.add('active');
  }
}

function bar(point: PointView): HTMLElement | null {
  if (point.fraction_of_roofline === null) return null;
  const element = h('span', { class: 'bar', 'aria-hidden': 'true' }, h('span'));
  const inside = element.firstElementChild as HTMLElement;
  inside.style.width = `${Math.min(100, 100 * point.fraction_of_roofline)}%`;
  inside.style.background = point.group ? colourOfBound(point.bound) : colourOf(point.family);
  return element;
}

/** The part of a row, drawn after those of the rows above it. */
function cumulativeBar(before: number, share: number): HTMLElement {
  const [above, own] = [h('span', { class: 'above' }), h('span', { class: 'own' })];
  above.style.width = `${Math.min(100, 100 * before)}%`;
  own.style.width = `${Math.min(100, 100 * share)}%`;
  return h('span', { class: 'bar cumulative', 'aria-hidden': 'true', title: `With the rows above: ${percent(before + share)}` }, above,
    own);
}
