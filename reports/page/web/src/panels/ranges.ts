// SPDX-License-Identifier: Apache-2.0
// NVTX ranges, and modules or operators of PyTorch, as a tree and as an icicle: choosing one filters everything.
import { isGroup, type ExperimentView, type RangeView } from '../data';
import { breakable, fill, h, keepFocus } from '../dom';
import { duration, percent, wholePercent } from '../format';
import { scopesOf } from '../scopes';
import { fractionOfRoofline, sumOf } from '../sums';
import type { ViewStore } from '../view';

const OPEN_DEPTH = 1;
export const NO_RANGE = 'no range';
export const NO_SCOPE = 'not in the trace';

/** What a tree is of: the member of the view that it chooses. */
type Kind = 'range' | 'scope';

type Sums = Pick<RangeView, 'launches' | 'total_s' | 'in_steps_s' | 'fraction_of_roofline'>;

const titleOf = (experiment: ExperimentView, kind: Kind): string =>
  (kind === 'range' ? 'NVTX ranges' : experiment.program?.torch?.has_modules ? 'Modules' : 'Operators');
const rangesOf = (experiment: ExperimentView, kind: Kind): RangeView[] =>
  (kind === 'range' ? experiment.program?.ranges ?? [] : scopesOf(experiment).filter(({ total_s }) => total_s > 0));

/** A path as the tree names it. */
export function rangeTitle(experiment: ExperimentView, path: string): string {
  const names: string[] = [];
  for (const range of experiment.program?.ranges ?? []) {
    names.length = range.depth;
    names.push(range.name);
    if (range.path === path) return names.join('/');
  }
  return path;
}

export function rangeTree(store: ViewStore): HTMLElement {
  const element = h('nav', { class: 'ranges' });
  /** The tree that the reader chose. */
  let asked: Kind | null = null;
  let kind: Kind = 'range';
  /** The nodes that the reader opened or closed. */
  const turned = new Map<string, boolean>();
  let isIcicle = false;

  const isOpen = ({ path, depth, in_steps_s }: RangeView): boolean =>
    turned.get(path) ?? ((depth < OPEN_DEPTH && in_steps_s > 0) || (store.view[kind] ?? '').startsWith(`${path}/`));
  const choose = (path: string | null) => (): void => store.set({ [kind]: store.view[kind] === path ? null : path, zoom: null });
  const nameOf = ({ path, name }: RangeView): string => (path === '' ? (kind === 'range' ? NO_RANGE : NO_SCOPE) : name);

  /** What is shown of a node: its part of a step, or of all time; of a chosen time, of the kernels in it. */
  function partOf({ in_steps_s }: Sums): { time: string; share: number } {
    const { share_per_s: perSecond, time_s: time } = store.timed?.program?.loss_basis ?? { share_per_s: 0, time_s: 0 };
    return { time: duration(in_steps_s * perSecond * time), share: in_steps_s * perSecond };
  }

  function row(label: string, path: string | null, sums: Sums, depth: number, toggle: HTMLElement | null): HTMLElement {
    const { launches, fraction_of_roofline } = sums;
    const { time, share } = partOf(sums);
    const isBeside = share === 0 && sums.total_s > 0;
    const bar = h('span', { class: 'share-bar', 'aria-hidden': 'true' });
    bar.style.width = `${Math.min(100, 100 * share)}%`;
    const item = h('li', { class: store.view[kind] === path ? 'chosen' : null }, toggle ?? h('span', { class: 'toggle' }),
      h('button', {
        type: 'button', class: 'range', 'aria-pressed': String(store.view[kind] === path), 'data-value': path ?? '*',
        title: `${path || label}: ${isBeside ? `${duration(sums.total_s)} in the whole run` : `${time}, ${percent(share)}`}; ${launches} launches in the whole run` +
          (fraction_of_roofline === null ? '' : `, ${wholePercent(fraction_of_roofline)} of roofline`),
        onclick: choose(path),
      },
        h('span', { class: 'line' }, h('span', { class: 'name' }, ...breakable(label)), h('span', {}, isBeside ? '–' : percent(share))),
        h('span', { class: 'line muted' }, h('span', {}, isBeside ? `in no step: ${duration(sums.total_s)}` : time),
          fraction_of_roofline === null ? '' : h('span', {}, `${wholePercent(fraction_of_roofline)} of roofline`)),
        h('span', { class: 'share-track', 'aria-hidden': 'true' }, bar)));
    item.style.setProperty('--depth', String(depth));
    return item;
  }

  function tree(experiment: ExperimentView, ranges: readonly RangeView[]): HTMLElement {
    const outermost = ranges.filter(({ depth }) => depth === 0);
    const sum = (of: (range: RangeView) => number): number => outermost.reduce((all, range) => all + of(range), 0);
    const whole = {
      launches: sum(({ launches }) => launches), total_s: experiment.program?.kernel_s ?? 0, in_steps_s: experiment.program?.in_steps_s ?? 0,
      fraction_of_roofline: fractionOfRoofline(sumOf(experiment.points.filter(isGroup))),
    };
    const items: HTMLElement[] = [row('all kernels', null, whole, 0, null)];
    let closedAt = Infinity;
    ranges.forEach((range, i) => {
      if (range.depth > closedAt) return;
      closedAt = Infinity;
      const hasInner = (ranges[i + 1]?.depth ?? 0) > range.depth;
      const isShownOpen = isOpen(range);
      if (hasInner && !isShownOpen) closedAt = range.depth;
      const toggle = hasInner ? h('button', {
        type: 'button', class: 'toggle', 'aria-expanded': String(isShownOpen),
        'aria-label': `${isShownOpen ? 'Close' : 'Open'} ${nameOf(range)}`,
        onclick: () => { turned.set(range.path, !isShownOpen); draw(); },
      }, isShownOpen ? '▾' : '▸') : null;
      items.push(row(nameOf(range), range.path, range, range.depth + 1, toggle));
    });
    return h('ul', {}, ...items);
  }

  /** Each range as wide as its share, those inside of it below. */
  function icicle(ranges: readonly RangeView[]): HTMLElement {
    const box = h('div', { class: 'icicle' });
    const ends: number[] = [];
    const begins: number[] = [];
    let depths = 0;
    for (const range of ranges) {
      // What follows a range at its depth begins where that ended; what is inside begins where it began.
      const left = Math.max(ends[range.depth] ?? 0, begins[range.depth - 1] ?? 0);
      begins[range.depth] = left;
      ends[range.depth] = left + range.share;
      depths = Math.max(depths, range.depth + 1);
      if (range.share < 0.002) continue;
      const cell = h('button', { type: 'button', 'aria-pressed': String(store.view[kind] === range.path),
        title: `${range.path || nameOf(range)}: ${partOf(range).time}, ${percent(partOf(range).share)}`, onclick: choose(range.path) },
        nameOf(range));
      Object.assign(cell.style, { left: `${100 * left}%`, width: `${100 * range.share}%`, top: `${24 * range.depth}px` });
      box.append(cell);
    }
    box.style.height = `${24 * depths}px`;
    return box;
  }

  /** The trees that there are, to choose from. */
  function head(experiment: ExperimentView, kinds: readonly Kind[]): HTMLElement {
    const titles = kinds.length > 1
      ? kinds.map((of) => h('button', { type: 'button', 'aria-pressed': String(of === kind), 'data-value': of,
        onclick: () => { asked = of; draw(); } }, titleOf(experiment, of)))
      : [h('h2', {}, titleOf(experiment, kind),
        experiment.program?.loss_basis.is_step && h('span', { class: 'muted' }, ' per step'))];
    return h('div', { class: 'ranges-head' }, ...titles,
      h('button', { type: 'button', 'aria-pressed': String(isIcicle), 'data-value': 'icicle',
        onclick: () => { isIcicle = !isIcicle; draw(); } }, 'Icicle'));
  }

  function draw(): void {
    const experiment = store.timed;
    const program = experiment?.program;
    const kinds = [...((program?.ranges.length ?? 0) > 0 ? ['range' as const] : []), ...(program?.torch ? ['scope' as const] : [])];
    element.hidden = !experiment?.isOfProgram || kinds.length === 0;
    if (!experiment || element.hidden) return fill(element);
    const wanted = asked ?? (store.view.scope !== null ? 'scope' : 'range');
    kind = kinds.includes(wanted) ? wanted : kinds[0] as Kind;
    element.setAttribute('aria-label', titleOf(experiment, kind));
    const ranges = rangesOf(experiment, kind);
    keepFocus(element, () => fill(element,
      head(experiment, kinds),
      isIcicle && icicle(ranges),
      tree(experiment, ranges),
      kind === 'scope' && h('p', { class: 'muted' },
        'Estimates: each group’s time is divided as its launches are in a PyTorch trace of a different run.')));
  }
  store.show((view, previous) => {
    if (previous?.experiment === view.experiment && previous.range === view.range && previous.scope === view.scope &&
      previous.time === view.time) return;
    draw();
  });
  return element;
}
