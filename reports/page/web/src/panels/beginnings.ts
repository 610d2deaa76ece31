// SPDX-License-Identifier: Apache-2.0
// Where to begin: what costs a program most time, of whatever kind, each with its cause and what to do.
import { cellOf, findingsOf, type ExperimentView, type GroupView, type Loss, type Program } from '../data';
import { breakable, fill, h, keepFocus } from '../dom';
import { duration, percent, unbroken } from '../format';
import { pointGlyph } from '../chart/marks';
import { ranksAtAGlance } from './ranks';
import { titledTable } from './sections';
import { fractionOfRoofline, groupedBy, groupsOf, overlaps, savedInStep, savingShare, sumOf } from '../sums';
import { shownPoints, type ViewStore } from '../view';

const MOST_BEGINNINGS = 6;

/** Some launch groups of a kernel could save notably more together than any one alone. */
const NOTABLE_SUM = 1.2;
const MOST_NAMES = 2;

/** What costs time, and how it is shown: `share` is of the time of `loss_basis`. */
interface Beginning { share: number; element: HTMLElement }

interface KernelOfManyGroups { name: string; of: GroupView[] }

/**
 * Kernels that could save more in several launch groups than any group alone, with the groups; `groups` are those that could save
 * time, the most first. As `group_savings` (analysis/program/losses.cpp).
 */
function kernelsOfManyGroups(groups: readonly GroupView[]): KernelOfManyGroups[] {
  const least = NOTABLE_SUM * (groups[0]?.group.recoverable_s ?? 0);
  return [...groupedBy(groups, ({ kernelShort }) => kernelShort)].map(([name, of]) => ({ name, of, saved: sumOf(of).recoverable }))
    .filter(({ of, saved }) => of.length > 1 && saved >= least && !of.some(overlaps)).sort((a, b) => b.saved - a.saved).slice(0, MOST_NAMES);
}

/** `5.604 ms` and `26.2 % of a step`. */
function cost({ loss_basis: { is_step, time_s } }: Program, share: number, sign = ''): [HTMLElement, string] {
  return [h('strong', {}, `${sign}${duration(share * time_s)}`), `${percent(share)} of ${is_step ? 'a step' : 'the time'}`];
}

const MOST_BOUNDS = 3;

/** `at 72.1 % of roofline, bound by DRAM` */
function standing(fraction: number | null, of: readonly GroupView[], isPart = false): string {
  const names = [...new Set(of.map(({ bound, boundName }) => (bound === 'unknown' ? '' : boundName)))].filter((name) => name !== '');
  const bound = names.length === 0 ? 'bound unknown' : `bound by ${names.slice(0, MOST_BOUNDS).join(', ')}`;
  return `${fraction === null ? 'no roof' : `at ${isPart ? '≥\u00a0' : ''}${percent(fraction)} of roofline`}, ${bound}`;
}

/** What to try, from the rules of `explain`. */
const advice = (first: { next_step: string } | undefined): HTMLElement | undefined =>
  first && h('span', { class: 'next' }, h('strong', {}, 'Next: '), first.next_step);

/** Shows everything about a kernel, wherever its place is on this screen. */
function choose(store: ViewStore, { key }: GroupView): void {
  store.choose(key, false);
  document.getElementById('inspector')?.scrollIntoView({ block: 'nearest' });
}

/** What several kernels, or none, cause: cause and action at once, the evidence at a click. */
function beginningOfLoss(store: ViewStore, experiment: ExperimentView, program: Program, loss: Loss): Beginning {
  const [value, share] = cost(program, loss.share);
  const kernels = groupsOf(experiment, loss.kernels);
  // Which rank the others wait for is seen at once where there is room.
  const element = h('details', { class: `loss${loss.is_waiting ? ' waiting' : ''}`,
    open: loss.is_waiting && matchMedia('(min-width: 761px)').matches },
    h('summary', {}, h('span', { class: 'name' }, h('span', {}, loss.name)), value, h('span', { class: 'muted' }, unbroken(`${share}. ${loss.cause}`)),
      h('span', { class: 'next' }, h('strong', {}, 'Next: '), loss.next_step)),
    loss.is_waiting && ranksAtAGlance(),
    kernels.length > 0 && h('ul', {}, ...kernels.map((point) => h('li', {}, h('button', { type: 'button', class: 'link',
      onclick: () => choose(store, point) }, point.label)))),
    ...loss.tables.map(titledTable),
    loss.is_waiting && h('button', { type: 'button', class: 'link',
      onclick: () => document.getElementById('ranks')?.scrollIntoView() }, 'More about the ranks'));
  return { share: loss.share, element };
}

/** One kernel in several launch groups: why and what of the one that could save most, and all of them at a click. */
function beginningOfKernel(store: ViewStore, experiment: ExperimentView, program: Program, { name, of }: KernelOfManyGroups): Beginning {
  const sum = sumOf(of);
  const share = savingShare(program, of);
  const [value, text] = cost(program, share);
  const [first] = of.flatMap((point) => findingsOf(experiment, point).slice(0, 1));
  const show = (): void => store.set({ kernel: name, table: 'kernels', zoom: null });
  const element = h('details', { class: 'loss', 'data-value': `kernel ${name}` },
    h('summary', {}, h('span', { class: 'name' }, h('span', {}, ...breakable(name), ` (${of.length} launch groups)`)), value,
      h('span', { class: 'muted' }, `could save ${text}; ${standing(fractionOfRoofline(sum), of)}`), advice(first)),
    first && h('p', {}, first.text), first && h('p', { class: 'muted' }, first.evidence),
    h('ul', {}, ...of.map((point) => h('li', {}, h('button', { type: 'button', class: 'link',
      onclick: () => choose(store, point) }, point.label), ` ${program.loss_basis.is_step ? savedInStep(experiment, point) : cellOf(point, 'could save').text}`))),
    h('button', { type: 'button', onclick: show }, 'Show only these'));
  return { share, element };
}

/** Smaller savings are not worth a line of advice before they are chosen. */
const NOTABLE_SHARE = 0.02;

/** What it takes beyond its roof if all of its work was counted, else at most that. */
const mostSaved = ({ group, fraction_of_roofline: fraction }: GroupView): number =>
  group.recoverable_s ?? (fraction === null ? 0 : group.total_s * Math.max(0, 1 - fraction));
const isPartlyCounted = ({ group, fraction_of_roofline: fraction }: GroupView): boolean =>
  group.recoverable_s === null && fraction !== null;

function beginningOf(store: ViewStore, experiment: ExperimentView, program: Program, point: GroupView): Beginning {
  const isPart = isPartlyCounted(point);
  const remarks = (overlaps(point) ? '; less where it overlaps other kernels' : '') +
    (cellOf(point, 'flags').text.includes('not-repeatable') ? '; its launches differ' : '');
  const share = isPart ? program.loss_basis.share_per_s * mostSaved(point) : savingShare(program, [point]);
  const [value, text] = cost(program, share, isPart ? '≤\u00a0' : overlaps(point) ? '~' : '');
  return { share, element: h('button', { type: 'button', 'data-value': point.key, onclick: () => choose(store, point) },
    h('span', { class: 'name' }, pointGlyph(point), h('span', {}, ...breakable(point.label))), value,
    h('span', { class: 'muted' }, `could save ${text}; ${standing(point.fraction_of_roofline, [point], isPart)}${remarks}`),
    share >= NOTABLE_SHARE && advice(findingsOf(experiment, point)[0])) };
}

/** What costs most of the groups that are shown, and of the whole program if all are. */
function contentOf(store: ViewStore, experiment: ExperimentView): HTMLElement[] {
  const shown = shownPoints(store.view, experiment);
  const all = groupsOf(experiment, shown).filter((point) => point.group.in_steps_s > 0 && mostSaved(point) > 0).sort((a, b) => mostSaved(b) - mostSaved(a));
  const { program } = experiment;
  const list: Beginning[] = [];
  if (program) {
    if (shown.length === experiment.points.length) {
      list.push(...program.losses.map((loss) => beginningOfLoss(store, experiment, program, loss)));
    }
    const together = store.view.kernel === null ? kernelsOfManyGroups(all.filter((point) => !isPartlyCounted(point))) : [];
    const inMany = new Set(together.flatMap(({ of }) => of));
    list.push(...together.map((kernel) => beginningOfKernel(store, experiment, program, kernel)),
      ...all.filter((point) => !inMany.has(point)).slice(0, MOST_BEGINNINGS).map((point) => beginningOf(store, experiment, program, point)));
  }
  list.sort((a, b) => b.share - a.share);
  const hasRoofs = shown.some((index) => (experiment.points[index]?.fraction_of_roofline ?? null) !== null);
  const basis = program?.loss_basis.is_step ? ` per step of ${duration(program.loss_basis.time_s)}` : '';
  const text = shown.length === 0 ? 'No kernel matches the filters.' : list.length > 0
    ? `Largest possible savings${basis}; they overlap and do not add up. Click for cause and fix.`
    : hasRoofs ? 'None of the kernels shown could save time.'
      : 'None of the kernels shown has a roof, since some of the counts that a roof needs are missing: the reasons are below the table.';
  return [h('h2', {}, 'Where to begin'), h('p', { class: 'muted' }, text),
    h('ol', {}, ...list.slice(0, MOST_BEGINNINGS).map((one) => h('li', {}, one.element)))];
}

export function beginnings(store: ViewStore): HTMLElement {
  const element = h('section', { class: 'beginnings', id: 'begin', 'aria-label': 'Where to begin' });
  let shown: readonly number[] = [];
  store.show((view, previous) => {
    const experiment = store.experiment;
    element.hidden = !experiment?.isOfProgram;
    if (!experiment?.isOfProgram) return fill(element);
    const before = shown;
    shown = shownPoints(view, experiment);
    // What is open stays open while the same kernels are shown.
    if (previous?.experiment === view.experiment && previous.time === view.time && previous.scope === view.scope &&
      previous.kernel === view.kernel && before.join() === shown.join()) return;
    keepFocus(element, () => fill(element, ...contentOf(store, experiment)));
  });
  return element;
}
