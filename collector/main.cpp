// SPDX-License-Identifier: Apache-2.0
// rooflinectl-collector: the process that touches the GPU. It reads a request, measures, and writes one JSON
// object per line to standard output. `rooflinectl run` starts it; ncu and nsys can be wrapped around it.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "collector/collector.h"
#include "collector/cupti/profiler.h"
#include "collector/device/device.h"
#include "collector/steps/steps.h"
#include "core/error.h"
#include "core/files/files.h"
#include "core/serial/program/program_files.h"
#include "core/serial/protocol.h"

namespace {

using namespace rooflinectl;

template <typename Message>
void emit(const Message& message) {
  std::cout << encode(message) << std::endl;
}

std::string read_request(const std::string& file) {
  if (file != "-") return read_file(file);
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

int run(int argc, char** argv) {
  // Devices are numbered as in nvidia-smi.
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);
  CLI::App app{
      "Measures the points of a plan on a GPU, for rooflinectl.\n"
      "\n"
      "  rooflinectl run experiments.yaml --dry-run --json > plan.json\n"
      "  rooflinectl-collector --plan plan.json                 what `rooflinectl run` does\n"
      "  ncu --nvtx rooflinectl-collector --plan plan.json --mode once"};
  std::string plan_file = "-";
  std::string mode;
  bool print_catalogue = false;
  bool print_devices = false;
  std::optional<std::string> chip;
  app.add_option("--plan", plan_file,
                 "the request, as `rooflinectl run --dry-run --json` prints it; - for standard input");
  app.add_option("--mode", mode,
                 "overrides the request's mode: measure (verify, time, count), once (only launch each point "
                 "once), count (only counters)")
      ->check(CLI::IsMember({"measure", "once", "count"}));
  app.add_flag("--catalogue", print_catalogue,
               "print the variants and ceilings in this program and exit; needs no GPU");
  app.add_flag("--devices", print_devices, "print the GPUs that can be measured and exit");
  app.add_option("--metrics", chip, "print the counters of a chip, or of every chip, and exit; needs no GPU")
      ->type_name("CHIP")
      ->expected(0, 1);
  std::optional<std::string> checked_device;
  app.add_option("--checks", checked_device, "check whether this machine can measure on a device, and exit")
      ->type_name("INDEX|UUID");
  std::optional<std::string> tested_device;
  app.add_option("--selftest", tested_device,
                 "count kernels of known work on a device, print the result and exit")
      ->type_name("INDEX|UUID");
  std::vector<std::string> linked_devices;
  app.add_option("--links", linked_devices,
                 "measure the bandwidths between devices, print the result and exit")
      ->type_name("UUID")
      ->delimiter(',');
  std::vector<std::string> communicating_devices;
  app.add_option("--collectives", communicating_devices,
                 "time NCCL's collectives over devices, print the result and exit")
      ->type_name("UUID")
      ->delimiter(',');
  bool is_uncounted = false;
  app.add_flag("--uncounted", is_uncounted, "use no hardware counters for --links and --collectives");
  std::vector<std::string> watched_devices;
  app.add_option("--watch", watched_devices,
                 "sample devices until SIGTERM, and print what is sampled, a JSON object per line")
      ->type_name("UUID")
      ->delimiter(',');
  std::uint64_t interval_ns = 0;
  app.add_option("--interval", interval_ns, "between two samples of --watch, in nanoseconds")
      ->needs("--watch")
      ->type_name("NS");
  try {
    app.parse(argc, argv);
    if (print_catalogue) {
      std::cout << encode(linked_catalogue()) << std::endl;
      return 0;
    }
    if (print_devices) {
      std::cout << encode(all_devices()) << std::endl;
      return 0;
    }
    if (chip) {
      std::cout << encode(describe_chips(*chip)) << std::endl;
      return 0;
    }
    if (checked_device) {
      std::cout << encode(check_machine(*checked_device)) << std::endl;
      return 0;
    }
    if (tested_device) {
      std::cout << encode(self_test(*tested_device)) << std::endl;
      return 0;
    }
    if (!linked_devices.empty()) {
      std::cout << encode(measure_links(linked_devices, !is_uncounted)) << std::endl;
      return 0;
    }
    if (!communicating_devices.empty()) {
      std::cout << encode(measure_collectives(communicating_devices, !is_uncounted)) << std::endl;
      return 0;
    }
    if (!watched_devices.empty()) {
      if (interval_ns == 0) throw CLI::RequiredError("--interval");
      watch(watched_devices, interval_ns, emit<ProfileRecord>);
      return 0;
    }
    CollectRequest request = decode_request(read_request(plan_file));
    if (const auto asked = enumerator_from<CollectMode>(mode)) request.mode = *asked;
    if (request.mode == CollectMode::once || request.mode == CollectMode::sanitize) request.counters = false;
    collect(request, emit<Message>);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ErrorKind::usage);
  } catch (const Error& error) {
    emit<Message>(message::Failure{error.kind(), error.what(), error.hint()});
    std::cerr << "rooflinectl-collector: " << error.what() << "\n";
    return error.exit_code();
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "rooflinectl-collector: " << error.what() << "\n";
    return static_cast<int>(ErrorKind::measurement);
  }
}
