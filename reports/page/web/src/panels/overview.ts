// SPDX-License-Identifier: Apache-2.0
// What a reader of a program's page sees first: the sentence, the figures, and what limits how much of the time.
import { data, GROUP, wordsFor, type ExperimentView } from '../data';
import { fill, h, keepFocus } from '../dom';
import { duration, percent } from '../format';
import { colourOfBound } from '../chart/marks';
import { groupedBy, groupsOf, sumOf, type Sum } from '../sums';
import { shownOfAnyBound, type View, type ViewStore } from '../view';

/** What bounds the groups that are shown, in the order of the words for it, with the sums of their times. */
function boundSums(view: View, experiment: ExperimentView): { bound: string; sum: Sum }[] {
  const groups = groupedBy(groupsOf(experiment, shownOfAnyBound(view, experiment)), ({ bound }) => bound);
  const order = data.bounds.map(({ id }) => id);
  return [...groups].map(([bound, of]) => ({ bound, sum: sumOf(of) })).sort((a, b) => order.indexOf(a.bound) - order.indexOf(b.bound));
}

function timeBar(store: ViewStore, view: View, experiment: ExperimentView): HTMLElement {
  const sums = boundSums(view, experiment);
  const total = sums.reduce((all, { sum }) => all + sum.total, 0);
  const choose = (bound: string) => (): void => store.set({ bound: view.bound === bound ? null : bound });
  const bar = h('div', { class: 'time-bar', 'aria-hidden': 'true' }, ...sums.filter(({ sum }) => sum.total > 0).map(({ bound, sum }) => {
    const part = h('span', { title: `${wordsFor(bound).label}: ${percent(sum.total / total)}`,
      class: view.bound !== null && view.bound !== bound ? 'dim' : null, onclick: choose(bound) });
    // Parts that grow by less than 1 together would leave the rest of the bar empty.
    part.style.flexGrow = String((100 * sum.total) / total);
    part.style.background = colourOfBound(bound);
    return part;
  }));
  const isWhole = view.range === null && view.scope === null && view.kernel === null && view.type === null && view.time === null &&
    view.filter === '';
  return h('div', { class: 'limits' },
    h('p', { class: 'muted' },
      `${isWhole ? 'GPU time' : `Selected: ${duration(total)} of GPU time`} by bottleneck, idle time left out (grey: number of `,
      h('span', { title: `A launch group: ${GROUP}` }, 'launch groups'), ')'),
    bar,
    h('ul', { class: 'bound-chips' }, ...sums.map(({ bound, sum }) => {
      const swatch = h('span', { class: 'swatch', 'aria-hidden': 'true' });
      swatch.style.background = colourOfBound(bound);
      return h('li', {}, h('button', { type: 'button', 'aria-pressed': String(view.bound === bound), 'data-value': bound,
        title: `${wordsFor(bound).meaning} Click: show only these.`, onclick: choose(bound) },
        swatch, wordsFor(bound).label, ' ', h('strong', {}, percent(total > 0 ? sum.total / total : 0)),
        h('span', { class: 'muted' }, ` ${sum.groups}`)));
    })));
}

/** `headline`: what comes next may be put after it. */
export function overview(store: ViewStore): { element: HTMLElement; headline: HTMLElement } {
  const headline = h('p', { class: 'headline' });
  const figures = h('dl', { class: 'figures' });
  const limits = h('div');
  const element = h('section', { class: 'overview', 'aria-label': 'Overview' }, headline, figures, limits);
  store.show((view, previous) => {
    const experiment = store.experiment;
    element.hidden = !experiment?.isOfProgram;
    if (!experiment?.isOfProgram) return;
    if (previous?.experiment !== view.experiment || headline.textContent === '') {
      headline.textContent = experiment.headline;
      fill(figures, ...(experiment.program?.figures ?? []).map(({ name, value, note }) => h('div', {}, h('dt', {}, name),
        h('dd', {}, h('strong', {}, value), h('span', { class: 'muted' }, note)))));
    }
    keepFocus(limits, () => fill(limits, timeBar(store, view, experiment)));
  });
  return { element, headline };
}
