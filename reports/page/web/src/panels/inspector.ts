// SPDX-License-Identifier: Apache-2.0
// Everything about the chosen point: what bounds it, on what evidence, what to do, and every number. Without a chosen point, where to
// begin.
import { cellOf, factsOf, findingsOf, isGroup, wordsFor, type ExperimentView, type GroupView, type Loss, type PointView, type Program } from '../data';
import { fill, h } from '../dom';
import { duration, percent } from '../format';
import { launches } from './launches';
import { colourOfBound, pointGlyph } from '../chart/marks';
import { NO_SCOPE } from './ranges';
import { titledTable } from './sections';
import { fractionOfRoofline, groupedBy, groupsOf, sumOf } from '../sums';
import { pinnedPoints, shownPoints, type ViewStore } from '../view';

const MOST_BEGINNINGS = 6;
const MOST_BARS = 3;

function meter(label: string, share: number, note: string, colour: string): HTMLElement {
  const inside = h('span');
  inside.style.width = `${Math.min(100, 100 * share)}%`;
  inside.style.background = colour;
  return h('li', {}, h('span', {}, label), h('strong', {}, percent(share)), h('span', { class: 'meter', 'aria-hidden': 'true' }, inside),
    h('span', { class: 'muted' }, note));
}

const ICON = '<svg viewBox="0 0 14 14" aria-hidden="true"><rect x="1" y="1" width="8" height="9" rx="1.5"/>' +
  '<path d="M5 13h6.5A1.5 1.5 0 0 0 13 11.5V5"/></svg>';
const COPIED = '<svg viewBox="0 0 14 14" aria-hidden="true"><path d="M2 7.5 5.5 11 12 3.5"/></svg>';

/** Copies `text` without selecting the element that it is in. */
export function copyButton(text: string, label: string): HTMLElement {
  const button = h('button', { type: 'button', class: 'copy', title: label, 'aria-label': label });
  button.innerHTML = ICON;
  button.addEventListener('click', (event) => {
    event.stopPropagation();
    void navigator.clipboard.writeText(text).then(() => { button.innerHTML = COPIED; }, () => {});
    setTimeout(() => { button.innerHTML = ICON; }, 1500);
  });
  return button;
}

/** The time that each resource needs at least, of a launch's: the nearest to 100 % limits it. */
function evidence(point: GroupView): HTMLElement {
  return h('ul', { class: 'meters', 'aria-label': 'Share of a launch’s time that each resource needs' },
    ...point.group.uses.slice(0, MOST_BARS).map(([bound, share, ceiling]) =>
      meter(wordsFor(bound).label, share, `of ${ceiling}`, colourOfBound(bound))));
}

/** What could be gained, in the program's time. */
function gain(experiment: ExperimentView, point: GroupView): string {
  const { group } = point;
  const aStep = cellOf(point, 'per step').text;
  if (group.recoverable_s === null) return 'It has no roof, so what it could gain is unknown.';
  const whole = experiment.program?.kernel_s ?? 0;
  const share = percent(whole > 0 ? group.recoverable_s / whole : 0);
  return `At its roof it would take ${duration(group.total_s - group.recoverable_s)} instead of ${duration(group.total_s)}: ` +
    `${duration(group.recoverable_s)} less, ${share} of GPU time${aStep === '' || aStep === '–' ? '' : `, ${aStep} of each step`}.`;
}

const MOST_OPERATORS = 5;
const MOST_SCOPES = 8;

/** The operators of PyTorch that launched it, and where; a click shows what was launched there. */
function operators(store: ViewStore, experiment: ExperimentView, { group, operators: of }: GroupView): HTMLElement | false {
  const scopes = experiment.program?.torch?.scopes;
  if (!scopes) return false;
  if (of.length === 0) return h('p', { class: 'muted' }, 'PyTorch’s trace has no launch of it.');
  const where = [...(group.scopes ?? [])].sort((a, b) => b[1] - a[1]);
  return h('div', { class: 'operators' },
    h('p', {}, h('strong', {}, 'Launched by: '), of.slice(0, MOST_OPERATORS)
      .map(({ name, share }) => (of.length > 1 ? `${name} ${percent(share)}` : name)).join(', '),
      of.length > MOST_OPERATORS && ` and ${of.length - MOST_OPERATORS} more`),
    h('details', {}, h('summary', {}, where.length === 1 ? 'From one place' : `From ${where.length} places`),
      h('ul', {}, ...where.slice(0, MOST_SCOPES).map(([place, share]) => {
        const path = scopes[place]?.path ?? '';
        return h('li', {}, h('button', { type: 'button', class: 'link', onclick: () => store.set({ scope: path, zoom: null }) },
          path || NO_SCOPE), ` ${percent(share)}`);
      })),
      where.length > MOST_SCOPES && h('p', { class: 'muted' }, `… and ${where.length - MOST_SCOPES} more.`)));
}

function counters(experiment: ExperimentView, point: PointView, isOpen: boolean): HTMLElement {
  return h('details', { class: 'counters', open: isOpen }, h('summary', {}, 'All counters'),
    h('dl', {}, ...factsOf(experiment, point).map(([name, text]) => h('div', {}, h('dt', {}, name), h('dd', {}, text)))));
}

/** What warps wait for: a bar of the reasons that matter. */
function stalls({ stalls: shares }: PointView): HTMLElement | false {
  if (!shares) return false;
  const shown = shares.filter(([, share]) => share >= 0.01);
  const bar = h('div', { class: 'stalls-bar', 'aria-hidden': 'true' }, ...shown.map(([reason, share], i) => {
    const part = h('span', { title: `${reason} ${percent(share)}` });
    part.style.width = `${100 * share}%`;
    part.style.opacity = String(Math.max(0.15, 0.9 - 0.25 * i));
    return part;
  }));
  return h('div', { class: 'stalls' }, h('p', {}, h('strong', {}, 'Warps wait for: '),
    shown.map(([reason, share]) => `${reason} ${percent(share)}`).join(', ')), bar);
}

function ofPoint(store: ViewStore, experiment: ExperimentView, point: PointView, isOpen: boolean): HTMLElement {
  const [first, ...rest] = findingsOf(experiment, point);
  const isKernel = isGroup(point);
  const colour = isKernel ? colourOfBound(point.bound) : 'var(--ink)';
  const swatch = h('span', { class: 'swatch', 'aria-hidden': 'true' });
  swatch.style.background = colour;
  const roof = factsOf(experiment, point).find(([name]) => name === 'roof')?.[1];
  return h('article', { class: 'inspected' },
    h('div', { class: 'inspector-head' }, h('h2', {}, pointGlyph(point), point.label),
      isKernel && copyButton(point.kernel, 'Copy the full name of the kernel'),
      h('button', { type: 'button', class: 'close', 'aria-label': `Unpin ${point.label}`, onclick: () => store.togglePin(point.key) },
        '×')),
    isKernel && h('p', { class: 'muted summary' },
      `${percent(point.share ?? 0)} of GPU time · ${duration(point.group.total_s)} · ${point.group.launches} launches` +
      (point.group.path ? ` · in ${point.group.path}` : '')),
    h('p', { class: 'verdict' }, isKernel && swatch,
      h('strong', {}, point.fraction_of_roofline === null ? `Bound by: ${wordsFor(point.bound).label}`
        : `${cellOf(point, '% of roofline').text} of roofline, bound by: ${wordsFor(point.bound).label}`)),
    h('p', {}, first?.text ?? wordsFor(point.bound).meaning),
    isKernel ? evidence(point) : first && h('p', { class: 'muted' }, first.evidence),
    h('div', { class: 'action' }, first ? h('p', {}, h('strong', {}, 'Next: '), first.next_step)
      : h('p', { class: 'muted' }, 'No rule of “rooflinectl explain” applies.'), isKernel && h('p', {}, gain(experiment, point))),
    roof && h('p', {}, h('strong', {}, 'Roof: '), roof),
    stalls(point),
    rest.length > 0 && h('details', {}, h('summary', {}, `${rest.length} more finding${rest.length > 1 ? 's' : ''}`),
      h('ul', { class: 'more-findings' }, ...rest.map(({ rule, importance, text, evidence: shown, next_step }) =>
        h('li', { class: importance }, h('p', {}, h('strong', {}, `${rule}: `), text), h('p', { class: 'muted' }, shown),
          h('p', {}, h('strong', {}, 'Next: '), next_step))))),
    isKernel && operators(store, experiment, point),
    isKernel && launches(store, point),
    counters(experiment, point, isOpen));
}

/** Some shapes of a kernel could save notably more together than any one alone. */
const NOTABLE_SUM = 1.2;
const MOST_NAMES = 2;

/** What costs time, and how it is shown: `share` is of the time of `loss_basis`. */
interface Beginning { share: number; element: HTMLElement }

interface KernelOfManyShapes { name: string; of: GroupView[] }

/**
 * Kernels that could save more in several shapes than any group alone, with the groups; `groups` are those with recoverable
 * time, the most first.
 */
function kernelsOfManyShapes(groups: readonly GroupView[]): KernelOfManyShapes[] {
  const least = NOTABLE_SUM * (groups[0]?.group.recoverable_s ?? 0);
  return [...groupedBy(groups, ({ kernelShort }) => kernelShort)].map(([name, of]) => ({ name, of, saved: sumOf(of).recoverable }))
    .filter(({ of, saved }) => of.length > 1 && saved >= least).sort((a, b) => b.saved - a.saved).slice(0, MOST_NAMES);
}

/** As `saving_share` (analysis/program/losses.cpp). */
function savingShare(program: Program, points: readonly GroupView[]): number {
  const { is_step, time_s, share_per_s } = program.loss_basis;
  return points.reduce((sum, point) => {
    const aStep = is_step ? cellOf(point, 'per step').value : null;
    return sum + (aStep === null ? share_per_s * (point.group.recoverable_s ?? 0) : aStep / time_s);
  }, 0);
}

/** `5.604 ms`, and `26.2 % of a step`. */
function cost({ loss_basis: { is_step, time_s } }: Program, share: number, sign = ''): [HTMLElement, string] {
  return [h('strong', {}, `${sign}${duration(share * time_s)}${is_step ? ' per step' : ''}`), `${percent(share)} of ${is_step ? 'a step' : 'the time'}`];
}

/** What several kernels, or none, cause: cause and action at once, the evidence at a click. */
function beginningOfLoss(store: ViewStore, experiment: ExperimentView, program: Program, loss: Loss): Beginning {
  const [value, share] = cost(program, loss.share);
  const kernels = loss.kernels.flatMap((index) => experiment.points[index] ?? []);
  const element = h('details', { class: 'loss' },
    h('summary', {}, h('span', { class: 'name' }, loss.name), value, h('span', { class: 'muted' }, `${share}. ${loss.cause}`),
      h('span', { class: 'next' }, h('strong', {}, 'Next: '), loss.next_step)),
    kernels.length > 0 && h('ul', {}, ...kernels.map((point) => h('li', {}, h('button', { type: 'button', class: 'link',
      onclick: () => store.choose(point.key, false) }, point.label)))),
    ...loss.tables.map(titledTable),
    loss.is_waiting && h('button', { type: 'button', class: 'link',
      onclick: () => document.getElementById('ranks')?.scrollIntoView() }, 'The ranks side by side'));
  return { share: loss.share, element };
}

/** One kernel in several shapes: why and what of the shape that could save most, and all of them at a click. */
function beginningOfKernel(store: ViewStore, experiment: ExperimentView, program: Program, { name, of }: KernelOfManyShapes): Beginning {
  const sum = sumOf(of);
  const share = savingShare(program, of);
  const [value, text] = cost(program, share);
  const [first] = of.flatMap((point) => findingsOf(experiment, point).slice(0, 1));
  const show = (): void => store.set({ kernel: name, table: 'kernels', zoom: null });
  const element = h('details', { class: 'loss', 'data-value': `kernel ${name}` },
    h('summary', {}, h('span', { class: 'name' }, `${name} (${of.length} shapes)`), value,
      h('span', { class: 'muted' }, `${text}, ${percent(fractionOfRoofline(sum) ?? 0)} of roofline`)),
    first && h('p', {}, first.text), first && h('p', {}, h('strong', {}, 'Next: '), first.next_step),
    h('ul', {}, ...of.map((point) => h('li', {}, h('button', { type: 'button', class: 'link',
      onclick: () => store.choose(point.key, false) }, point.label), ` ${cellOf(point, 'could save').text}`))),
    h('button', { type: 'button', onclick: show }, 'Show only these'));
  return { share, element };
}

function beginningOf(store: ViewStore, program: Program, point: GroupView): Beginning {
  const ofRoofline = point.fraction_of_roofline === null ? 'no roof' : `${percent(point.fraction_of_roofline)} of roofline`;
  const difference = cellOf(point, 'flags').text.includes('not-repeatable') ? '; its launches differ' : '';
  const share = savingShare(program, [point]);
  const [value, text] = cost(program, share, cellOf(point, 'could save').text.startsWith('~') ? '~' : '');
  return { share, element: h('button', { type: 'button', 'data-value': point.key, onclick: () => store.choose(point.key, false) },
    h('span', { class: 'name' }, pointGlyph(point), point.label), value,
    h('span', { class: 'muted' }, `${text}, ${ofRoofline}, ${wordsFor(point.bound).label}${difference}`)) };
}

/** What costs most of the groups that are shown, and of the whole program if all are. */
function beginnings(store: ViewStore, experiment: ExperimentView): HTMLElement {
  const shown = shownPoints(store.view, experiment);
  const all = groupsOf(experiment, shown).filter(({ group }) => (group.recoverable_s ?? 0) > 0)
    .sort((a, b) => (b.group.recoverable_s ?? 0) - (a.group.recoverable_s ?? 0));
  const { program } = experiment;
  const list: Beginning[] = [];
  if (program) {
    if (shown.length === experiment.points.length) {
      list.push(...program.losses.map((loss) => beginningOfLoss(store, experiment, program, loss)));
    }
    const together = store.view.kernel === null ? kernelsOfManyShapes(all) : [];
    const inShapes = new Set(together.flatMap(({ of }) => of));
    list.push(...together.map((kernel) => beginningOfKernel(store, experiment, program, kernel)),
      ...all.filter((point) => !inShapes.has(point)).slice(0, MOST_BEGINNINGS).map((point) => beginningOf(store, program, point)));
  }
  list.sort((a, b) => b.share - a.share);
  const hasRoofs = shown.some((index) => (experiment.points[index]?.group?.recoverable_s ?? null) !== null);
  const basis = program?.loss_basis.is_step ? `, per step of ${duration(program.loss_basis.time_s)}` : '';
  const text = shown.length === 0 ? 'No kernel matches the filters.' : list.length > 0
    ? `Largest possible savings${basis}. Click for cause and fix.`
    : hasRoofs ? 'None of the kernels shown could save time.'
      : 'None of the kernels shown has a roof, since some of the counts that a roof needs are missing: the reasons are below the table.';
  return h('div', { class: 'beginnings' }, h('h2', {}, 'Where to begin'),
    h('p', { class: 'muted' }, text),
    h('ol', {}, ...list.slice(0, MOST_BEGINNINGS).map((one) => h('li', {}, one.element))));
}

export function inspector(store: ViewStore): HTMLElement {
  const element = h('section', { class: 'inspector', id: 'inspector', 'aria-label': 'Chosen point' });
  let shown = '';
  // Like its cross; input fields are left alone.
  document.addEventListener('keydown', (event) => {
    const last = store.view.pins.at(-1);
    if (event.key !== 'Escape' || event.defaultPrevented || last === undefined || element.hidden ||
      (event.target as Element).matches('input')) return;
    const wasInside = element.contains(document.activeElement);
    store.togglePin(last);
    if (wasInside) document.querySelector<HTMLElement>('.frame')?.focus();
  });
  store.show((view, previous) => {
    const experiment = store.experiment;
    const point = experiment?.points[pinnedPoints(view, experiment).at(-1) ?? -1];
    element.hidden = !experiment || (!point && !experiment.isOfProgram);
    if (!experiment || element.hidden) {
      shown = '';
      return fill(element);
    }
    if (!point) {
      shown = '';
      return fill(element, beginnings(store, experiment));
    }
    if (previous?.experiment === view.experiment && previous.time === view.time && previous.scope === view.scope &&
      shown === point.key) return;
    shown = point.key;
    const wasOpen = element.querySelector<HTMLDetailsElement>('details.counters')?.open ?? false;
    fill(element, ofPoint(store, experiment, point, wasOpen));
  });
  return element;
}
