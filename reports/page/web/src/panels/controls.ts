// SPDX-License-Identifier: Apache-2.0
// The switches above the chart and the legend beside it.
import { cacheStates, countedLevels, data, isGroup, wordsFor, type ExperimentView, type Level } from '../data';
import { fill, h, keepFocus } from '../dom';
import { commonStart } from '../names';
import { familyGlyph, levelGlyph, shapeGlyph } from '../chart/marks';
import { hasBothRoofs, levelOf, precisionsOf, roofsOf, type Roofs, type View, type ViewStore, type Work } from '../view';

const levelName = (level: Level | 'all'): string => data.levels.find(({ id }) => id === level)?.name ?? 'all levels';

interface Choice { value: string; text: string; help?: string }

function choices(label: string, options: Choice[], chosen: string, choose: (value: string) => void): HTMLElement | null {
  if (options.length < 2) return null;
  return h('fieldset', { class: 'switch' }, h('legend', {}, label),
    ...options.map(({ value, text, help }) =>
      h('button', { type: 'button', 'aria-pressed': String(value === chosen), title: help, 'data-value': value,
        onclick: () => choose(value) }, text)));
}

function precisionSwitch(store: ViewStore, view: View, experiment: ExperimentView | undefined): HTMLElement | null {
  const all = data.run.precisions;
  if (all.length < 2 || experiment?.isOfProgram) return null;
  const chosen = precisionsOf(view, experiment);
  const toggle = (id: string): void =>
    store.set({ precisions: chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id] });
  return h('fieldset', { class: 'switch' }, h('legend', {}, 'Precision'),
    ...all.map(({ id, name }) => h('button', { type: 'button', 'aria-pressed': String(chosen.includes(id)), 'data-value': id,
      title: `Points and compute ceilings in ${name}`, onclick: () => toggle(id) }, name)));
}

/** Smaller ones have no mark of their own. */
const NOTABLE = 0.005;

/** Which shape stands for which type, in a program. */
function typeLegend(experiment: ExperimentView): HTMLElement {
  const shapes = new Map<number, string[]>();
  for (const point of experiment.points) {
    if (!isGroup(point) || point.group.type === '–' || (point.share ?? 0) < NOTABLE) continue;
    const types = shapes.get(point.group.shape) ?? [];
    if (!types.includes(point.group.type)) shapes.set(point.group.shape, [...types, point.group.type]);
  }
  return h('p', { class: 'types muted' },
    ...[...shapes].map(([shape, types]) => h('span', {}, shapeGlyph(shape), types.join(', '))), h('span', {}, 'area: share of time'));
}

/** Switches for level, precision, work, caches and roofs; those with nothing to choose are left out. */
export function switches(store: ViewStore): HTMLElement {
  const element = h('div', { class: 'switches', role: 'group', 'aria-label': 'What the chart shows' });
  store.show((view) => {
    const experiment = store.experiment;
    const levels = experiment ? countedLevels(experiment) : [];
    const levelOptions = levels.length > 1 && !experiment?.isOfProgram ? [...levels, 'all' as const] : levels;
    const caches = experiment ? cacheStates(experiment) : [];
    keepFocus(element, () => fill(element,
      experiment ? null : choices('Device', data.run.bare_charts.map((_, place) => ({ value: String(place), text: String(place) })),
        String(view.device),
        (value) => store.set({ device: Number(value), zoom: null })),
      choices('Memory level', levelOptions.map((value) => ({ value, text: levelName(value) })), levelOf(view, experiment),
        (value) => store.set({ level: value as View['level'], zoom: null })),
      precisionSwitch(store, view, experiment),
      experiment && !experiment.isOfProgram ? choices('Work', [
        { value: 'both', text: 'both' },
        { value: 'useful', text: 'useful ●', help: 'Work that the algorithm needs' },
        { value: 'executed', text: 'executed ○', help: 'Work that the counters measured' },
      ], view.work, (value) => store.set({ work: value as Work })) : null,
      (experiment?.best.length ?? 0) > 0 && choices('Sizes', [
        { value: 'best', text: 'best of each', help: 'For each version and type, the size that comes closest to its roof' },
        { value: 'all', text: 'all' },
      ], view.sizes, (value) => store.set({ sizes: value as View['sizes'], zoom: null })),
      choices('Caches', caches.length > 1 ? [{ value: 'both', text: 'both' }, ...caches.map((value) => ({ value, text: value }))] : [],
        caches.includes(view.caches) ? view.caches : 'both', (value) => store.set({ caches: value })),
      hasBothRoofs && choices('Roofs', [
        { value: 'both', text: 'both' },
        { value: 'measured', text: 'measured —', help: 'Measured by micro-benchmarks on this device' },
        { value: 'theoretical', text: 'theoretical ┄', help: 'Computed from clocks and rates per cycle' },
      ], roofsOf(view, experiment), (value) => store.set({ roofs: value as Roofs })),
      (experiment?.program?.ranges.length ?? 0) > 1 && choices('NVTX ranges', [
        { value: 'off', text: 'off' },
        { value: 'on', text: 'on ◇', help: 'A mark for each range: the operations and bytes of its kernels together' },
      ], view.rangeMarks ? 'on' : 'off', (value) => store.set({ rangeMarks: value === 'on' })),
      (experiment?.timeline?.phases.length ?? 0) > 0 && choices('Phases', [
        { value: 'off', text: 'off' },
        { value: 'on', text: 'on ○', help: 'A mark for each phase of the sampled time, joined in their order; area: duration' },
      ], view.phaseMarks ? 'on' : 'off', (value) => store.set({ phaseMarks: value === 'on', zoom: null })),
      experiment?.isOfProgram && typeLegend(experiment)));
  });
  return element;
}

/** Families: a click hides or shows one, a double click shows it alone. */
export function legend(store: ViewStore): HTMLElement {
  const element = h('div', { class: 'legend', role: 'group', 'aria-label': 'Families' });
  store.show((view) => {
    const experiment = store.experiment;
    element.hidden = experiment?.isOfProgram === true;
    if (!experiment || experiment.isOfProgram) return fill(element);
    const { hiddenFamilies: hidden } = view;
    const without = (names: readonly string[], name: string): string[] => names.filter((other) => other !== name);
    const toggle = (name: string): void =>
      store.set({ hiddenFamilies: hidden.includes(name) ? without(hidden, name) : [...hidden, name] });
    const alone = (name: string): void => store.set({ hiddenFamilies: without(experiment.families.map((family) => family.name), name) });
    keepFocus(element, () => fill(element,
      ...experiment.families.filter(({ name }) => name !== '').map((family) => {
        const { name } = family;
        return h('button', {
          type: 'button', 'aria-pressed': String(!view.hiddenFamilies.includes(name)), 'data-value': name,
          title: 'Click: hide or show. Double-click: show only this.', onclick: () => toggle(name), ondblclick: () => alone(name),
        }, familyGlyph(family), name);
      }),
      experiment.points.some(({ link_rate }) => link_rate !== undefined) && h('p', { class: 'muted levels' },
        `Bar above a mark: what NVLink allows it, bandwidth × its ${experiment.operations} per byte received`),
      levelOf(view, experiment) === 'all' && h('p', { class: 'muted levels' }, 'Marks: ',
        ...countedLevels(experiment).flatMap((level) => [levelGlyph(level), ` ${levelName(level)} `]), '· filled: busiest level')));
  });
  return element;
}

/** One button per experiment. */
export function experimentTabs(store: ViewStore): HTMLElement | null {
  const { experiments } = data.run;
  if (experiments.length < 2) return null;
  const element = h('nav', { class: 'tabs', 'aria-label': 'Experiments' });
  // The devices of one program: its name is on the page already.
  const common = /^.*, /.exec(commonStart(experiments.map(({ title }) => title)))?.[0].length ?? 0;
  const buttons = experiments.map(({ title }, index) =>
    h('button', { type: 'button', title, onclick: () => store.setExperiment(index) }, title.slice(common)));
  element.append(...buttons);
  store.show((view) => buttons.forEach((button, index) => button.setAttribute('aria-current', String(index === view.experiment))));
  return element;
}

/** What bounds how many points: a click leaves only those. */
export function boundList(store: ViewStore): HTMLElement {
  const element = h('ul', { class: 'bounds' });
  store.show((view) => {
    const counts = new Map<string, number>();
    element.hidden = store.experiment?.isOfProgram === true;
    if (element.hidden) return fill(element);
    for (const point of store.experiment?.points ?? []) counts.set(point.bound, (counts.get(point.bound) ?? 0) + 1);
    keepFocus(element, () => fill(element, ...[...counts].sort((a, b) => b[1] - a[1]).map(([bound, count]) => h('li', {},
      h('button', {
        type: 'button', 'aria-pressed': String(view.bound === bound), 'data-value': bound,
        title: 'Show only these points', onclick: () => store.set({ bound: view.bound === bound ? null : bound }),
      }, h('strong', {}, String(count)), ' ', h('span', { class: `bound bound-${bound}` }, wordsFor(bound).label)),
      h('span', { class: 'muted' }, wordsFor(bound).meaning)))));
  });
  return element;
}
