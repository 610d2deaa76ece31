// SPDX-License-Identifier: Apache-2.0
#include "runner/machine/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/serial/run_file.h"
#include "core/text/names.h"
#include "runner/processes/processes.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

using Limit = CollectorProcess::Clock::duration;

constexpr Limit kCollectorAnswerLimit = 30s;
/// Added for each pair of devices in each direction.
constexpr Limit kLinkLimit = 5s;
/// Added for each device: NCCL connects it, then all five collectives are timed.
constexpr Limit kCollectivesLimit = 15s;

/// How long an answer may take that needs measuring: `usual`, or what the user allows instead.
Limit measuring_limit(Limit usual) {
  const auto chosen = silence_limit_from_environment();
  return chosen ? std::chrono::duration_cast<Limit>(*chosen) : usual;
}

/// What to measure between devices.
std::vector<std::string> question_of(const char* what, const std::vector<std::string>& uuids, bool counters) {
  std::vector<std::string> question = {what, fmt::format("{}", fmt::join(uuids, ","))};
  if (!counters) question.emplace_back("--uncounted");
  return question;
}

/// The ids that the source tree had, as far as possible with their descriptions in the shipped recordings.
Catalogue catalogue_of_ids() {
  std::vector<Catalogue> recorded;
  for (const fs::path& path : shipped_recordings()) {
    recorded.push_back(read_run(path).catalogue);
  }
  Catalogue catalogue;
  for (const std::string_view id : kVariantIds) {
    VariantInfo& variant = catalogue.variants.emplace_back();
    variant.id = id;
    for (const Catalogue& other : recorded) {
      if (const VariantInfo* described = other.find_variant(id)) variant = *described;
    }
  }
  // One file makes many primitives: only recordings list them.
  for (const Catalogue& other : recorded) {
    if (other.primitives.size() > catalogue.primitives.size()) catalogue.primitives = other.primitives;
  }
  for (const std::string_view id : kCeilingIds) catalogue.ceilings.emplace_back(id);
  return catalogue;
}

/// What the collector prints when it is started with `question`, such as `--catalogue`. Throws the error that
/// it reports, or Error(environment) if it gives no answer within `limit`, or before `stop_fd` is readable.
std::string ask_collector(const fs::path& collector, const std::vector<std::string>& question, Limit limit,
                          int stop_fd) {
  const auto fail = [&](const std::string& cause, const std::string& hint) {
    throw Error(ErrorKind::environment,
                fmt::format("{} {} {}", collector.string(), fmt::join(question, " "), cause), hint);
  };
  const FinishedProgram finished = run_program(collector, question, limit, stop_fd);
  if (!finished.wait_status) fail("did not answer", {});
  if (*finished.wait_status != 0) {
    throw_reported_failure(finished.output);
    fail(describe_exit(*finished.wait_status), finished.last_log_line);
  }
  return finished.output;
}

/// The answer to `question`, read by `decode`.
template <typename Decode>
auto ask_collector(const std::vector<std::string>& question, Decode decode,
                   Limit limit = kCollectorAnswerLimit, int stop_fd = -1) {
  const fs::path collector = require_collector();
  const std::string answer = ask_collector(collector, question, limit, stop_fd);
  try {
    return decode(answer);
  } catch (const Error& error) {
    throw Error(
        ErrorKind::environment,
        fmt::format("{} answered in the format of another version: {}", collector.string(), error.what()),
        "rooflinectl and rooflinectl-collector must come from the same installation");
  }
}

}  // namespace

std::optional<fs::path> find_collector() {
  if (const char* const path = std::getenv("ROOFLINECTL_COLLECTOR")) return path;
  std::error_code error;
  const fs::path collector =
      fs::read_symlink("/proc/self/exe", error).parent_path() / "rooflinectl-collector";
  if (error || !fs::exists(collector, error)) return std::nullopt;
  return collector;
}

fs::path require_collector() {
  if (const auto collector = find_collector()) return *collector;
  throw CannotMeasure(
      ErrorKind::environment,
      "rooflinectl-collector is not installed: this build can only report on runs; it cannot measure",
      "install a build with CUDA (cmake --preset release) on the machine with the GPU");
}

Catalogue load_catalogue() {
  return find_collector() ? ask_collector({"--catalogue"}, decode_catalogue) : catalogue_of_ids();
}

std::vector<DeviceInfo> load_devices() {
  return ask_collector({"--devices"}, decode_devices);
}

std::vector<Check> load_checks(const std::string& device) {
  return ask_collector({"--checks", device}, decode_checks);
}

TestedDevice load_self_test(const std::string& device) {
  return ask_collector({"--selftest", device}, decode_tested_device);
}

std::vector<LinkBandwidth> load_links(const std::vector<std::string>& uuids, bool counters, int stop_fd) {
  const auto pairs = static_cast<Limit::rep>(uuids.size() * (uuids.size() - 1));
  const auto decode = [&](const std::string& answer) {
    std::vector<LinkBandwidth> links = decode_links(answer);
    for (const LinkBandwidth& link : links) {
      const auto mistake = mistake_in(link, uuids.size());
      if (mistake) throw Error(ErrorKind::usage, fmt::format("{}: {}", mistake->member, mistake->problem));
    }
    return links;
  };
  return ask_collector(question_of("--links", uuids, counters), decode,
                       measuring_limit(kCollectorAnswerLimit + pairs * kLinkLimit), stop_fd);
}

Collectives load_collectives(const std::vector<std::string>& uuids, bool counters, int stop_fd) {
  const auto devices = static_cast<Limit::rep>(uuids.size());
  const auto decode = [](const std::string& answer) {
    Collectives collectives = decode_collectives(answer);
    if (const auto mistake = mistake_in(collectives))
      throw Error(ErrorKind::usage, fmt::format("{}: {}", mistake->member, mistake->problem));
    return collectives;
  };
  return ask_collector(question_of("--collectives", uuids, counters), decode,
                       measuring_limit(kCollectorAnswerLimit + devices * kCollectivesLimit), stop_fd);
}

std::vector<ChipCounters> load_chips(const std::string& chip) {
  std::vector<std::string> question{"--metrics"};
  if (!chip.empty()) question.push_back(chip);
  return ask_collector(question, decode_chips);
}

std::vector<DeviceInfo> chosen_devices(const std::vector<std::string>& selectors) {
  const std::vector<DeviceInfo> present = load_devices();
  if (selectors.empty() || contains(selectors, kAllDevices)) return present;
  std::vector<DeviceInfo> chosen;
  for (const std::string& selector : selectors) {
    // As `nvidia-smi -L` prints it, with or without its `GPU-`.
    const auto found = std::ranges::find_if(present, [&](const DeviceInfo& device) {
      return selector == std::to_string(device.index) || selector == device.uuid ||
             "GPU-" + selector == device.uuid;
    });
    if (found == present.end()) {
      std::string known;
      for (const DeviceInfo& device : present) {
        known += fmt::format("\n  {}  {}  {}", device.index, device.uuid, device.name);
      }
      throw Error(ErrorKind::usage, fmt::format("there is no device '{}'", selector),
                  "devices here:" + known);
    }
    const bool is_new =
        std::ranges::none_of(chosen, [&](const DeviceInfo& device) { return device.uuid == found->uuid; });
    if (is_new) chosen.push_back(*found);
  }
  return chosen;
}

DeviceChoice device_choice(const std::vector<std::string>& selectors) {
  if (selectors.size() == 1 && selectors.front() != kAllDevices) {
    return {.several = {}, .one = selectors.front()};
  }
  try {
    std::vector<DeviceInfo> devices = chosen_devices(selectors);
    if (devices.size() == 1) return {.several = {}, .one = devices.front().uuid};
    return {.several = std::move(devices), .one = {}};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) throw;
    throw CannotMeasure(error.kind(), error.what(), error.hint());
  }
}

}  // namespace rooflinectl
