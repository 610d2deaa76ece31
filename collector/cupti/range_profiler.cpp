// SPDX-License-Identifier: Apache-2.0
// The counter session on CUPTI's Range Profiler: user ranges, user replay.
//
// The life of a session, in CUPTI's order:
//   1. initialise, and ask whether the device can be profiled; after a failure nothing else may be called
//   2. chip name and counter availability, before the profiler is enabled
//   3. host configuration: which metrics, in how many passes
//   4. per call of count(): enable; counter data image for all ranges; set the configuration;
//      until all passes are submitted: start, every range once in the same order, stop; decode; evaluate;
//      disable

#include <fmt/format.h>

#include <algorithm>

#include "collector/cupti/host_configuration.h"
#include "collector/cupti/profiler.h"
#include "collector/cupti/range_calls.h"
#include "core/error.h"

namespace rooflinectl::cupti {

namespace {

/// CUPTI stores no long names (`EnabledProfiler::push`). The point's full name is the NVTX range's.
std::string cupti_name(std::size_t index) {
  return std::to_string(index);
}

class RangeProfiler : public Profiler {
 public:
  RangeProfiler(int device_index, const std::vector<Metric>& metrics)
      : chip_(chip_name(device_index)),
        version_(cupti_version()),
        configuration_(chip_, metrics, counter_availability()) {}

  const std::string& chip() const override { return chip_; }
  int version() const override { return version_; }
  int passes() const override { return configuration_.passes(); }
  const std::map<std::string, std::string>& metrics() const override { return configuration_.metrics(); }

  std::vector<Counters> count(const std::vector<CountedRange>& ranges) override {
    if (ranges.empty()) return {};
    EnabledProfiler profiler;
    std::vector<std::uint8_t> counter_data =
        profiler.make_counter_data(configuration_.metric_names(), ranges.size());
    profiler.set_config(configuration_.config_image(), counter_data, ranges.size());

    bool all_submitted = false;
    for (int pass = 0; pass < passes() && !all_submitted; ++pass) {
      profiler.start();
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        ranges[i].prepare();
        profiler.push(cupti_name(i));
        ranges[i].launch();
        profiler.pop();
      }
      all_submitted = profiler.stop();
    }
    if (!all_submitted) {
      throw Error(ErrorKind::environment,
                  fmt::format("CUPTI needs more than the announced {} passes", passes()),
                  "run with --no-counters to measure only times");
    }
    profiler.decode();

    const std::vector<std::string> names = profiler.range_names(counter_data);
    std::vector<Counters> counters;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const auto found = std::ranges::find(names, cupti_name(i));
      if (found == names.end()) {
        throw Error(ErrorKind::environment, "CUPTI returned no counters for one of its ranges",
                    "run with --no-counters to measure only times");
      }
      counters.push_back(
          configuration_.evaluate(counter_data, static_cast<std::size_t>(found - names.begin())));
    }
    return counters;
  }

 private:
  std::string chip_;
  int version_;
  HostConfiguration configuration_;
};

}  // namespace

}  // namespace rooflinectl::cupti

/// Exported by the module. The caller owns the session; throws Error(environment).
extern "C" [[gnu::visibility("default")]] rooflinectl::Profiler* rooflinectl_open_profiler(
    int device_index, const std::vector<rooflinectl::Metric>& metrics) {
  namespace cupti = rooflinectl::cupti;
  cupti::initialize_profiler();
  cupti::require_supported(device_index);
  return new cupti::RangeProfiler(device_index, metrics);
}
