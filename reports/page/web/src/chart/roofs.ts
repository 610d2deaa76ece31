// SPDX-License-Identifier: Apache-2.0
// The roofs that the switches leave.
import { data, type ExperimentView, type Roof } from '../data';
import type { ShownRoof } from './roof_lines';
import { bareChart, levelOf, pinnedPoints, precisionsOf, roofsOf, type View } from '../view';

/** The roofs drawn with their names and those drawn thin, before precision and source are chosen. */
const roofSet = (view: View, experiment: ExperimentView | undefined): ExperimentView['roofs']['all'] =>
  (experiment ? experiment.roofs[levelOf(view, experiment)] : bareChart(view).roofs);

export function shownRoofs(view: View, experiment: ExperimentView | undefined): ShownRoof[] {
  const { main, others } = roofSet(view, experiment);
  const precisions = new Set(precisionsOf(view, experiment));
  const sources = roofsOf(view, experiment);
  const chosen = experiment?.points[pinnedPoints(view, experiment).at(-1) ?? -1]?.group;
  const lit = new Set(chosen?.roofs);
  // Among the roofs of all levels, the only level with a theoretical one, too, would stand out.
  const isOneSource = experiment !== undefined && levelOf(view, experiment) === 'all' && sources === 'both';
  const isShown = ({ kind, source, subject }: Roof): boolean => {
    if (sources !== 'both' && source !== sources) return false;
    // The roofs of a program are those of what its kernels execute.
    return kind === 'compute' ? experiment?.isOfProgram === true || precisions.has(subject) : !isOneSource || source === 'measured';
  };
  return data.run.roofs.flatMap((roof, index) => {
    const isMain = main.includes(index);
    const isLit = lit.has(index);
    return isLit || ((isMain || others.includes(index)) && isShown(roof)) ? [{ ...roof, index, isMain: isMain || isLit, isLit }] : [];
  });
}

