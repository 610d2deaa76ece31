// SPDX-License-Identifier: Apache-2.0
import { data, factsOf, findingsOf, wordsFor } from './data';
import { fill, h } from './dom';
import type { Highlight } from './highlight';
import { familyGlyph } from './marks';
import type { ViewStore } from './view';

const GAP = 16;
const EDGE = 4;

/** All numbers of the active point, beside it. */
export function tooltip(store: ViewStore, highlight: Highlight): HTMLElement {
  const box = h('div', { id: 'tooltip', 'aria-hidden': 'true', hidden: true });
  // A screen reader reads this sentence instead of the tooltip.
  const said = h('p', { class: 'visually-hidden', role: 'status' });
  highlight.onChange((active) => {
    const experiment = store.experiment;
    const point = active && experiment?.points[active.point];
    if (!active || !experiment || !point) {
      box.hidden = true;
      return;
    }
    const numbers = data.columns.flatMap(({ name }, column) => (column === 0 || ['', '–'].includes(point.texts[column] ?? '') ? [] : [`${name} ${point.texts[column]}`]));
    const summary = `${point.label}: ${numbers.join(', ')}`;
    if (said.textContent !== summary) said.textContent = summary;
    if (!active.at) {
      box.hidden = true;
      return;
    }
    const finding = findingsOf(experiment, point)[0];
    fill(box,
      h('p', { class: 'name' }, familyGlyph(point.family), h('strong', {}, point.label), ' ', h('span', { class: `bound bound-${point.bound}` }, wordsFor(point.bound).label)),
      ...(finding
        ? [h('p', {}, finding.text), h('p', {}, h('strong', {}, 'Next: '), finding.next_step)]
        : [h('p', { class: 'muted' }, wordsFor(point.bound).meaning)]),
      h('dl', {}, ...factsOf(experiment, point).map(([name, text]) => h('div', {}, h('dt', {}, name), h('dd', {}, text)))),
      h('p', { class: 'muted' }, store.view.pins.includes(point.key) ? 'Click to unpin.' : 'Click to pin: shows all findings, and compares points.'));
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    const left = active.at.x + GAP + width < innerWidth ? active.at.x + GAP : active.at.x - GAP - width;
    box.style.left = `${Math.max(EDGE, left)}px`;
    box.style.top = `${Math.max(EDGE, Math.min(active.at.y + GAP, innerHeight - height - EDGE))}px`;
  });
  return h('div', {}, box, said);
}
