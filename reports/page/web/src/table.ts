// SPDX-License-Identifier: Apache-2.0
// Every point in a table that sorts, filters, and answers the chart.
import { data, hasColumn, wordsFor, type ExperimentView, type PointView } from './data';
import { fill, h } from './dom';
import type { Highlight } from './highlight';
import { colourOf, familyGlyph } from './marks';
import { shownPoints, type View, type ViewStore } from './view';

const ROWS_PER_PAGE = 200;

// What has no number comes last, whatever the direction.
function compare(a: PointView, b: PointView, column: number, descending: boolean): number {
  const [x, y] = [a.values[column] ?? null, b.values[column] ?? null];
  const isNumber = data.columns[column]?.is_number ?? false;
  const direction = descending ? -1 : 1;
  if (x !== null && y !== null) return direction * (x - y);
  if (isNumber || x !== null || y !== null) return Number(x === null) - Number(y === null);
  return direction * (a.texts[column] ?? '').localeCompare(b.texts[column] ?? '', 'en', { numeric: true });
}

/** Indices of the shown points in the order of the view. */
export function sortedPoints(view: View, experiment: ExperimentView): number[] {
  const shown = shownPoints(view, experiment);
  if (!view.sort && experiment.program) return shown.sort((a, b) => (experiment.points[b]?.share ?? 0) - (experiment.points[a]?.share ?? 0) || a - b);
  const column = data.columns.findIndex(({ title }) => title === view.sort?.column);
  if (!view.sort || column < 0) return shown;
  const { descending } = view.sort;
  const { points } = experiment;
  return shown.sort((a, b) => compare(points[a] as PointView, points[b] as PointView, column, descending) || a - b);
}

export class PointTable {
  readonly element = h('section', { class: 'points', id: 'points', 'aria-label': 'Points' });
  private readonly filter = h('input', { type: 'search', id: 'filter', placeholder: 'V7, f16, 2^20, latency …', autocomplete: 'off', spellcheck: 'false' });
  private readonly count = h('span', { class: 'muted', role: 'status' });
  private readonly head = h('tr');
  private readonly body = h('tbody');
  private readonly pages = h('div', { class: 'pages' });
  /** On paper, where a long table ends early. */
  private readonly rest = h('p', { class: 'print-more muted' });
  private page = 0;
  private order: number[] = [];

  constructor(private readonly store: ViewStore, private readonly highlight: Highlight) {
    const table = h('table', { class: 'points' }, h('thead', {}, this.head), this.body);
    this.element.append(
      h('div', { class: 'section-head' }, h('h2', {}, 'Points'),
        h('label', { for: 'filter', class: 'filter' }, 'Filter ', this.filter), this.count, this.clearButton()),
      h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table of points' }, table), this.rest, this.pages);
    this.filter.addEventListener('input', () => this.store.set({ filter: this.filter.value }));
    this.listen();
    this.store.show((view, previous) => this.update(view, previous));
    this.highlight.onChange((active) => this.markActive(active?.point));
  }

  private clearButton(): HTMLElement {
    const button = h('button', { type: 'button', onclick: () => this.store.set({ filter: '', bound: null, hiddenFamilies: [], caches: 'both', precisions: null }) }, 'Show all points');
    this.store.show(() => { button.hidden = this.store.experiment === undefined || shownPoints(this.store.view, this.store.experiment).length === this.store.experiment.points.length; });
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
      if (point) this.store.togglePin(point.key);
    });
  }

  private update(view: View, previous: View | null): void {
    const experiment = this.store.experiment;
    this.element.hidden = !experiment;
    if (!experiment) return;
    if (this.filter.value !== view.filter) this.filter.value = view.filter;
    const order = sortedPoints(view, experiment);
    if (previous?.experiment !== view.experiment || order.join() !== this.order.join()) this.page = 0;
    const lastPin = view.pins.at(-1);
    this.order = order;
    if (previous && view.pins.length > previous.pins.length) this.showPageOf(experiment, lastPin);
    this.count.textContent = order.length === experiment.points.length ? `${order.length} points` : `${order.length} of ${experiment.points.length} points`;
    this.drawHead(view, experiment);
    this.drawRows(view, experiment);
  }

  private showPageOf(experiment: ExperimentView, key: string | undefined): void {
    const place = this.order.findIndex((index) => experiment.points[index]?.key === key);
    if (place >= 0) this.page = Math.floor(place / ROWS_PER_PAGE);
  }

  private drawHead(view: View, experiment: ExperimentView): void {
    const focused = document.activeElement?.closest('th')?.dataset['column'];
    fill(this.head, ...data.columns.flatMap(({ title, is_number, help }, column) => {
      if (!hasColumn(experiment, column)) return [];
      const isSorted = view.sort?.column === title;
      const direction = isSorted ? (view.sort?.descending ? 'descending' : 'ascending') : null;
      const sort = (): void => {
        if (isSorted && view.sort?.descending) return this.store.set({ sort: null });
        this.store.set({ sort: { column: title, descending: isSorted } });
      };
      return [h('th', { scope: 'col', class: is_number ? 'number' : null, 'aria-sort': direction, 'data-column': title },
        h('button', { type: 'button', title: help || null, onclick: sort }, title))];
    }));
    if (focused) [...this.head.cells].find((cell) => cell.dataset['column'] === focused)?.querySelector('button')?.focus();
  }

  private drawRows(view: View, experiment: ExperimentView): void {
    const pins = new Map(view.pins.map((key, place) => [key, place + 1]));
    const focused = (document.activeElement?.closest('tr') as HTMLElement | null)?.dataset['point'];
    const first = this.page * ROWS_PER_PAGE;
    const shown = this.order.slice(first, first + ROWS_PER_PAGE);
    fill(this.body, ...shown.map((index) => this.row(experiment, experiment.points[index] as PointView, index, pins)));
    const last = Math.ceil(this.order.length / ROWS_PER_PAGE) - 1;
    const turn = (by: number) => (): void => {
      this.page += by;
      this.drawRows(this.store.view, experiment);
    };
    fill(this.pages, ...(last > 0 ? [
      h('button', { type: 'button', disabled: this.page === 0, onclick: turn(-1) }, 'Previous'),
      h('span', { class: 'muted' }, `rows ${first + 1} to ${first + shown.length} of ${this.order.length}`),
      h('button', { type: 'button', disabled: this.page === last, onclick: turn(1) }, 'Next')] : []));
    this.pages.hidden = last <= 0;
    this.rest.textContent = `The first 28 of ${this.order.length} points; points.csv has all of them.`;
    this.rest.hidden = this.order.length <= 28;
    if (focused !== undefined) this.body.querySelector<HTMLElement>(`tr[data-point="${focused}"] button`)?.focus();
  }

  private row(experiment: ExperimentView, point: PointView, index: number, pins: Map<string, number>): HTMLElement {
    const number = pins.get(point.key);
    const row = h('tr', { 'data-point': index, class: number !== undefined ? 'pinned' : null });
    row.append(...data.columns.flatMap(({ role, is_number }, column) => {
      if (!hasColumn(experiment, column)) return [];
      const text = point.texts[column] ?? '';
      if (role === 'label') {
        return h('th', { scope: 'row' }, h('button', { type: 'button', class: 'name', 'aria-pressed': String(number !== undefined), title: number !== undefined ? 'Unpin' : 'Pin' },
          familyGlyph(point.family), text, number !== undefined && h('span', { class: 'pin' }, String(number))));
      }
      if (role === 'fraction_of_roof') return h('td', { class: 'number with-bar' }, bar(point), h('span', {}, text));
      if (role === 'bound') return h('td', { title: wordsFor(point.bound).meaning }, h('span', { class: `bound bound-${point.bound}` }, text));
      if (role === 'family') return h('td', {}, point.family.name);
      return h('td', { class: is_number ? 'number' : null }, text);
    }));
    return row;
  }

  private markActive(point: number | undefined): void {
    this.body.querySelector('tr.active')?.classList.remove('active');
    if (point !== undefined) this.body.querySelector(`tr[data-point="${point}"]`)?.classList.add('active');
  }
}

function bar(point: PointView): HTMLElement | null {
  if (point.fraction_of_roof === null) return null;
  const element = h('span', { class: 'bar', 'aria-hidden': 'true' }, h('span'));
  const inside = element.firstElementChild as HTMLElement;
  inside.style.width = `${Math.min(100, 100 * point.fraction_of_roof)}%`;
  inside.style.background = colourOf(point.family);
  return element;
}
