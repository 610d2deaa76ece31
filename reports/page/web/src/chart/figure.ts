// SPDX-License-Identifier: Apache-2.0
import type { ExperimentView } from '../data';
import type { Figure, Options } from './figure_parts';
import { pointFigure } from './point_figure';
import { programFigure } from './program_figure';
import type { View } from '../view';

/** The chart of a view. */
export const figureOf = (view: View, experiment: ExperimentView | undefined, options: Options): Figure =>
  (experiment?.isOfProgram ? programFigure(view, experiment, options) : pointFigure(view, experiment, options));
