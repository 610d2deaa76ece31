// SPDX-License-Identifier: Apache-2.0
// Everything about the chosen point: what bounds it, on what evidence, what to do, and every number.
import { cellOf, factsOf, findingsOf, isGroup, wordsFor, type ExperimentView, type GroupView, type PointView } from '../data';
import { breakable, fill, h } from '../dom';
import { duration, percent } from '../format';
import { launches } from './launches';
import { colourOfBound, pointGlyph } from '../chart/marks';
import { NO_SCOPE, rangeTitle } from './ranges';
import { pinnedPoints, type ViewStore } from '../view';

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

/** Times of a kernel: of a step if it belongs to the program's steps and nothing is selected, else all that is shown. */
function basisOf(store: ViewStore, experiment: ExperimentView, { group }: GroupView): { perSecond: number; of: string } {
  const { loss_basis: basis } = experiment.program ?? {};
  const isWhole = store.view.time === null && store.view.scope === null;
  return basis?.is_step && isWhole && group.in_steps_s > 0 ? { perSecond: basis.share_per_s * basis.time_s, of: ' of each step' } : { perSecond: 1, of: '' };
}

/** What it takes of the time that the page begins with, and how many launches it has in all. */
function summary(store: ViewStore, experiment: ExperimentView, point: GroupView): string {
  const { group } = point;
  const { perSecond, of } = basisOf(store, experiment, point);
  const share = of === '' ? `${percent(point.share ?? 0)} of GPU time`
    : `${percent(group.in_steps_s * (experiment.program?.loss_basis.share_per_s ?? 0))} of a step`;
  return `${share} · ${duration(group.total_s * perSecond)} · ${group.launches} launch${group.launches === 1 ? '' : 'es'}${of === '' ? '' : ' in the whole run'}` +
    (group.path ? ` · in ${rangeTitle(experiment, group.path)}` : '');
}

/** What it could save, in the program's time. */
function saving(store: ViewStore, experiment: ExperimentView, point: GroupView): string {
  const { group } = point;
  if (group.recoverable_s === null) {
    return point.fraction_of_roofline === null ? 'It has no roof, so what it could save is unknown.'
      : 'Some of its work was not counted: it is at least as close to its roof as shown.';
  }
  if (group.recoverable_s === 0) {
    return (point.fraction_of_roofline ?? 0) >= 1 ? 'It is at its roof.' : 'It is so short that only fewer launches would save time.';
  }
  const { perSecond, of } = basisOf(store, experiment, point);
  const all = group.total_s * perSecond;
  const saved = (of === '' ? null : cellOf(point, 'could save/step').value) ?? group.recoverable_s * perSecond;
  const whole = (of === '' ? experiment.program?.kernel_s : experiment.program?.loss_basis.time_s) ?? 0;
  return `It could take ${duration(all - saved)}${of} instead of ${duration(all)}: ${duration(saved)} less` +
    `${whole > 0 ? ` (${percent(saved / whole)}${of === '' ? ' of GPU time' : ''})` : ''}.`;
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

/** The lines of its source in which its warps were most often. */
function sourceLines({ source_lines: lines }: PointView): HTMLElement | false {
  if (!lines) return false;
  return h('div', { class: 'source-lines' }, h('h3', {}, lines.title),
    h('ol', {}, ...lines.table.rows.map(([place = '', share = '', source = '', doing = '']) =>
      h('li', {}, h('div', { class: 'place' }, h('code', {}, ...breakable(place)), h('strong', {}, share)),
        source !== '' && h('pre', {}, h('code', {}, source)),
        h('p', { class: 'muted' }, doing)))),
    ...lines.table.findings.map((note) => h('p', { class: 'muted' }, note)));
}

/** Why it is unknown what bounds a point: what was not counted, or not measured; null if no cause is known. */
function whyUnknown(facts: readonly [string, string][]): string | null {
  const cause = facts.find(([name]) => name === 'bound by')?.[1] ?? '';
  const PREFIX = 'unknown: ';
  return cause.startsWith(PREFIX) ? `What limits it is unknown. ${cause.slice(PREFIX.length)}.` : null;
}

function ofPoint(store: ViewStore, experiment: ExperimentView, point: PointView, isOpen: boolean): HTMLElement {
  const [first, ...rest] = findingsOf(experiment, point);
  const isKernel = isGroup(point);
  const colour = isKernel ? colourOfBound(point.bound) : 'var(--ink)';
  const swatch = h('span', { class: 'swatch', 'aria-hidden': 'true' });
  swatch.style.background = colour;
  const facts = factsOf(experiment, point);
  const roof = facts.find(([name]) => name === 'roof')?.[1];
  const unknown = point.bound === 'unknown' ? whyUnknown(facts) : null;
  return h('article', { class: 'inspected' },
    h('div', { class: 'inspector-head' }, h('h2', {}, pointGlyph(point), h('span', {}, ...breakable(point.label))),
      isKernel && copyButton(point.kernel, 'Copy the full name of the kernel'),
      h('button', { type: 'button', class: 'close', 'aria-label': `Unpin ${point.label}`, onclick: () => store.togglePin(point.key) },
        '×')),
    isKernel && h('p', { class: 'muted summary' }, summary(store, experiment, point)),
    h('p', { class: 'verdict' }, isKernel && swatch,
      h('strong', {}, point.fraction_of_roofline === null ? `Bound by: ${point.boundName}`
        : `${cellOf(point, '% of roofline').text} of roofline, bound by: ${point.boundName}`)),
    h('p', {}, first?.text ?? unknown ?? wordsFor(point.bound).meaning),
    isKernel ? evidence(point) : first && h('p', { class: 'muted' }, first.evidence),
    h('div', { class: 'action' }, first ? h('p', {}, h('strong', {}, 'Next: '), first.next_step)
      : h('p', { class: 'muted' }, unknown === null ? 'No rule of “rooflinectl explain” applies.' : 'Until that is known, there is no advice.'), isKernel && h('p', {}, saving(store, experiment, point))),
    roof && h('p', {}, h('strong', {}, 'Roof: '), roof),
    stalls(point),
    rest.length > 0 && h('details', {}, h('summary', {}, `${rest.length} more finding${rest.length > 1 ? 's' : ''}`),
      h('ul', { class: 'more-findings' }, ...rest.map(({ rule, importance, text, evidence: shown, next_step }) =>
        h('li', { class: importance }, h('p', {}, h('strong', {}, `${rule}: `), text), h('p', { class: 'muted' }, shown),
          h('p', {}, h('strong', {}, 'Next: '), next_step))))),
    sourceLines(point),
    isKernel && operators(store, experiment, point),
    isKernel && launches(store, point),
    counters(experiment, point, isOpen));
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
    element.hidden = !point;
    if (!experiment || !point) {
      shown = '';
      return fill(element);
    }
    if (previous?.experiment === view.experiment && previous.time === view.time && previous.scope === view.scope &&
      shown === point.key) return;
    shown = point.key;
    const wasOpen = element.querySelector<HTMLDetailsElement>('details.counters')?.open ?? false;
    fill(element, ofPoint(store, experiment, point, wasOpen));
  });
  return element;
}
