// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <string>

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "core/elapsed.h"
#include "core/error.h"
#include "core/serial/protocol.h"
#include "reports/formats/formats.h"
#include "reports/text/format.h"
#include "runner/machine/catalogue.h"

namespace rooflinectl {

namespace {

using Clock = std::chrono::steady_clock;

struct SelftestOptions {
  std::string device = "0";
  bool json = false;
};

int selftest(const SelftestOptions& options) {
  const Clock::time_point start = Clock::now();
  const TestedDevice tested = load_self_test(options.device);
  if (options.json) {
    const serial::Json head = answer_head("selftest", {tested.device});
    terminal::print("{}\n", serial::to_text(answered(head, encode(tested))));
  } else {
    const DeviceInfo& device = tested.device;
    terminal::print("device: {} (GPU {}, {}, driver {})\n", device.name, device.index, device.uuid,
                    device.driver_version.empty() ? "unknown" : device.driver_version);
    terminal::print("{}", terminal_self_test(tested.self_test, columns_of(stdout)));
    terminal::print("tested in {}\n", format::duration(seconds_since(start)));
  }
  return tested.self_test.passed() ? 0 : static_cast<int>(ErrorKind::measurement);
}

}  // namespace

void add_selftest_command(const Commands& commands) {
  const auto [command, options] = add_command(
      commands, "selftest",
      "Count the work of kernels whose work is known, to check that the counters can be trusted", selftest);
  add_device_option(*command, options->device);
  add_json_flag(*command, options->json);
  command->footer(
      "Each line compares a number that is known from the kernel's source with what the\n"
      "hardware counted. Exit code 1 if one differs, with the results that this makes\n"
      "suspect; 3 if there are no counters. `rooflinectl run --selftest` does the same\n"
      "before it measures, and stores the result.");
}

}  // namespace rooflinectl
