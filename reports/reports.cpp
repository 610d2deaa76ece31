// SPDX-License-Identifier: Apache-2.0
#include "reports/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/analysis.h"
#include "analysis/roofline/energy.h"
#include "core/error.h"
#include "core/files/files.h"
#include "reports/charts/layouts/ceilings_layout.h"
#include "reports/charts/layouts/chart_layout.h"
#include "reports/charts/layouts/collectives_layout.h"
#include "reports/charts/layouts/energy_layout.h"
#include "reports/charts/layouts/levels_layout.h"
#include "reports/charts/layouts/primitives_layout.h"
#include "reports/charts/layouts/scaling_layout.h"
#include "reports/charts/layouts/time_layout.h"
#include "reports/charts/model/chart_model.h"
#include "reports/charts/model/file_names.h"
#include "reports/draw/pdf.h"
#include "reports/draw/png.h"
#include "reports/draw/svg.h"
#include "reports/formats/perfetto_trace.h"
#include "reports/formats/points_csv.h"
#include "reports/formats/primitives_csv.h"
#include "reports/formats/summary_md.h"
#include "reports/page/page.h"

namespace rooflinectl {
namespace {

namespace fs = std::filesystem;

/// How pictures are written.
struct PictureFormat {
  std::string_view extension;
  std::string (*encode)(const Scene&);
};
constexpr std::array kPictureFormats = {
    PictureFormat{".svg", to_svg},
    PictureFormat{".png", to_png},
    PictureFormat{".pdf", to_pdf},
};

/// A file that contains a whole report.
struct ReportFormat {
  std::string_view file_name;
  /// The file's content; empty where there is nothing to write. The page embeds parts of other files: what is
  /// written before it can be put into `PageParts`, so that nothing is computed twice.
  std::string (*write)(const ReportModel&, PageParts&);
  bool is_on_request = false;  ///< left out by `write_reports`
};
constexpr std::string_view kPerfettoTraceName = "timeline.perfetto-trace";
constexpr std::array kReportFormats = {
    ReportFormat{"primitives.csv",
                 [](const ReportModel& report, PageParts&) { return primitives_csv(report.run); }},
    ReportFormat{"points.csv",
                 [](const ReportModel& report, PageParts& page) {
                   page.points_csv = points_csv(report.analysis);
                   return page.points_csv;
                 }},
    ReportFormat{"summary.md", [](const ReportModel& report, PageParts&) { return summary_md(report); }},
    ReportFormat{"report.html",
                 [](const ReportModel& report, PageParts& page) { return report_page(report, page); }},
    ReportFormat{.file_name = kPerfettoTraceName,
                 .write = [](const ReportModel& report, PageParts&) { return perfetto_trace(report); },
                 .is_on_request = true},
};

class Folder {
 public:
  /// None of `inputs` is overwritten.
  Folder(fs::path path, Theme theme, std::vector<fs::path> inputs)
      : path_(std::move(path)), theme_(theme), inputs_(std::move(inputs)) {}

  void write(const std::string& name, std::string_view content) {
    files_.push_back(path_ / name);
    refuse_to_overwrite(files_.back(), inputs_);
    write_file(files_.back(), content);
  }

  /// Writes the picture under each of `names` and returns its SVG for the page, which has themes of its own.
  std::string write_picture(const std::vector<std::string>& names, const Scene& scene) {
    const Scene shown = themed(scene, theme_);
    std::string svg = to_svg(scene);
    for (const PictureFormat& format : kPictureFormats) {
      const bool is_for_the_page_too = theme_ == Theme::light && format.encode == to_svg;
      const std::string encoded = is_for_the_page_too ? svg : format.encode(shown);
      for (const std::string& name : names) write(fmt::format("{}{}", name, format.extension), encoded);
    }
    return svg;
  }

  /// Writes the picture as `summary.md` shows it.
  void write_narrow(const std::string& name, const Scene& scene) {
    write(fmt::format("{}.png", name), to_png(themed(scene, theme_)));
  }

  std::vector<fs::path> take() { return std::move(files_); }

 private:
  fs::path path_;
  Theme theme_;
  std::vector<fs::path> inputs_;
  std::vector<fs::path> files_;
};

// One mark per point where only DRAM is to be shown, else one per level.
Scene main_scene(const ExperimentReport& experiment, Extent extent = Extent::full) {
  const ChartModel& chart = experiment.main_chart();
  if (!chart.levels.empty()) return levels_scene(chart);
  // More of a program's kernels would only cover each other.
  constexpr std::size_t kMostMarks = 300;
  return chart_scene(chart.is_of_program ? with_longest(chart, kMostMarks) : chart, extent);
}

// What `summary.md` shows of an experiment; it links to the rest.
void write_narrow_pictures(Folder& folder, const ExperimentReport& experiment) {
  if (experiment.sizes) {
    folder.write_narrow(chart_file_name(kSummarySizeSweepKind, experiment.file_name),
                        size_sweep_scene(experiment.chart, *experiment.sizes, Extent::narrow));
  }
  if (experiment.has_narrow_picture()) {
    folder.write_narrow(chart_file_name(kSummaryRooflineKind, experiment.file_name),
                        main_scene(experiment, Extent::narrow));
  }
}

// Returns what the page shows of them.
PagePictures write_pictures(Folder& folder, const Run& run, const ExperimentReport& experiment,
                            bool is_first) {
  // Each point has a row of levels; report.html has all of them.
  constexpr std::size_t kMostOfAProgram = 30;
  const std::string name = chart_file_name(kRooflineKind, experiment.file_name);
  const std::vector<std::string> names =
      is_first ? std::vector{name, std::string(kFirstChartFileName)} : std::vector{name};
  if (has_levels(*experiment.analysis)) {
    folder.write_picture({chart_file_name(kLevelsKind, experiment.file_name)},
                         levels_scene(with_longest(experiment.levels, kMostOfAProgram)));
  }
  if (experiment.program) {
    folder.write_picture({chart_file_name(kTimeKind, experiment.file_name)},
                         time_scene(experiment.chart, *experiment.program));
  }
  write_narrow_pictures(folder, experiment);
  PagePictures pictures;
  if (experiment.sizes) {
    pictures.size_sweep = folder.write_picture({chart_file_name(kSizeSweepKind, experiment.file_name)},
                                               size_sweep_scene(experiment.chart, *experiment.sizes));
  }
  if (has_energy(*experiment.analysis)) {
    pictures.energy = folder.write_picture({chart_file_name(kEnergyKind, experiment.file_name)},
                                           energy_scene(run, *experiment.analysis, experiment.chart));
  }
  if (experiment.scaling) {
    pictures.scaling = folder.write_picture({chart_file_name(kScalingKind, experiment.file_name)},
                                            scaling_scene(experiment.chart, *experiment.scaling));
  }
  pictures.roofline = folder.write_picture(names, main_scene(experiment));
  return pictures;
}

}  // namespace

std::vector<fs::path> write_reports(const ReportModel& report, const fs::path& folder_path,
                                    const std::vector<fs::path>& inputs) {
  const Run& run = report.run;
  Folder folder(folder_path, report.selection.theme, inputs);
  PageParts parts;
  for (const ExperimentReport& experiment : report.experiments) {
    const bool is_first = parts.experiments.empty();
    parts.experiments.push_back(experiment.was_watched() ? PagePictures()
                                                         : write_pictures(folder, run, experiment, is_first));
  }
  if (report.experiments.empty()) {
    PagePictures& pictures = parts.experiments.emplace_back();
    if (report.has_ceilings_picture()) {
      const ChartModel& first = report.ceilings_charts.front();
      pictures.roofline =
          folder.write_picture({ceilings_chart_file_name(Run::kFirstDevice)}, ceilings_scene(first));
      folder.write_narrow(std::string(kSummaryRooflineKind), ceilings_scene(first, Extent::narrow));
      for (std::size_t device = 1; device < run.devices.size(); ++device) {
        folder.write_picture({ceilings_chart_file_name(device)},
                             ceilings_scene(report.ceilings_charts[device]));
      }
    }
  }
  if (!run.primitives.empty()) {
    parts.primitives = folder.write_picture({std::string(kPrimitivesFileName)}, primitives_scene(run));
  }
  if (has_collectives_picture(run)) {
    parts.collectives = folder.write_picture({std::string(kCollectivesFileName)}, collectives_scene(run));
  }
  for (const ReportFormat& format : kReportFormats) {
    if (format.is_on_request) continue;
    const std::string content = format.write(report, parts);
    if (!content.empty()) folder.write(std::string(format.file_name), content);
  }
  return folder.take();
}

fs::path write_perfetto_trace(const ReportModel& report, const fs::path& folder_path,
                              const std::vector<fs::path>& inputs) {
  require_timeline(report);
  Folder folder(folder_path, report.selection.theme, inputs);
  PageParts no_page;
  const auto* const format = std::ranges::find(kReportFormats, kPerfettoTraceName, &ReportFormat::file_name);
  folder.write(std::string(format->file_name), format->write(report, no_page));
  return folder.take().front();
}

void require_timeline(const ReportModel& report) {
  if (report.has_timeline()) return;
  throw Error(
      ErrorKind::usage, "this run has no timeline to export",
      "rooflinectl profile --timeline -- PROGRAM records one, if the program is still running when its "
      "kernels are counted; rooflinectl watch records one of whatever is running");
}

}  // namespace rooflinectl
