// SPDX-License-Identifier: Apache-2.0
#include "analysis/environment_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

namespace rooflinectl {

namespace {

struct Aspect {
  std::string_view name;
  std::string (*text)(const Run&);
};

std::string cuda_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string megahertz(double hz) {
  return fmt::format("{:.0f} MHz", hz / 1e6);
}

const Aspect kAspects[] = {
    {"device", [](const Run& run) { return run.device().name; }},
    {"UUID", [](const Run& run) { return run.device().uuid; }},
    {"compute capability", [](const Run& run) { return std::to_string(run.device().compute_capability); }},
    {"SMs", [](const Run& run) { return std::to_string(run.device().sm_count); }},
    {"memory", [](const Run& run) { return fmt::format("{} bytes", run.device().memory_bytes); }},
    {"max SM clock", [](const Run& run) { return megahertz(run.device().sm_clock_hz); }},
    {"memory clock", [](const Run& run) { return megahertz(run.device().memory_clock_hz); }},
    {"ECC", [](const Run& run) { return std::string(run.device().ecc_enabled ? "on" : "off"); }},
    {"driver", [](const Run& run) { return run.device().driver_version; }},
    {"CUDA runtime", [](const Run& run) { return cuda_version(run.device().cuda_runtime_version); }},
    {"host", [](const Run& run) { return run.host; }},
    {"tool", [](const Run& run) { return fmt::format("{} ({})", run.tool_version, run.tool_commit); }},
    {"source", [](const Run& run) { return std::string(to_string(run.source)); }},
    {"plan", [](const Run& run) { return run.plan.name; }},
    {"counters",
     [](const Run& run) {
       return run.counter_session.available ? std::string("counted")
                                            : fmt::format("not counted: {}", run.counter_session.reason);
     }},
};

}  // namespace

std::vector<EnvironmentChange> environment_changes(std::span<const AnalysedRun> baseline,
                                                   const AnalysedRun& now) {
  std::vector<EnvironmentChange> changes;
  for (const Aspect& aspect : kAspects) {
    std::vector<std::string> before;
    for (const AnalysedRun& base : baseline) {
      std::string text = aspect.text(base.run);
      if (std::find(before.begin(), before.end(), text) == before.end()) before.push_back(std::move(text));
    }
    const std::string after = aspect.text(now.run);
    if (std::find(before.begin(), before.end(), after) != before.end()) continue;
    changes.push_back({std::string(aspect.name), fmt::format("{}", fmt::join(before, ", ")), after});
  }
  return changes;
}

}  // namespace rooflinectl
