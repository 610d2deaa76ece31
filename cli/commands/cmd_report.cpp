// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/terminal.h"
#include "core/error.h"
#include "core/files/files.h"
#include "core/model/known_ceilings.h"
#include "core/serial/run_file.h"
#include "core/text/names.h"
#include "readers/torch/torch_trace_file.h"
#include "reports/formats/formats.h"
#include "reports/reports.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::string run_file;
  std::string output;
  std::vector<std::string> levels;
  std::vector<std::string> precisions;
  std::vector<std::string> caches;
  std::string theme{to_string(Theme::light)};
  std::string export_format;  // empty for none
  std::string torch_trace;
  bool all = false;
  bool quiet = false;
};

template <typename Enumerators>
std::vector<std::string> all_names(const Enumerators& enumerators) {
  std::vector<std::string> names;
  for (const auto enumerator : enumerators) names.emplace_back(to_string(enumerator));
  return names;
}

// The levels in the order of the hierarchy, whatever the order of their names.
ChartSelection selection_of(const ReportOptions& options) {
  ChartSelection selection{.levels = {}, .precisions = options.precisions};
  for (const MemoryLevel level : kMemoryLevels) {
    if (contains(options.levels, to_string(level))) selection.levels.push_back(level);
  }
  for (const Theme theme : kThemes) {
    if (to_string(theme) == options.theme) selection.theme = theme;
  }
  return selection;
}

std::vector<std::string> caches_of(const Run& run) {
  std::vector<std::string> names;
  for (const CacheState cache : kCacheStates) {
    if (std::ranges::any_of(run.measurements, [&](const Measurement& measurement) {
          return cache_of(measurement.point) == cache;
        })) {
      names.emplace_back(to_string(cache));
    }
  }
  return names;
}

bool has_roof(const Run& run, CeilingKind kind, std::string_view subject) {
  return std::ranges::any_of(run.ceilings, [&](const Ceiling& ceiling) {
    return ceiling.kind == kind && ceiling.subject == subject;
  });
}

std::vector<std::string> precision_names() {
  const std::vector<std::string_view> names = ceiling_precisions();
  return {names.begin(), names.end()};
}

std::vector<std::string> precisions_of(const Run& run) {
  std::vector<std::string> names;
  for (const std::string_view precision : ceiling_precisions()) {
    if (has_roof(run, CeilingKind::compute, precision)) names.emplace_back(precision);
  }
  return names;
}

// Those at which points have a mark; for a run without experiments, those that have a roof.
std::vector<std::string> levels_of(const ReportModel& report) {
  const Run& run = report.run;
  const auto& experiments = report.analysis.experiments;
  std::vector<std::string> names;
  for (const MemoryLevel level : kMemoryLevels) {
    const auto shows = [&](const ExperimentAnalysis& experiment) {
      return std::ranges::any_of(experiment.points, [&](const RooflinePoint& point) {
        return std::ranges::any_of(point.levels,
                                   [&](const LevelUse& use) { return use.level == level && use.ai; });
      });
    };
    const bool is_there = run.plan.experiments.empty()
                              ? has_roof(run, CeilingKind::bandwidth, to_string(level))
                              : std::ranges::any_of(experiments, shows);
    if (is_there) names.emplace_back(to_string(level));
  }
  return names;
}

// A picture without anything that was chosen would look like a run that measured nothing.
void check_choice(const char* option, const std::vector<std::string>& chosen,
                  const std::vector<std::string>& available) {
  if (std::ranges::any_of(chosen, [&](const std::string& name) { return contains(available, name); })) {
    return;
  }
  throw Error(ErrorKind::usage,
              fmt::format("{} {}: this run has nothing to draw for it", option, fmt::join(chosen, ",")),
              available.empty() ? fmt::format("omit {}", option)
                                : fmt::format("choose from {}", fmt::join(available, ", ")));
}

// Keeps only the points of these cache states, and the experiments that have some.
void keep_caches(Run& run, const std::vector<std::string>& caches) {
  const auto is_left_out = [&](const PointId& point) {
    const auto cache = cache_of(point);
    return !cache || !contains(caches, to_string(*cache));
  };
  auto& experiments = run.plan.experiments;
  for (Experiment& experiment : experiments) std::erase_if(experiment.points, is_left_out);
  std::erase_if(experiments, [](const Experiment& experiment) { return experiment.points.empty(); });
  std::erase_if(run.measurements,
                [&](const Measurement& measurement) { return is_left_out(measurement.point); });
}

// Keeps only what the options choose. Throws Error(usage) if that is nothing.
void choose(Run& run, const ReportOptions& options) {
  if (!options.caches.empty()) {
    check_choice("--cache", options.caches, caches_of(run));
    keep_caches(run, options.caches);
  }
  if (!options.precisions.empty()) check_choice("--precision", options.precisions, precisions_of(run));
}

// Throws Error(usage) if the levels that the options choose have nothing to draw.
void check_levels(const ReportModel& report, const ReportOptions& options) {
  // At DRAM alone, uncounted points are drawn from their declared bytes.
  const bool is_dram_alone = options.levels == std::vector{std::string(to_string(MemoryLevel::dram))};
  if (!options.levels.empty() && !is_dram_alone) check_choice("--level", options.levels, levels_of(report));
}

std::optional<TorchTrace> torch_trace_of(const Run& run, const ReportOptions& options) {
  if (options.torch_trace.empty()) return std::nullopt;
  if (!run.application && run.imports.empty()) {
    throw Error(ErrorKind::usage, "--pytorch-trace: this run is not of a profiled program",
                "use it with a run that rooflinectl profile wrote");
  }
  TorchTrace trace = read_torch_trace(options.torch_trace);
  if (trace.kernels.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{}: contains no kernels", options.torch_trace),
                "trace with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]");
  }
  return trace;
}

// With a trace of another program, a report would show nothing but that it is one.
void check_matched(const ReportModel& report, const TorchTrace& trace, const ReportOptions& options) {
  std::uint64_t matched = 0;
  for (const ExperimentReport& experiment : report.experiments) {
    if (!experiment.operators) continue;
    const OperatorUse& use = *experiment.operators;
    matched += use.matched;
    if (use.matched > 0 && is_foreign(use)) {
      terminal::print(
          stderr,
          "warning: {}: {} of its kernel time and {} of the run's GPU time match: is it from the same "
          "program, with the same sizes?\n",
          options.torch_trace, format::percent(use.matched_trace_share), format::percent(use.matched_share));
    }
  }
  if (matched > 0) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("{}: none of its kernels ({}) is in this run", options.torch_trace, trace.kernels.size()),
      "give a trace of the same program with the same sizes");
}

int report(const ReportOptions& options) {
  const fs::path file = run_file(options.run_file);
  Run run = read_run(file);
  // It names measurements by their places, which a choice of caches changes.
  const std::optional<Timeline> timeline = options.caches.empty() ? timeline_beside(file, run) : std::nullopt;
  choose(run, options);

  const std::optional<TorchTrace> torch = torch_trace_of(run, options);

  const ReportModel model(run, selection_of(options), timeline ? &*timeline : nullptr,
                          torch ? &*torch : nullptr);
  check_levels(model, options);
  if (torch) check_matched(model, *torch, options);
  const Export exported = options.export_format.empty() ? Export::none : Export::perfetto;
  if (exported == Export::perfetto) require_timeline(model);
  const fs::path folder = options.output.empty() ? file.parent_path() : make_folder(options.output);
  std::vector<fs::path> inputs = {file};
  if (torch) inputs.emplace_back(options.torch_trace);
  const std::vector<fs::path> written = write_reports(model, folder, inputs, exported);
  if (!options.quiet)
    terminal::print("{}\n",
                    terminal_summary(model, columns_of(stdout), options.all ? Rows::all : Rows::notable));
  for (const fs::path& path : written) terminal::print("{}\n", path.string());
  return 0;
}

}  // namespace

void add_report_command(const Commands& commands) {
  const auto [command, options] = add_command(
      commands, "report", "Regenerate the reports of a run from its run.json; needs no GPU", report);
  add_option(command, "run", "RUN.json", options->run_file, "A run.json or run.json.gz, or its folder")
      ->required();
  add_option(command, "-o,--output", "DIR", options->output,
             "Folder for the reports (default: the folder of the run.json)");
  add_list_option(*command, "--level", "LEVEL,...", options->levels,
                  "Memory levels in the main picture, with one mark per level (default: dram)",
                  all_names(kMemoryLevels));
  add_list_option(*command, "--precision", "PRECISION,...", options->precisions,
                  "Precisions of the compute ceilings in the main picture (default: those of the points)",
                  precision_names());
  add_list_option(*command, "--cache", "STATE", options->caches,
                  "Only points with this cache state (default: all)", all_names(kCacheStates));
  add_option(command, "--theme", "THEME", options->theme, "Colours of the pictures")
      ->check(CLI::IsMember(all_names(kThemes)))
      ->capture_default_str();
  add_option(command, "--export", "FORMAT", options->export_format,
             "Also export the timeline as timeline.perfetto-trace, which https://ui.perfetto.dev opens")
      ->check(CLI::IsMember(std::vector<std::string>{"perfetto"}));
  add_option(command, "--pytorch-trace", "TRACE.json", options->torch_trace,
             "Trace exported by torch.profiler from another run of the same program (.json or "
             ".json.gz); adds operators and modules");
  command->add_flag("--all", options->all,
                    "Show every point, even in experiments with more than 40, whose tables otherwise show "
                    "only the notable ones");
  command->add_flag("-q,--quiet", options->quiet, "Print only the paths of the files");
  command->footer(
      "Examples:\n"
      "  rooflinectl report runs/reductions/latest\n"
      "  rooflinectl report run.json --output /tmp/pictures\n"
      "  rooflinectl report run.json --level l2,shared --precision f32\n"
      "  rooflinectl report run.json --theme dark --output slides\n"
      "  rooflinectl report runs/train.py/latest --export perfetto\n"
      "  rooflinectl report runs/train.py/latest --pytorch-trace trace.json.gz");
}

}  // namespace rooflinectl
