// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/devices/devices_together.h"
#include "analysis/program/recoverable.h"
#include "core/model/run.h"
#include "reports/charts/model/chart_model.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// The roofs of a device without points, in the colours of their kinds; the names of the compute roofs stand
/// beside the plane.
Scene ceilings_scene(const ChartModel& chart, Extent extent = Extent::full);

/// The picture of one experiment: the roofline, a detail where points lie close together and, unless the
/// picture is narrow, the ladder. Labels never overlap each other or a roof that they do not belong to, and
/// none is cut off.
Scene chart_scene(const ChartModel& chart, Extent extent = Extent::full);

/// Whether a collective of `run` has a line to draw.
bool has_collectives_picture(const Run& run);

/// Bus bandwidth against the size of the array, a line for each collective, under what the links deliver,
/// measured and in theory.
Scene collectives_scene(const Run& run);

/// Under the title of `chart`, which is of `experiment`, a row for each point: the energy of a launch, the
/// useful work that a joule does, and the mean power, or why there is no energy. 1600 × 900. Where there is
/// not room for all points, the notable ones.
Scene energy_scene(const Run& run, const ExperimentAnalysis& experiment, const ChartModel& chart);

/// The picture of an experiment over all levels of the memory hierarchy, 1600 × 900: each point once per
/// level, filled at the one that limits it, a detail where points lie close together, and beside it how busy
/// each level was. Labels overlap as little as in `chart_scene`.
Scene levels_scene(const ChartModel& chart);

/// Latency and throughput of every primitive of `run` that has both, side by side: a line for each operation,
/// on it a mark for each implementation.
Scene primitives_scene(const Run& run);

/// Speed-up against the number of GPUs with the ideal line, and, at the largest number of GPUs, what part of
/// the time each GPU's own share takes. `chart` is that of the experiment.
Scene scaling_scene(const ChartModel& chart, const Scaling& scaling);

/// Under the title of `chart`, the time of a program's kernels as a bar, divided by what bounds them, and
/// below it each part in numbers: as wide as a column of text.
Scene time_scene(const ChartModel& chart, const ProgramUse& program);

}  // namespace rooflinectl
