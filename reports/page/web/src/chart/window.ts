// SPDX-License-Identifier: Apache-2.0
import { data, type ExperimentView, type Window } from '../data';
import { windowAround } from './plane';
import { shownMarks } from './point_marks';
import { programPlaces } from './program_parts';
import { attainable, ridgeOf } from './roof_lines';
import { shownRoofs } from './roofs';
import { bareChart, levelOf, type View } from '../view';

function wholeWindow(view: View, experiment: ExperimentView | undefined): Window {
  if (!experiment) return bareChart(view).axes;
  return levelOf(view, experiment) === 'dram' ? experiment.axes.dram : experiment.axes.levels;
}

const windows = new WeakMap<View, Window>();

/** What the chart shows: around the points unless the reader chose another part. */
export function windowOf(view: View, experiment: ExperimentView | undefined): Window {
  if (view.zoom === 'all') return wholeWindow(view, experiment);
  if (view.zoom) return view.zoom;
  const known = windows.get(view);
  if (known) return known;
  // Whichever point is chosen, the window stays.
  const unpinned = experiment && experiment.best.length > 0 ? { ...view, pins: [] } : view;
  const places = experiment?.isOfProgram ? programPlaces(view, experiment)
    : shownMarks(unpinned, experiment).map(({ at }) => ({ at, weight: 1 }));
  const roofs = shownRoofs({ ...view, pins: [] }, experiment);
  // Reports of other tools are of a few chosen kernels: each of them matters.
  const window = windowAround(places, (ai) => attainable(ai, roofs), ridgeOf(roofs), data.run.is_imported === true) ?? wholeWindow(view, experiment);
  windows.set(view, window);
  return window;
}
