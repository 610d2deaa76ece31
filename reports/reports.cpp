// SPDX-License-Identifier: Apache-2.0
#include "reports/reports.h"

#include <fmt/format.h>

#include "analysis/roofline/point.h"
#include "core/error.h"
#include "core/files/files.h"
#include "reports/charts/layouts/layouts.h"
#include "reports/charts/model/chart_model.h"
#include "reports/draw/scene.h"
#include "reports/formats/formats.h"
#include "reports/page/page.h"

namespace rooflinectl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPageName = "report.html";

/// The files that are to be written.
class Files {
 public:
  explicit Files(Theme theme) : theme_(theme) {}

  void add(std::string name, std::string content) { files_.push_back({std::move(name), std::move(content)}); }

  /// Adds the picture under each of `names` and returns its SVG for the page, which has themes of its own.
  std::string add_picture(const std::vector<std::string>& names, const Scene& scene) {
    const Scene shown = themed(scene, theme_);
    std::string svg = to_svg(scene);
    add_each(names, ".svg", theme_ == Theme::light ? svg : to_svg(shown));
    add_each(names, ".png", to_png(shown));
    add_each(names, ".pdf", to_pdf(shown));
    return svg;
  }

  /// Adds the picture as `summary.md` shows it.
  void add_narrow(const std::string& name, const Scene& scene) {
    add(fmt::format("{}.png", name), to_png(themed(scene, theme_)));
  }

  const std::vector<OutputFile>& all() const { return files_; }

 private:
  void add_each(const std::vector<std::string>& names, std::string_view extension,
                const std::string& content) {
    for (const std::string& name : names) add(fmt::format("{}{}", name, extension), content);
  }

  Theme theme_;
  std::vector<OutputFile> files_;
};

// One mark per point where only DRAM is to be shown, else one per level.
Scene main_scene(const ExperimentReport& experiment, Extent extent = Extent::full) {
  const ChartModel& chart = experiment.main_chart();
  if (!chart.levels.empty()) return levels_scene(chart);
  // More of a program's kernels would only cover each other.
  constexpr std::size_t kMostMarks = 300;
  return chart_scene(chart.is_of_program ? with_longest(chart, kMostMarks) : chart, extent);
}

// Returns what the page shows of them.
PagePictures add_pictures(Files& files, const Run& run, const ExperimentReport& experiment, bool is_first) {
  // Each point has a row of levels; report.html has all of them.
  constexpr std::size_t kMostOfAProgram = 30;
  const auto name = [&](std::string_view kind) { return chart_file_name(kind, experiment.file_name); };
  const auto add = [&](std::string_view kind, const Scene& scene) {
    return files.add_picture({name(kind)}, scene);
  };
  const ChartModel& chart = experiment.chart;
  if (has_levels(*experiment.analysis)) {
    add(kLevelsKind, levels_scene(with_longest(experiment.levels, kMostOfAProgram)));
  }
  if (experiment.program) add(kTimeKind, time_scene(chart, *experiment.program));
  // What `summary.md` shows; it links to the rest.
  if (experiment.sizes) {
    files.add_narrow(name(kSummarySizeSweepKind), size_sweep_scene(chart, *experiment.sizes, Extent::narrow));
  }
  if (experiment.has_narrow_picture()) {
    files.add_narrow(name(kSummaryRooflineKind), main_scene(experiment, Extent::narrow));
  }
  PagePictures pictures;
  if (experiment.sizes) pictures.size_sweep = add(kSizeSweepKind, size_sweep_scene(chart, *experiment.sizes));
  if (has_energy(*experiment.analysis)) {
    pictures.energy = add(kEnergyKind, energy_scene(run, *experiment.analysis, chart));
  }
  if (experiment.scaling) pictures.scaling = add(kScalingKind, scaling_scene(chart, *experiment.scaling));
  std::vector<std::string> names = {name(kRooflineKind)};
  if (is_first) names.emplace_back(kFirstChartFileName);
  pictures.roofline = files.add_picture(names, main_scene(experiment));
  return pictures;
}

}  // namespace

std::vector<fs::path> write_reports(const ReportModel& report, const fs::path& folder,
                                    const std::vector<fs::path>& inputs, Export exported) {
  if (exported == Export::perfetto) require_timeline(report);
  const Run& run = report.run;
  Files files(report.selection.theme);
  PageParts parts;
  for (const ExperimentReport& experiment : report.experiments) {
    const bool is_first = parts.experiments.empty();
    parts.experiments.push_back(experiment.was_watched() ? PagePictures()
                                                         : add_pictures(files, run, experiment, is_first));
  }
  if (report.experiments.empty()) {
    PagePictures& pictures = parts.experiments.emplace_back();
    if (report.has_ceilings_picture()) {
      const ChartModel& first = report.ceilings_charts.front();
      pictures.roofline =
          files.add_picture({ceilings_chart_file_name(Run::kFirstDevice)}, ceilings_scene(first));
      files.add_narrow(std::string(kSummaryRooflineKind), ceilings_scene(first, Extent::narrow));
      for (std::size_t device = 1; device < run.devices.size(); ++device) {
        files.add_picture({ceilings_chart_file_name(device)}, ceilings_scene(report.ceilings_charts[device]));
      }
    }
  }
  if (!run.primitives.empty()) {
    parts.primitives = files.add_picture({std::string(kPrimitivesFileName)}, primitives_scene(run));
  }
  if (has_collectives_picture(run)) {
    parts.collectives = files.add_picture({std::string(kCollectivesFileName)}, collectives_scene(run));
  }
  if (!run.primitives.empty()) files.add("primitives.csv", primitives_csv(run));
  parts.points_csv = points_csv(report.analysis);
  files.add("points.csv", parts.points_csv);
  files.add("summary.md", summary_md(report));
  files.add(std::string(kPageName), report_page(report, parts));
  if (exported == Export::perfetto) files.add("timeline.perfetto-trace", perfetto_trace(report));
  return write_together(folder, kPageName, files.all(), inputs);
}

void require_timeline(const ReportModel& report) {
  if (report.has_timeline()) return;
  throw Error(
      ErrorKind::usage, "this run has no timeline to export",
      "rooflinectl profile --timeline -- PROGRAM records one, if the program is still running when its "
      "kernels are counted; rooflinectl watch records one of whatever is running");
}

}  // namespace rooflinectl
