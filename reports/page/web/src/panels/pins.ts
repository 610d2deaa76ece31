// SPDX-License-Identifier: Apache-2.0
import { factNames, factsOf, findingsOf, thingOf, type ExperimentView, type PointView } from '../data';
import { fill, h, scrollBox } from '../dom';
import { pointGlyph } from '../chart/marks';
import type { ViewStore } from '../view';

function pinned(keys: readonly string[], experiment: ExperimentView): { point: PointView; number: number }[] {
  return keys.flatMap((key, place) => {
    const point = experiment.points.find((candidate) => candidate.key === key);
    return point ? [{ point, number: place + 1 }] : [];
  });
}

/** What bounds the point, the evidence, and what to try next. */
function explanation(experiment: ExperimentView, point: PointView, number: number): HTMLElement {
  return h('article', {},
    h('h3', {}, pointGlyph(point), `${point.label} `, h('span', { class: 'pin' }, String(number))),
    point.findings.length === 0 && h('p', { class: 'muted' }, 'No rule of “rooflinectl explain” applies.'),
    h('ul', {}, ...findingsOf(experiment, point).map(({ rule, importance, text, evidence, next_step }) => h('li', { class: importance },
      h('p', {}, h('strong', {}, `${rule}: `), text),
      h('p', { class: 'muted' }, evidence),
      h('p', {}, h('strong', {}, 'Next: '), next_step)))));
}

const NOTABLE = 1.05;

/** Whether texts differ by more than the noise of a measurement: numbers of one unit by more than 5 %. */
function differ(texts: readonly string[]): boolean {
  const numbers = texts.map((text) => /^(−|-|~)?([\d.]+)(\D*)$/.exec(text));
  const isOfOneUnit = numbers.every((number) => number !== null && number[3] === numbers[0]?.[3]);
  if (!isOfOneUnit) return new Set(texts).size > 1;
  const values = numbers.map((number) => Number(number?.[2]));
  return Math.max(...values) > NOTABLE * Math.min(...values);
}

/** All numbers of the pinned points side by side; what differs stands out. */
export function pinnedPoints(store: ViewStore): HTMLElement {
  const element = h('section', { class: 'pins', id: 'pinned', 'aria-label': 'Pinned points' });
  store.show((view) => {
    const experiment = store.experiment;
    const points = experiment ? pinned(view.pins, experiment) : [];
    // A single one is in the inspector.
    element.hidden = points.length < 2;
    if (!experiment || points.length < 2) return fill(element);
    const facts = points.map(({ point }) => new Map(factsOf(experiment, point)));
    const names = [...new Set(factNames(experiment))].filter((name) => facts.some((fact) => fact.has(name)));
    const head = h('tr', {}, h('td'), ...points.map(({ point, number }) => h('th', { scope: 'col' },
      pointGlyph(point), `${point.label} `, h('span', { class: 'pin' }, String(number)),
      h('button', { type: 'button', class: 'close', 'aria-label': `Unpin ${point.label}`, onclick: () => store.togglePin(point.key) },
        '×'))));
    const rows = names.map((name) => {
      const texts = facts.map((fact) => fact.get(name) ?? '–');
      const differs = differ(texts);
      return h('tr', { class: differs ? 'differs' : null }, h('th', { scope: 'row' }, name), ...texts.map((text) => h('td', {}, text)));
    });
    fill(element,
      h('div', { class: 'section-head' }, h('h2', {}, `${points.length} pinned ${thingOf(experiment)}s`),
        h('span', { class: 'muted' }, 'Differences of more than 5 % are bold.'),
        h('button', { type: 'button', onclick: () => store.set({ pins: [] }) }, 'Unpin all')),
      h('div', { class: 'pins-body' },
        h('div', { class: 'explanations' }, ...points.map(({ point, number }) => explanation(experiment, point, number))),
        scrollBox('Numbers of the pinned points', h('table', {}, h('thead', {}, head), h('tbody', {}, ...rows)))));
  });
  return element;
}

/**
 * Leads to the numbers of the chosen point while they are out of sight: the chosen row may be far below, or the chosen mark on a
 * small screen.
 */
export function jumpToChosen(store: ViewStore, inspector: HTMLElement): HTMLElement {
  let isSeen = false;
  const button = h('button', { type: 'button', class: 'jump-to-pins', onclick: () => inspector.scrollIntoView({ block: 'start' }) });
  const show = (): void => {
    const count = store.view.pins.length;
    button.hidden = count === 0 || inspector.hidden || isSeen;
    const thing = thingOf(store.experiment);
    button.textContent = count === 1 ? `Show the chosen ${thing}` : `Show ${count} pinned ${thing}s`;
  };
  new IntersectionObserver((entries) => {
    isSeen = entries.at(-1)?.isIntersecting ?? false;
    show();
  }).observe(inspector);
  store.show(show);
  return button;
}
