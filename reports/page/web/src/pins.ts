// SPDX-License-Identifier: Apache-2.0
import { factNames, factsOf, findingsOf, type ExperimentView, type PointView } from './data';
import { fill, h, scrollBox } from './dom';
import { familyGlyph } from './marks';
import type { ViewStore } from './view';

function pinned(keys: readonly string[], experiment: ExperimentView): { point: PointView; number: number }[] {
  return keys.flatMap((key, place) => {
    const point = experiment.points.find((candidate) => candidate.key === key);
    return point ? [{ point, number: place + 1 }] : [];
  });
}

/** What bounds the point, the evidence, and what to try next. */
function explanation(experiment: ExperimentView, point: PointView, number: number): HTMLElement {
  return h('article', {},
    h('h3', {}, familyGlyph(point.family), `${point.label} `, h('span', { class: 'pin' }, String(number))),
    point.findings.length === 0 && h('p', { class: 'muted' }, 'No rule of “rooflinectl explain” applies.'),
    h('ul', {}, ...findingsOf(experiment, point).map(({ rule, importance, text, evidence, next_step }) => h('li', { class: importance },
      h('p', {}, h('strong', {}, `${rule}: `), text),
      h('p', { class: 'muted' }, evidence),
      h('p', {}, h('strong', {}, 'Next: '), next_step)))));
}

/** All numbers of the pinned points side by side; what differs stands out. */
export function pinnedPoints(store: ViewStore): HTMLElement {
  const element = h('section', { class: 'pins', id: 'pinned', 'aria-label': 'Pinned points' });
  store.show((view) => {
    const experiment = store.experiment;
    const points = experiment ? pinned(view.pins, experiment) : [];
    element.hidden = points.length === 0;
    if (!experiment || points.length === 0) return fill(element);
    const facts = points.map(({ point }) => new Map(factsOf(experiment, point)));
    const names = [...new Set(factNames(experiment))].filter((name) => facts.some((fact) => fact.has(name)));
    const head = h('tr', {}, h('td'), ...points.map(({ point, number }) => h('th', { scope: 'col' },
      familyGlyph(point.family), `${point.label} `, h('span', { class: 'pin' }, String(number)),
      h('button', { type: 'button', class: 'close', 'aria-label': `Unpin ${point.label}`, onclick: () => store.togglePin(point.key) }, '×'))));
    const rows = names.map((name) => {
      const texts = facts.map((fact) => fact.get(name) ?? '–');
      const differs = new Set(texts).size > 1;
      return h('tr', { class: differs ? 'differs' : null }, h('th', { scope: 'row' }, name), ...texts.map((text) => h('td', {}, text)));
    });
    fill(element,
      h('div', { class: 'section-head' }, h('h2', {}, points.length === 1 ? 'Pinned point' : `${points.length} pinned points`),
        points.length > 1 && h('span', { class: 'muted' }, 'Differences are bold.'),
        h('button', { type: 'button', onclick: () => store.set({ pins: [] }) }, 'Unpin all')),
      h('div', { class: 'pins-body' },
        h('div', { class: 'explanations' }, ...points.map(({ point, number }) => explanation(experiment, point, number))),
        scrollBox('Numbers of the pinned points', h('table', {}, h('thead', {}, head), h('tbody', {}, ...rows)))));
  });
  return element;
}

/** Leads back to the pinned points while they are out of sight: a row far below may have been pinned. */
export function jumpToPins(store: ViewStore, pins: HTMLElement): HTMLElement {
  const button = h('button', { type: 'button', class: 'jump-to-pins', hidden: true, onclick: () => pins.scrollIntoView({ block: 'nearest' }) });
  let isSeen = false;
  const show = (): void => {
    button.hidden = pins.hidden || isSeen;
    const count = store.view.pins.length;
    button.textContent = count === 1 ? 'Show the pinned point' : `Show ${count} pinned points`;
  };
  new IntersectionObserver((entries) => {
    isSeen = entries.at(-1)?.isIntersecting ?? false;
    show();
  }).observe(pins);
  store.show(show);
  return button;
}
