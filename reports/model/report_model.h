// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/devices/devices_together.h"
#include "analysis/devices/ranks.h"
#include "analysis/explain/explanation.h"
#include "analysis/program/operators.h"
#include "analysis/program/recoverable.h"
#include "analysis/timeline/timeline_view.h"
#include "reports/charts/model/chart_model.h"
#include "reports/charts/model/size_sweep.h"

namespace rooflinectl {

/// What the reports show about one experiment.
struct ExperimentReport {
  const Run* run = nullptr;  ///< the run of these points: the measured one, or that of several GPUs together
  const ExperimentAnalysis* analysis = nullptr;
  std::string file_name;  ///< of its pictures, after the kind: see `chart_file_names`
  ChartModel chart;       ///< one mark per point, at its DRAM intensity
  ChartModel levels;      ///< a mark per memory level
  /// The main picture, where a selection asks for a different one, or many sizes of each version would form
  /// stripes.
  std::optional<ChartModel> chosen;
  std::vector<PointExplanation> explanations;  ///< one for each point
  std::optional<ProgramUse> program;           ///< of an experiment with the kernels of a profiled program
  std::optional<OperatorUse> operators;        ///< likewise, where there is a trace of PyTorch
  std::optional<DeviceView> timeline;          ///< of an experiment whose device was sampled
  std::optional<SizeSweep> sizes;              ///< only where there is a curve to draw
  /// For versions that were measured at many sizes, the best point of each, by its place: all of them would
  /// form stripes. Empty where all points can be drawn.
  std::vector<std::size_t> best;
  std::vector<SpeedTable> speeds;
  std::optional<Scaling> scaling;  ///< only where points differ in the number of GPUs

  /// Whether its device was sampled while nothing is known about what ran: there are no points to draw.
  bool was_watched() const { return timeline && timeline->was_watched; }
  /// Whether its points are those of several GPUs together, which are not measurements in `run.json`.
  bool is_together() const { return analysis->gpus > 1; }
  /// What the main picture shows.
  const ChartModel& main_chart() const { return chosen ? *chosen : chart; }
  /// Whether that is narrow enough for `summary.md` without its table: not with a mark per memory level.
  bool has_narrow_picture() const { return main_chart().levels.empty(); }
};

/// Everything that a run's reports show, derived once: each format only writes it down.
struct ReportModel {
  /// `run`, `timeline` and `torch` must outlive the model. `selection` chooses what is in the main pictures;
  /// `timeline` is null where no device was sampled, `torch` where there is no trace of PyTorch.
  explicit ReportModel(const Run& run, ChartSelection selection = {}, const Timeline* timeline = nullptr,
                       const TorchTrace* torch = nullptr);
  // Its parts point into each other.
  ReportModel(const ReportModel&) = delete;
  ReportModel& operator=(const ReportModel&) = delete;

  bool is_incomplete() const;  ///< whether points of the plan are missing
  /// Whether a picture of the ceilings stands for the run: it has no experiments, and not just primitives.
  bool has_ceilings_picture() const;
  bool has_timeline() const;  ///< whether there is something to show of a device that was sampled

  const Run& run;
  const Timeline* timeline = nullptr;
  ChartSelection selection;
  Analysis analysis;
  std::optional<DevicesTogether> together;  ///< of a program with several GPUs
  std::optional<ExperimentAnalysis> of_together;
  std::vector<CeilingPair> ceilings;
  std::vector<ChartModel> ceilings_charts;  ///< of each device the roofs and no points
  /// The one for all GPUs together first, where there is one, then those of `analysis`, in its order.
  std::vector<ExperimentReport> experiments;
  std::vector<ModelSpread> spread;      ///< between devices that measured the same
  std::optional<RankAnalysis> ranks;    ///< of a program with several processes
  std::optional<RankLanes> rank_lanes;  ///< of one whose devices were sampled
  /// `Nothing was measured: all 14 points of the plan are missing.` Then there are no `experiments`. Else
  /// empty.
  std::string nothing_measured;
};

}  // namespace rooflinectl
