// SPDX-License-Identifier: Apache-2.0
import { cellOf, data, isGroup, type ExperimentView, type PointView } from '../data';
import { fill, h } from '../dom';
import { percent } from '../format';
import type { Highlight } from './highlight';
import { shortened } from '../names';
import { pointGlyph } from '../chart/marks';
import { isOfStep, savedInStep, shareOf } from '../sums';
import type { ViewStore } from '../view';

const GAP = 16;
const EDGE = 4;

const joined = (...parts: string[]): string => parts.filter((part) => !['', '–'].includes(part.trim())).join(' · ');

/** What a reader looks for first; the inspector has the rest. */
function linesOf(experiment: ExperimentView, point: PointView): string[] {
  const text = (title: string): string => cellOf(point, title).text;
  const with_unit = (title: string, unit: string): string => (['', '–'].includes(text(title)) ? '' : `${text(title)}\u00a0${unit}`);
  const limit = joined(with_unit('% of roofline', 'of roofline'), `bound by ${point.boundName}`);
  if (isGroup(point) && isOfStep(experiment)) {
    return [joined(`${percent(shareOf(experiment, point))} of a step`, with_unit('time', 'each')), limit,
      joined(savedInStep(experiment, point) === '–' ? '' : `could save ${savedInStep(experiment, point)} of a step`, 'click: why, and what to do')];
  }
  if (isGroup(point)) {
    return [joined(`${text('share')} of GPU time`, text('total'), with_unit('launches', 'launches')), limit,
      joined(`could save ${text('could save')}`, 'click: why, and what to do')];
  }
  return [joined(text('time'), with_unit('GB/s', 'GB/s'), text('FLOP/s'), point.cache), limit,
    joined(text('busiest level'), 'click: why, and what to do')];
}

/** Four lines about the active point, beside it. */
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
    const numbers = data.columns.flatMap(({ name }, column) =>
      (column === 0 || ['', '–'].includes(point.texts[column] ?? '') ? [] : [`${name} ${point.texts[column]}`]));
    const summary = `${point.label}: ${numbers.join(', ')}`;
    if (said.textContent !== summary) said.textContent = summary;
    if (!active.at) {
      box.hidden = true;
      return;
    }
    fill(box, h('p', { class: 'name' }, pointGlyph(point), h('strong', {}, shortened(point.label, 60))),
      ...linesOf(experiment, point).map((line) => h('p', {}, line)));
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    const left = active.at.x + GAP + width < innerWidth ? active.at.x + GAP : active.at.x - GAP - width;
    box.style.left = `${Math.max(EDGE, left)}px`;
    box.style.top = `${Math.max(EDGE, Math.min(active.at.y + GAP, innerHeight - height - EDGE))}px`;
  });
  return h('div', {}, box, said);
}
