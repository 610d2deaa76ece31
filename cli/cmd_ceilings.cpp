// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "reports/reports.h"
#include "runner/machine/catalogue.h"
#include "runner/measuring/measure.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

struct CeilingsOptions {
  std::string device = "0";
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

int ceilings(const CeilingsOptions& options) {
  MeasureRequest request;
  request.plan = plan_of(options);
  request.device = options.device;
  request.counters = !options.no_counters;
  request.collector = require_collector();
  request.output = options.output;
  request.command_line = options.command_line;
  request.fresh_ceilings = options.fresh;
  const MeasureResult result = measure_with_progress(request, Verbosity::normal);
  if (result.stop_signal) return end_interrupted(result);

  const ReportModel report(result.run);
  write_reports(report, result.folder);
  terminal::print("\n{}\n", terminal_summary(report, columns_of(stdout)));
  for (const std::string& loss : result.losses) terminal::print("{}\n", loss);
  terminal::print("measured in {:.1f} s\n", result.run.wall_s);
  terminal::print("picture: {}\n", (result.folder / "roofline.png").string());
  terminal::flush(stdout);
  link_latest(result.folder);
  if (result.stopped_by) throw *result.stopped_by;
  return result.losses.empty() ? 0 : static_cast<int>(ErrorKind::measurement);
}

}  // namespace

void add_ceilings_command(CLI::App& app, Action& action, int argc, char** argv) {
  const auto options = std::make_shared<CeilingsOptions>();
  options->command_line.assign(argv, argv + argc);
  CLI::App* const command = app.add_subcommand(
      "ceilings", "Measure the ceilings of a GPU: memory levels, precisions, launch latency");
  command
      ->add_option("-d,--device", options->device, "The GPU: its index or UUID as nvidia-smi -L prints them")
      ->type_name("INDEX|UUID")
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "Folder in which to create ceilings/<UTC time>/")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_flag("--quick", options->quick, "Only DRAM and FP32");
  command->add_flag("--fresh", options->fresh,
                    "Measure all ceilings again, even if an earlier run measured them");
  command->add_flag("--no-counters", options->no_counters,
                    "Do not confirm the ceilings with hardware counters");
  command->footer(
      "Measured ceilings are stored per device, driver, clocks and version of this tool "
      "in\n$XDG_CACHE_HOME/rooflinectl (~/.cache/rooflinectl), and reused by this command and by "
      "`run`.\n\nExamples:\n  rooflinectl ceilings\n  rooflinectl ceilings --quick --fresh --device 1");
  command->callback([&action, options] { action = [options] { return ceilings(*options); }; });
}

}  // namespace rooflinectl
