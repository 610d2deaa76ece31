// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "core/error.h"
#include "core/serial/protocol.h"
#include "runner/crosscheck/crosscheck.h"
#include "runner/machine/machine.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

struct DoctorOptions {
  std::string device = "0";
  bool json = false;
};

/// The absence of a collector, or its failure, is a finding too.
std::vector<Check> checks_or_failure(const std::string& device) {
  try {
    return machine_checks(device);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) throw;
    return {{"collector", CheckStatus::fails, error.what(), error.hint(), true}};
  }
}

void print(const std::vector<Check>& checks) {
  for (const Check& check : checks) {
    terminal::print("{:8} {:15} {}\n", to_string(check.status), check.subject, check.detail);
    if (!check.fix.empty()) terminal::print("{:24} {}\n", "", check.fix);
  }
}

std::string first_measurements() {
  const std::filesystem::path plan = shipped_folder() / "experiments.yaml";
  std::error_code ignored;
  const bool shipped = std::filesystem::exists(plan, ignored);
  return fmt::format(
      "This machine can measure. Next:\n"
      "  rooflinectl profile -- PROGRAM    all kernels of your own program\n"
      "  rooflinectl run {}    the built-in kernels\n",
      shipped ? plan.string() : "experiments.yaml");
}

int doctor(const DoctorOptions& options) {
  std::vector<Check> checks = checks_or_failure(options.device);
  checks.push_back(ncu_check());
  checks.push_back(nsys_check());
  const bool measures = stopping_check(checks) == nullptr;
  if (options.json) {
    terminal::print("{}\n", serial::to_text(answered(answer_head("doctor", {}), encode(checks))));
  } else {
    print(checks);
    terminal::print(
        "\n{}",
        measures ? first_measurements()
                 : "This machine cannot measure. Without a GPU, report, explain, compare and gate read runs "
                   "from\nother machines, and run replays a recording.\n");
  }
  return measures ? 0 : static_cast<int>(ErrorKind::environment);
}

}  // namespace

void add_doctor_command(const Commands& commands) {
  const auto [command, options] = add_command(
      commands, "doctor", "Check whether this machine can measure, and how to fix it if not", doctor);
  add_device_option(*command, options->device);
  add_json_flag(*command, options->json);
  command->footer(
      "Each line is ok, a warning (results may be inaccurate or incomplete) or fails,\n"
      "followed by how to fix it. Exit code 3 if this machine cannot measure.\n"
      "\n"
      "Environment:\n"
      "  ROOFLINECTL_PROCESSES  where to look for programs that use the counters,\n"
      "                         instead of /proc");
}

}  // namespace rooflinectl
