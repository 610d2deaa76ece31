// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/run/run_parts.h"
#include "cli/terminal.h"
#include "core/program/application.h"
#include "core/serial/protocol.h"
#include "core/serial/run_file.h"
#include "core/text/printable.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"
#include "runner/compiling/compile_kernels.h"
#include "runner/compiling/cpp_references.h"
#include "runner/machine/catalogue.h"
#include "runner/measuring/time_estimate.h"
#include "runner/python_kernels/python_kernels.h"
#include "runner/runs/replay.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

/// For the device, or for the default architecture where there is none.
std::vector<CompiledKernel> compiled_kernels(const Plan& plan, const std::string& device) {
  try {
    return compile_kernels_for(plan, {device});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::environment) throw;
    return compile_kernels(plan, {kDefaultArchitecture});
  }
}

void print_request(const Plan& plan, const RunOptions& options) {
  require_collector();  // whose catalogue completes the points
  CollectRequest request;
  request.plan = plan;
  request.counters = !options.no_counters;
  request.self_test = options.self_test;
  if (options.devices.size() > 1 || options.devices.front() == kAllDevices) {
    throw Error(ErrorKind::usage, "--json prints the request for one device", "name one with --device");
  }
  request.device = options.devices.front();
  request.compiled_kernels = compiled_kernels(plan, request.device);
  terminal::print("{}\n", encode(request));
}

void print_experiment(const Experiment& experiment) {
  terminal::print("\n{}{}\n", experiment.name,
                  experiment.title == experiment.name ? "" : ": " + printable(experiment.title));
  terminal::print("  {}, each timed until ±{} or {}; counters: {}\n",
                  format::counted(experiment.points.size(), "point"),
                  format::percent(experiment.timing.relative_half_width),
                  format::duration(experiment.timing.time_limit_s), to_string(experiment.counters));
  terminal::print("{}", axis_table(experiment.points, "  "));
  if (const auto& application = experiment.application) {
    terminal::print("  program: {}\n", command_text(application->command));
  }
}

/// `27 s`, `3 min`: no digit more than is known.
std::string roughly(double seconds) {
  constexpr double kMinute = 60;
  if (seconds < 1.5 * kMinute) return fmt::format("{:.0f} s", std::max(1.0, seconds));
  return fmt::format("{:.0f} min", seconds / kMinute);
}

void print_estimate(const Plan& plan, const RunOptions& options) {
  std::vector<fs::path> earlier = {run_file(fs::path(options.output) / plan.name / "latest")};
  for (const fs::path& recording : shipped_recordings()) earlier.push_back(recording);
  const TimeEstimate estimate = estimate_time(plan, earlier);
  std::string text = fmt::format("\nestimate: {}", roughly(estimate.points_s));
  if (estimate.known > 0) {
    text += fmt::format(", {} estimated from {}", format::counted(estimate.known, "point"),
                        estimate.like.parent_path().string());
  }
  if (estimate.unknown > 0)
    text += fmt::format(", {} by rule of thumb", format::counted(estimate.unknown, "point"));
  if (!plan.ceilings.empty()) {
    text += fmt::format("; {} more if no ceiling is known yet", roughly(estimate.ceilings_s));
  }
  const bool are_several = options.devices.size() > 1 || options.devices.front() == kAllDevices;
  if (are_several && !options.together) text += "; on each GPU";
  terminal::print("{}\n", text);
}

/// Compiles the kernels, and prints what the compiler made of them.
void print_kernels(const Plan& plan) {
  if (has_python_kernels(plan)) terminal::print("\nfunctions that python3 calls\n");
  for (const FileKernel& kernel : plan.kernels) {
    if (!is_python(kernel)) continue;
    terminal::print("  {}: {} in {}\n", printable(kernel.id), printable(kernel.function),
                    printable(kernel.source));
  }
  const std::vector<CompiledKernel> compiled = compile_kernels(plan, {kDefaultArchitecture});
  if (!compiled.empty()) terminal::print("\nkernels, compiled for sm_{}\n", kDefaultArchitecture);
  for (const CompiledKernel& kernel : compiled) {
    std::string name =
        kernel.kernel == kernel.function ? kernel.kernel : kernel.kernel + ", " + kernel.function;
    const bool differ_in_options =
        std::any_of(compiled.begin(), compiled.end(), [&](const CompiledKernel& other) {
          return other.kernel == kernel.kernel && other.function == kernel.function &&
                 other.options != kernel.options;
        });
    if (differ_in_options) name += fmt::format(" {}", fmt::join(kernel.options, " "));
    terminal::print("  {}: {}; {}\n", printable(name), registers_text(kernel), kernel.compiler);
    for (const std::string& warning : kernel.warnings) terminal::print("    {}\n", printable(warning));
  }
  if (!has_cpp_references(plan)) return;
  compile_cpp_references(plan, kDefaultArchitecture);
  terminal::print("\nreferences in C++, compiled\n");
  for (const FileKernel& kernel : plan.kernels) {
    if (kernel.reference.cpp.empty()) continue;
    terminal::print("  {}: {} in {}\n", printable(kernel.id), printable(kernel.reference.function),
                    printable(kernel.reference.cpp));
  }
}

void print_plan(const Plan& plan, const RunOptions& options) {
  terminal::print("plan: {}\n", plan.name);
  terminal::print("ceilings: {}\n",
                  plan.ceilings.empty() ? "none" : fmt::format("{}", fmt::join(plan.ceilings, ", ")));
  if (!plan.primitives.empty()) terminal::print("primitives: {}\n", fmt::join(plan.primitives, ", "));
  for (const Experiment& experiment : plan.experiments) print_experiment(experiment);
  print_kernels(plan);
  if (!find_collector()) {
    terminal::print(
        "\nThis build has no rooflinectl-collector: if no block size is shown, the kernel uses its own.\n");
  }
  print_estimate(plan, options);
}

}  // namespace

void print_dry_run(const Plan& plan, const RunOptions& options) {
  options.json ? print_request(plan, options) : print_plan(plan, options);
}

}  // namespace rooflinectl
