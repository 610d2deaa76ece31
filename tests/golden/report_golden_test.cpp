// SPDX-License-Identifier: Apache-2.0
// The reports of `golden_run()` against the files in `expected/`. `kGoldenUpdateCommand` rewrites them.
#include <cairo.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "analysis/analysis.h"
#include "analysis/explain/explanation.h"
#include "core/files/compression.h"
#include "core/files/files.h"
#include "core/json/json.h"
#include "reports/charts/layouts/layouts.h"
#include "reports/draw/scene.h"
#include "reports/formats/formats.h"
#include "reports/page/program/page_program.h"
#include "reports/reports.h"
#include "runner/importing/importing.h"
#include "tests/golden/golden_run.h"
#include "tests/support/constructed_run.h"
#include "tests/support/golden_update.h"
#include "tests/support/program_timeline.h"
#include "tests/support/scaling_run.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl {
namespace {

namespace fs = std::filesystem;

const fs::path kExpected = fs::path(ROOFLINECTL_SOURCE_FOLDER) / "tests" / "golden" / "expected";

/// A run without experiments has a picture of its own, and a table.
void write_ceilings(const fs::path& folder) {
  const TemporaryFolder written;
  const Run run = constructed::with_levels(constructed::empty_run());
  write_reports(ReportModel(run), written.path());
  fs::copy_file(written.path() / "roofline.svg", folder / "roofline-ceilings.svg");
  write_file(folder / "terminal-ceilings.txt", terminal_summary(ReportModel(run), 100));
}

/// The primitives have a picture, a table and a file of their own.
void write_primitives(const fs::path& folder) {
  const TemporaryFolder written;
  const Run run = recorded_run("primitives-h200");
  write_reports(ReportModel(run), written.path());
  for (const std::string name : {"primitives.svg", "primitives.csv"}) {
    fs::copy_file(written.path() / name, folder / name);
  }
  write_file(folder / "terminal-primitives.txt", terminal_summary(ReportModel(run), 100));
}

/// A run whose plan asks for energy has a picture of it.
void write_energy(const fs::path& folder) {
  const TemporaryFolder written;
  const Run run = recorded_run("seeds-h200");
  write_reports(ReportModel(run), written.path());
  fs::copy_file(written.path() / "energy-energy.svg", folder / "energy-energy.svg");
}

/// Points over several GPUs have a picture and a table of how they scale.
void write_scaling(const fs::path& folder) {
  const TemporaryFolder written;
  const Run run = constructed::scaling_run();
  write_reports(ReportModel(run), written.path());
  for (const std::string name : {"scaling-weak.svg", "scaling-strong.svg"}) {
    fs::copy_file(written.path() / name, folder / name);
  }
  write_file(folder / "terminal-scaling.txt", terminal_summary(ReportModel(run), 100));
}

/// Devices that measured the same points have a table of how they differ.
void write_spread(const fs::path& folder) {
  Run run = constructed::run();
  run.plan.experiments.resize(1);
  std::erase_if(run.measurements,
                [&](const Measurement& one) { return one.point.experiment != run.plan.experiments[0].name; });
  run.devices.resize(3, run.devices.front());
  const std::vector<Measurement> measured = run.measurements;
  for (const std::size_t device : {std::size_t{1}, std::size_t{2}}) {
    for (Measurement measurement : measured) {
      measurement.device = device;
      measurement.time = constructed::time(measurement.time->median_s * (device == 2 ? 1.08 : 0.99));
      run.measurements.push_back(std::move(measurement));
    }
  }
  const std::string text = terminal_summary(ReportModel(run), 100);
  const std::size_t begin = text.find("Outliers");
  write_file(folder / "terminal-spread.txt",
             text.substr(begin, text.find("\nladder_device0:", begin) - begin));
}

constexpr const char* kPrograms[] = {"training-step-h200", "matrix-sums-h200", "cupy-fft-h200",
                                     "data-parallel-two-h200"};

/// Of each recorded program, what the terminal shows.
void write_programs(const fs::path& folder) {
  for (const char* name : kPrograms) {
    write_file(folder / fmt::format("terminal-{}.txt", name),
               terminal_summary(ReportModel(recorded_run(name)), 100));
  }
}

/// What a report of Nsight Compute comes to, whichever rooflinectl imports it.
void write_import(const fs::path& folder) {
  const TemporaryFolder written;
  const fs::path packed =
      fs::path(ROOFLINECTL_SOURCE_FOLDER) / "tests/data/ncu-2025.3.1-h200-full.ncu-rep.gz";
  const fs::path report = written.path() / "vectors.ncu-rep";
  write_file(report, gunzipped(read_file(packed), packed.string(), kMaxFileBytes));
  Run run = import_files({.files = {report},
                          .ceilings = {},
                          .output = written.path(),
                          .command_line = {"rooflinectl", "import", "vectors.ncu-rep"}})
                .run;
  run.tool_version = "0.0.0";
  run.tool_commit = "0000000";
  write_reports(ReportModel(run), written.path());
  fs::copy_file(written.path() / "summary.md", folder / "summary-import.md");
}

/// The GPU time of a recorded program by what limits it.
void write_time(const fs::path& folder) {
  const Run run = recorded_run("matrix-sums-h200");
  const ReportModel report(run);
  const ExperimentReport& experiment = report.experiments.front();
  write_file(folder / "time-matrix_sums.svg", to_svg(time_scene(experiment.chart, *experiment.program)));
  write_file(folder / "roofline-matrix_sums.svg", to_svg(chart_scene(experiment.chart)));
}

/// What the page has of the samples of a device.
void write_timeline(const fs::path& folder) {
  const Run run = constructed::program_run();
  const Timeline timeline = constructed::TimelineOfProgram(run).make(2, 200'000);
  const ReportModel report(run, {}, &timeline);
  const ExperimentReport& experiment = report.experiments.front();
  write_file(folder / "timeline-program.json",
             serial::to_lines(page::timeline(run, *experiment.analysis, timeline, *experiment.timeline)));
}

/// The verdict on each point of the recordings, and which causes and notes hold: a finding that is new or
/// gone shows here.
void write_findings(const fs::path& folder) {
  std::string text;
  for (const std::string name :
       {"reductions-h200", "ladder-h200", "seeds-h200", "sizes-h200", "training-step-h200",
        "matrix-sums-h200", "cupy-fft-h200", "data-parallel-two-h200"}) {
    const Run run = recorded_run(name);
    const Analysis analysis = analyse(run);
    for (const ExperimentAnalysis& experiment : analysis.experiments) {
      for (const RooflinePoint& point : experiment.points) {
        text += fmt::format("{} {} {}:", name, experiment.name, point.label);
        if (point.bound == Bound::unknown) text += " unknown";
        for (const Finding& finding : explain(run, point).findings) text += fmt::format(" {}", finding.rule);
        text += '\n';
      }
    }
  }
  write_file(folder / "findings.txt", text);
}

/// The reports, written once for all tests of this process.
const fs::path& reports_folder() {
  static const TemporaryFolder folder;
  static const bool written = [] {
    write_reports(ReportModel(golden_run()), folder.path());
    write_file(folder.path() / "terminal.txt", terminal_summary(ReportModel(golden_run()), 100));
    write_ceilings(folder.path());
    write_primitives(folder.path());
    write_energy(folder.path());
    write_scaling(folder.path());
    write_spread(folder.path());
    write_programs(folder.path());
    write_import(folder.path());
    write_time(folder.path());
    write_timeline(folder.path());
    write_findings(folder.path());
    return true;
  }();
  static_cast<void>(written);
  return folder.path();
}

/// Keeps the new content, for comparison with the expected file.
fs::path keep(const std::string& name) {
  const fs::path kept = fs::path(ROOFLINECTL_ACTUAL_FOLDER) / name;
  fs::create_directories(kept.parent_path());
  fs::copy_file(reports_folder() / name, kept, fs::copy_options::overwrite_existing);
  return kept;
}

void compare_text(const std::string& name) {
  const std::string actual = read_file(reports_folder() / name);
  if (is_golden_update()) write_file(kExpected / name, actual);
  // Not EXPECT_EQ: two files of 60 kB side by side help nobody.
  EXPECT_TRUE(actual == read_file(kExpected / name)) << "diff " << (kExpected / name) << " " << keep(name)
                                                     << "\nIf the change is wanted: " << kGoldenUpdateCommand;
}

struct Image {
  explicit Image(const fs::path& path)
      : surface(cairo_image_surface_create_from_png(path.c_str()), cairo_surface_destroy),
        width(cairo_image_surface_get_width(surface.get())),
        height(cairo_image_surface_get_height(surface.get())) {}

  std::uint32_t pixel(int x, int y) const {
    const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface.get()));
    std::uint32_t value = 0;
    std::memcpy(&value,
                cairo_image_surface_get_data(surface.get()) + static_cast<std::size_t>(y) * stride +
                    static_cast<std::size_t>(x) * sizeof(value),
                sizeof(value));
    return value & 0xffffffU;
  }

  std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface;
  int width;
  int height;
};

int largest_channel_difference(std::uint32_t a, std::uint32_t b) {
  int largest = 0;
  for (const int shift : {0, 8, 16}) {
    largest = std::max(largest,
                       std::abs(static_cast<int>(a >> shift & 0xffU) - static_cast<int>(b >> shift & 0xffU)));
  }
  return largest;
}

/// The number of pixels that differ visibly.
int visible_differences(const Image& a, const Image& b) {
  constexpr int kVisible = 48;  // of 255: above what versions of a rasteriser differ by at edges
  int different = 0;
  for (int y = 0; y < a.height; ++y) {
    for (int x = 0; x < a.width; ++x) {
      if (largest_channel_difference(a.pixel(x, y), b.pixel(x, y)) > kVisible) ++different;
    }
  }
  return different;
}

std::vector<std::string> chart_names() {
  std::vector<std::string> names;
  for (const Experiment& experiment : golden_run().plan.experiments)
    names.push_back("roofline-" + experiment.name);
  names.emplace_back("levels-ladder");
  names.emplace_back("roofline-ceilings");
  names.emplace_back("primitives");
  names.emplace_back("energy-energy");
  names.emplace_back("time-matrix_sums");
  names.emplace_back("roofline-matrix_sums");
  names.emplace_back("scaling-weak");
  names.emplace_back("scaling-strong");
  return names;
}

TEST(ReportGolden, SvgOfEveryPicture) {
  for (const std::string& name : chart_names()) compare_text(name + ".svg");
}

TEST(ReportGolden, PointsCsv) {
  compare_text("points.csv");
}

TEST(ReportGolden, FindingsOfTheRecordings) {
  compare_text("findings.txt");
}

TEST(ReportGolden, TimelineOfThePage) {
  compare_text("timeline-program.json");
}

TEST(ReportGolden, PrimitivesCsv) {
  compare_text("primitives.csv");
}

TEST(ReportGolden, SummaryMd) {
  compare_text("summary.md");
  compare_text("summary-import.md");
}

TEST(ReportGolden, Terminal) {
  compare_text("terminal.txt");
  compare_text("terminal-ceilings.txt");
  compare_text("terminal-primitives.txt");
  compare_text("terminal-scaling.txt");
  compare_text("terminal-spread.txt");
  for (const char* name : kPrograms) compare_text(fmt::format("terminal-{}.txt", name));
}

/// The SVG goldens check what is drawn; this checks how it is painted. A mark has some sixty pixels.
TEST(ReportGolden, PngIsPaintedAsBefore) {
  constexpr int kMostDifferent = 20;
  const std::string name = "roofline-seeds_ladder.png";
  const fs::path path = reports_folder() / name;
  if (is_golden_update()) fs::copy_file(path, kExpected / name, fs::copy_options::overwrite_existing);
  const Image actual(path);
  const Image expected(kExpected / name);
  ASSERT_EQ(cairo_surface_status(actual.surface.get()), CAIRO_STATUS_SUCCESS);
  ASSERT_EQ(actual.width, 1600);
  ASSERT_EQ(actual.height, 900);
  ASSERT_EQ(expected.width, actual.width);
  ASSERT_EQ(expected.height, actual.height);
  EXPECT_LE(visible_differences(actual, expected), kMostDifferent) << keep(name);
}

TEST(ReportGolden, PngIsNotBlank) {
  const Image image(reports_folder() / "roofline.png");
  std::set<std::uint32_t> colours;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) colours.insert(image.pixel(x, y));
  }
  EXPECT_THAT(colours,
              testing::IsSupersetOf({0xffffffU, 0x1b1f24U, 0x0072b2U}));  // paper, ink, the first family
}

TEST(ReportGolden, TheFirstExperimentIsAlsoThePlainPicture) {
  EXPECT_TRUE(read_file(reports_folder() / "roofline.svg") ==
              read_file(reports_folder() / (chart_names().front() + ".svg")));
}

}  // namespace
}  // namespace rooflinectl
