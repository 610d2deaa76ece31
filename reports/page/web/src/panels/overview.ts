// SPDX-License-Identifier: Apache-2.0
// What a reader of a program's page sees first: the sentence, the figures, and what limits how much of the time.
import { data, GROUP, wordsFor, type ExperimentView, type Program } from '../data';
import { fill, h, keepFocus } from '../dom';
import { duration, percent, unbroken } from '../format';
import { colourOfBound } from '../chart/marks';
import { groupedBy, groupsOf, sumOf, type Sum } from '../sums';
import { shownOfAnyBound, type View, type ViewStore } from '../view';

/** What bounds the groups that are shown, in the order of the words for it, with the sums of their times. */
function boundSums(view: View, experiment: ExperimentView, isWhole: boolean): { bound: string; sum: Sum }[] {
  const shown = groupsOf(experiment, shownOfAnyBound(view, experiment)).filter(({ group }) => !isWhole || group.in_steps_s > 0);
  const groups = groupedBy(shown, ({ bound }) => bound);
  const order = data.bounds.map(({ id }) => id);
  return [...groups].map(([bound, of]) => ({ bound, sum: sumOf(of) })).sort((a, b) => order.indexOf(a.bound) - order.indexOf(b.bound));
}

/** A part of the bar; `bound` is what the groups in it are bound by, if it has any. */
interface Part { bound: string | null; kind: string; name: string; share: number; meaning: string; groups: string }

/** The time in which the GPU just waits, as parts of the whole; waiting is a part of what collectives take. */
function waitingParts({ loss_basis: { waiting, idle } }: Program): Part[] {
  const part = (kind: string, name: string, share: number, meaning: string): Part[] =>
    (share > 0 ? [{ bound: null, kind, name, share, meaning, groups: '' }] : []);
  return [...part('waiting', 'waiting in collectives', waiting, 'Collectives that do nothing but wait for the rank that comes last.'),
    ...part('idle', 'GPU idle', idle, 'Nothing runs on the GPU.')];
}

/** Stripes for the second, third, … of the bounds that share a colour. */
const STRIPES = ['45deg', '0deg', '90deg', '135deg', '22deg'];

/** What fills the part of each bound, so that no two look alike. */
function fillsOf(bounds: readonly string[]): Map<string, string> {
  const used = new Map<string, number>();
  return new Map(bounds.map((bound) => {
    const colour = colourOfBound(bound);
    const before = used.get(colour) ?? 0;
    used.set(colour, before + 1);
    const light = `color-mix(in srgb, ${colour} 45%, var(--paper))`;
    return [bound, before === 0 ? colour
      : `repeating-linear-gradient(${STRIPES[(before - 1) % STRIPES.length]}, ${colour} 0 3px, ${light} 3px 6px)`];
  }));
}

function timeBar(store: ViewStore, view: View, experiment: ExperimentView, program: Program): HTMLElement {
  const { is_step: isStep, time_s: time, share_per_s: sharePerSecond, waiting } = program.loss_basis;
  const isWhole = view.range === null && view.scope === null && view.kernel === null && view.type === null && view.time === null &&
    view.filter === '';
  const sums = boundSums(view, experiment, isWhole);
  const total = sums.reduce((all, { sum }) => all + sum.total, 0);
  const inSteps = sums.reduce((all, { sum }) => all + sum.inSteps, 0);
  // All of the program is a step, or all time; a selection is a whole of its own.
  const shareOf = (bound: string, seconds: number): number => (isWhole
    ? Math.max(0, seconds * sharePerSecond - (bound === 'communication' ? waiting : 0)) : seconds / total);
  const parts: Part[] = [...sums.map(({ bound, sum }) => ({ bound, kind: bound, name: wordsFor(bound).legend,
    share: total > 0 ? shareOf(bound, sum.total) : 0, meaning: wordsFor(bound).meaning, groups: ` ${sum.groups}` })),
  ...(isWhole ? waitingParts(program) : [])];
  const fills = fillsOf(sums.map(({ bound }) => bound));
  const choose = (bound: string) => (): void => store.set({ bound: view.bound === bound ? null : bound });
  const whole = parts.reduce((all, { share }) => all + share, 0);
  const bar = h('div', { class: 'time-bar', 'aria-hidden': 'true' }, ...parts.filter(({ share }) => share > 0).map(({ bound, kind, name, share }) => {
    const element = h('span', { title: `${name}: ${percent(share)}`,
      class: `${bound === null ? kind : ''}${view.bound !== null && view.bound !== bound ? ' dim' : ''}`,
      onclick: bound === null ? () => {} : choose(bound) });
    // Parts that grow by less than 1 together would leave the rest of the bar empty.
    element.style.flexGrow = String((100 * share) / whole);
    if (bound !== null) element.style.background = fills.get(bound) ?? '';
    return element;
  }));
  const ofStep = isStep ? `each ${duration(time)} step` : 'the time';
  return h('div', { class: 'limits' },
    h('p', { class: 'muted' },
      isWhole ? `Where ${ofStep} goes, kernels by bottleneck` : `Selected: ${duration(inSteps * sharePerSecond * time)} of ${ofStep}, by bottleneck`,
      ' (grey: number of ', h('span', { title: `A launch group: ${GROUP}` }, 'launch groups'), ', each a kernel in one shape and NVTX range)'),
    bar,
    h('ul', { class: 'bound-chips' }, ...parts.map(({ bound, kind, name, share, meaning, groups }) => {
      const swatch = h('span', { class: `swatch ${bound === null ? kind : ''}`, 'aria-hidden': 'true' });
      if (bound !== null) swatch.style.background = fills.get(bound) ?? '';
      const text = [swatch, name, ' ', h('strong', {}, percent(share)), h('span', { class: 'muted' }, groups)];
      return h('li', {}, bound === null ? h('span', { class: 'chip-alone', title: meaning }, ...text)
        : h('button', { type: 'button', 'aria-pressed': String(view.bound === bound), 'data-value': bound,
          title: `${meaning} Click: show only these.`, onclick: choose(bound) }, ...text));
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
      headline.textContent = unbroken(experiment.headline);
      fill(figures, ...(experiment.program?.figures ?? []).map(({ name, value, note }) => h('div', {}, h('dt', {}, name),
        h('dd', {}, h('strong', {}, value), h('span', { class: 'muted' }, unbroken(note))))));
    }
    const { program } = experiment;
    if (program) keepFocus(limits, () => fill(limits, timeBar(store, view, experiment, program)));
  });
  return { element, headline };
}
