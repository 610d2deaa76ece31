// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/progress/progress.h"
#include "cli/terminal.h"
#include "reports/charts/model/chart_model.h"
#include "reports/formats/formats.h"
#include "reports/reports.h"
#include "runner/machine/catalogue.h"
#include "runner/measuring/device_runs.h"
#include "runner/measuring/measure.h"

namespace rooflinectl {

namespace {

struct CeilingsOptions {
  std::vector<std::string> devices = {"0"};
  std::string output = "runs";
  bool quick = false;
  bool fresh = false;
  bool no_counters = false;
  std::vector<std::string> command_line;
};

/// DRAM and f32: the ceilings that most kernels need.
bool is_quick(const std::string& id) {
  return id.starts_with("dram_") || id == "f32_add" || id == "f32_fma";
}

Plan plan_of(const CeilingsOptions& options) {
  Plan plan;
  plan.name = "ceilings";
  for (const std::string& id : load_catalogue().ceilings) {
    if (!options.quick || is_quick(id)) plan.ceilings.push_back(id);
  }
  return plan;
}

MeasureRequest request_of(const CeilingsOptions& options) {
  MeasureRequest request;
  request.plan = plan_of(options);
  request.counters = !options.no_counters;
  request.collector = require_collector();
  request.output = options.output;
  request.command_line = options.command_line;
  request.fresh_ceilings = options.fresh;
  return request;
}

int ceilings(const CeilingsOptions& options) {
  MeasureRequest request = request_of(options);
  const DeviceChoice devices = device_choice(options.devices);
  MeasureResult result;
  if (!devices.several.empty()) {
    ProgressDisplay display(stderr);
    result = measure_ceilings(request, devices.several, progress_on(display, Verbosity::normal));
    if (result.stop_signal) {
      return end_interrupted(result, "to finish: the same command without --fresh, which reuses them");
    }
  } else {
    request.device = devices.one;
    result = measure_with_progress(request, Verbosity::normal);
    if (result.stop_signal) return end_interrupted(result);
  }

  const ReportModel report(result.run);
  write_reports(report, result.folder);
  terminal::print("\n{}\n", terminal_summary(report, columns_of(stdout)));
  for (const std::string& loss : result.losses) terminal::print("{}\n", loss);
  terminal::print("measured in {:.1f} s\n", result.run.wall_s);
  for (std::size_t device = 0; device < result.run.devices.size(); ++device) {
    const std::string file = fmt::format("{}.png", ceilings_chart_file_name(device));
    terminal::print("picture: {}\n", (result.folder / file).string());
  }
  terminal::flush(stdout);
  make_latest(result.folder);
  if (result.stopped_by) throw *result.stopped_by;
  return result.losses.empty() ? 0 : static_cast<int>(ErrorKind::measurement);
}

}  // namespace

void add_ceilings_command(const Commands& commands) {
  const auto [command, options] = add_command(
      commands, "ceilings",
      "Measure the ceilings of GPUs: memory levels, precisions, launch latency; the links between them, and "
      "collectives over them",
      ceilings);
  add_option(command, "-d,--device", "INDEX|UUID,...|all", options->devices,
             "The GPU, or GPUs: their indices or UUIDs as nvidia-smi -L prints them, or all")
      ->delimiter(',')
      ->default_str("0");
  add_option(command, "-o,--output", "DIR", options->output, "Folder in which to create ceilings/<UTC time>/")
      ->capture_default_str();
  command->add_flag("--quick", options->quick, "Only DRAM and FP32");
  command->add_flag("--fresh", options->fresh,
                    "Measure all ceilings again, even if an earlier run measured them");
  command->add_flag("--no-counters", options->no_counters,
                    "Do not confirm the ceilings with hardware counters");
  command->footer(
      "Measured ceilings are stored per device, driver, clocks and version of this tool\n"
      "in $XDG_CACHE_HOME/rooflinectl (~/.cache/rooflinectl), and reused by this\n"
      "command and by `run`.\n"
      "\n"
      "Several GPUs are measured one after the other, then the bandwidth from each to\n"
      "every other: by copy engine, by loads issued by the target, by stores issued by\n"
      "the source; then NCCL's collectives over all of them, where libnccl.so.2 is\n"
      "found (set ROOFLINECTL_NCCL if it is elsewhere). `profile` and `merge` compare\n"
      "the collectives of programs on the same GPUs with these.\n"
      "\n"
      "Examples:\n"
      "  rooflinectl ceilings\n"
      "  rooflinectl ceilings --quick --fresh --device 1\n"
      "  rooflinectl ceilings --device all");
}

}  // namespace rooflinectl
