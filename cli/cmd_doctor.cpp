// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/catalogue.h"
#include "cli/commands.h"
#include "cli/machine_checks.h"
#include "cli/profiler_tools.h"
#include "core/error.h"
#include "core/protocol.h"

namespace rooflinectl {

namespace {

struct DoctorOptions {
  std::string device = "0";
  bool json = false;
};

/// What the collector finds; its absence, or its failure, is a finding too.
std::vector<Check> collector_checks(const std::string& device) {
  try {
    return load_checks(device);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) throw;
    return {{"collector", CheckStatus::fails, error.what(), error.hint(), true}};
  }
}

std::vector<Check> all_checks(const std::string& device) {
  std::vector<Check> checks = collector_checks(device);
  for (const auto& check : {container_check(), dcgm_check()}) {
    if (check) checks.push_back(*check);
  }
  checks.push_back(ncu_check());
  checks.push_back(nsys_check());
  return checks;
}

void print(const std::vector<Check>& checks) {
  for (const Check& check : checks) {
    fmt::print("{:8} {:15} {}\n", to_string(check.status), check.subject, check.detail);
    if (!check.fix.empty()) fmt::print("{:24} {}\n", "", check.fix);
  }
}

bool can_measure(const std::vector<Check>& checks) {
  return std::none_of(checks.begin(), checks.end(), [](const Check& check) {
    return check.status == CheckStatus::fails && check.stops_measuring;
  });
}

int doctor(const DoctorOptions& options) {
  const std::vector<Check> checks = all_checks(options.device);
  const bool measures = can_measure(checks);
  if (options.json) {
    fmt::print("{}\n", encode(checks));
  } else {
    print(checks);
    fmt::print("\n{}\n", measures ? "This machine can measure." : "This machine cannot measure.");
  }
  return measures ? 0 : static_cast<int>(ErrorKind::environment);
}

}  // namespace

void add_doctor_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App* const command =
      app.add_subcommand("doctor", "Say whether this machine can measure, and what is in the way");
  command
      ->add_option("-d,--device", options->device, "The GPU: its index or UUID as nvidia-smi -L prints them")
      ->type_name("INDEX|UUID")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON, for scripts");
  command->footer(
      "Every line is ok, a warning (numbers may be poor, or something is left out) or fails, with the way "
      "out\n"
      "below it. Exit code 3 if nothing can be measured.");
  command->callback([&action, options] { action = [options] { return doctor(*options); }; });
}

}  // namespace rooflinectl
