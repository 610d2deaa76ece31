// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/roofline/point.h"
#include "core/counters/metrics.h"
#include "core/text/kernel_name.h"
#include "crosscheck/crosscheck.h"

namespace rooflinectl {

namespace {

constexpr std::size_t kMostPoints = 30;
/// Launches that Nsight Compute profiles, a third of a second each.
constexpr std::uint64_t kMostLaunches = 120;

/// Traffic of less than this many times L2 depends on what a launch finds there.
constexpr double kTimesL2 = 8;
constexpr double kBytesTolerance = 0.05;
/// Waiting warps execute instructions meanwhile, and no two waits take the same time.
constexpr double kInstructionsTolerance = 0.05;
/// Of operations under conditions, if these turn off more than a few of the threads.
constexpr double kDataTolerance = 0.1;
constexpr double kFewConditions = 0.99;
constexpr double kLaunchTimeTolerance = 0.05;
/// If the times of launches differ by more, no single launch stands for all.
constexpr double kMostTimeSpread = 0.2;
constexpr double kShortestTimeS = 50e-6;
constexpr double kOverlapped = 0.05;

// Names of tensor metrics differ from chip to chip. These are known to be right on one.
constexpr int kChipOfTensorMetrics = 90;

/// A counter and the hardware metric that it is compared with.
struct ComparedCounter {
  std::string metric;
  double scale = 1;
};

const Metric* find_metric(const std::vector<Metric>& metrics, std::string_view key) {
  const auto found = std::ranges::find(metrics, key, &Metric::key);
  return found == metrics.end() ? nullptr : &*found;
}

/// The counters of operations that have to agree as their metrics say. The other counters of the basic set
/// are not compared for profiled programs, except instructions and bytes, which have tolerances of their own
/// here: the numbers are means over launches of a program that runs a second time. Integer operations are
/// among the instructions that warps execute while they wait.
std::vector<const Metric*> compared_operations() {
  std::vector<const Metric*> found;
  for (const auto* metrics : {&basic_metrics(), &tensor_metrics()}) {
    for (const Metric& metric : *metrics) {
      const bool counts_operations = metric.agreement && metric.agreement->unit == ComparedUnit::operations;
      if (counts_operations && metric.key != counter::kIntegerOps) found.push_back(&metric);
    }
  }
  return found;
}

/// Nothing if the chip's name for the metric is not known.
std::optional<ComparedCounter> compared_counter(const Run& run, const DeviceInfo& device,
                                                std::string_view key) {
  const auto recorded = run.counter_session.metrics.find(std::string(key));
  if (const Metric* const metric = find_metric(basic_metrics(), key)) {
    return ComparedCounter{
        recorded == run.counter_session.metrics.end() ? std::string(metric->names.front()) : recorded->second,
        metric->scale};
  }
  const Metric* const metric = find_metric(tensor_metrics(), key);
  if (metric == nullptr || device.compute_capability != kChipOfTensorMetrics) return std::nullopt;
  return ComparedCounter{std::string(metric->names.front()), metric->scale};
}

/// Whether there is a number to compare. Without tensor instructions, none of their types was counted.
bool is_comparable(const Measurement& measurement, std::string_view key) {
  const auto value = value_of(measurement.counters, key);
  return value && (*value > 0 || find_metric(tensor_metrics(), key) == nullptr);
}

// ---- which points ----

/// The points of the program, the one with the most time first.
std::vector<const RooflinePoint*> by_time(const Analysis& analysis) {
  std::vector<const RooflinePoint*> points;
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    for (const RooflinePoint& point : experiment.points) {
      if (is_observed(point)) points.push_back(&point);
    }
  }
  std::ranges::stable_sort(points, std::greater(),
                           [](const RooflinePoint* point) { return point->launches->total_s; });
  return points;
}

/// How often Nsight Compute would profile: each of the launches, for each of the kernels that has that many.
/// `kernels`: how many each has, by its symbol.
std::uint64_t cost_of(const std::map<std::string, std::uint64_t>& kernels,
                      const std::set<std::uint64_t>& launches) {
  std::uint64_t cost = 0;
  for (const auto& [kernel, count] : kernels) {
    for (const std::uint64_t launch : launches) cost += launch <= count ? 1 : 0;
  }
  return cost;
}

Agreement not_compared(std::string subject, const Measurement& measurement, const std::string& why) {
  return agreement(std::move(subject), "time", ComparedUnit::seconds, time_of(measurement), no_reference(why),
                   {});
}

/// For a symbol that is matched as a whole; long ones were cut when the run was made.
std::string expression_of(const std::string& symbol) {
  constexpr std::size_t kLongest = 1000;
  std::string expression;
  for (const char c : symbol.substr(0, kLongest)) {
    if (std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos) expression += '\\';
    expression += c;
  }
  return symbol.size() > kLongest ? expression + ".*" : expression;
}

// ---- which launches ----

/// Nsight Compute prints the names in the form that it is told, and spaces them in its own way.
bool is_kernel(const NcuKernel& kernel, const std::string& symbol) {
  const auto without_blanks = [](std::string name) {
    std::erase(name, ' ');
    return name;
  };
  return kernel.kernel == symbol || without_blanks(kernel.kernel) == without_blanks(demangle(symbol));
}

/// The launch of a point among those that were profiled; null if there is none.
const NcuKernel* find_launch(const ChosenPoint& point, const ChosenPoints& chosen,
                             const std::vector<NcuKernel>& kernels) {
  std::map<std::string, std::vector<const NcuKernel*>> of_processes;
  for (const NcuKernel& kernel : kernels) {
    if (is_kernel(kernel, point.measurement->launches->symbol))
      of_processes[kernel.process].push_back(&kernel);
  }
  const Axes& axes = point.measurement->point.axes;
  const auto has_shape = [&](const NcuKernel* kernel) {
    return kernel->grid == axes.written(axis::kGrid) && kernel->block == axes.written(axis::kBlock);
  };
  // In the order in which they were launched.
  const auto place =
      static_cast<std::size_t>(std::distance(chosen.launches.begin(), chosen.launches.find(point.launch)));
  for (const auto& [process, launches] : of_processes) {
    if (place < launches.size() && has_shape(launches[place])) return launches[place];
  }
  for (const auto& [process, launches] : of_processes) {
    const auto found = std::ranges::find_if(launches, has_shape);
    if (found != launches.end()) return *found;
  }
  return nullptr;
}

// ---- one point ----

class LaunchComparison {
 public:
  LaunchComparison(const Run& run, const ChosenPoint& point, const NcuKernel& kernel)
      : run_(run), point_(point), measurement_(*point.measurement), kernel_(kernel) {}

  std::vector<Agreement> agreements() {
    compare_time();
    for (const Metric* metric : compared_operations()) {
      const bool is_of_tensor_cores = metric->key.starts_with("tensor");
      const double exact = metric->agreement->tolerance;
      compare_operations(metric->key, is_of_tensor_cores || !has_conditions() ? exact : kDataTolerance);
    }
    compare_operations(counter::kIntegerOps, kInstructionsTolerance);
    compare_instructions();
    compare_bytes(counter::kDramBytes, {counter::kDramReadBytes, counter::kDramWriteBytes});
    compare_bytes(counter::kL2Bytes, {counter::kL2Bytes});
    return std::move(agreements_);
  }

 private:
  void add(std::string_view quantity, ComparedUnit unit, CounterValue ours, const Reference& reference,
           const Tolerance& tolerance) {
    agreements_.push_back(agreement(point_.label, quantity, unit, std::move(ours), reference, tolerance));
  }

  /// A number that is there, but is not comparable.
  static Reference listed(const Reference& reference, ComparedUnit unit, const std::string& why) {
    if (!reference.value.available()) return reference;
    const double value = *reference.value.value();
    const std::string text = unit == ComparedUnit::seconds ? fmt::format("{:.4g} µs", 1e6 * value)
                             : unit == ComparedUnit::bytes ? fmt::format("{:.4g} MB", 1e-6 * value)
                                                           : fmt::format("{:.15g}", value);
    return no_reference(fmt::format("{}; {}", text, why));
  }

  void compare_time() {
    const Reference theirs = metric_of(kernel_, std::string(kDurationMetric), 1);
    const CounterValue ours = time_of(measurement_);
    const double time_s = ours.value().value_or(0);
    const LaunchStatistics& launches = *measurement_.launches;
    const double tail = std::max(launches.p95_s / time_s - 1, 0.0);
    std::string why_not;
    if (time_s < kShortestTimeS) {
      why_not = "launches of less than 50 µs are not compared";
    } else if (launches.overlapped_s > kOverlapped * launches.total_s) {
      why_not = "in the program, other kernels ran alongside it";
    } else if (tail > kMostTimeSpread) {
      why_not = one_of_launches_that_differ(tail);
    }
    if (!why_not.empty()) {
      return add("time", ComparedUnit::seconds, ours, listed(theirs, ComparedUnit::seconds, why_not), {});
    }
    add("time", ComparedUnit::seconds, ours, theirs,
        {kLaunchTimeTolerance + tail, true, 0,
         tail > kLaunchTimeTolerance ? fmt::format("5 % + {:.1f} % by which launches differ", 100 * tail)
                                     : ""});
  }

  /// Whether conditions turn threads off: which ones may depend on the data, and ncu sees another launch.
  bool has_conditions() const {
    const auto active = value_of(measurement_.counters, counter::kWarpExecutionEfficiency);
    const auto executing = value_of(measurement_.counters, counter::kWarpNonpredExecutionEfficiency);
    return active && executing && *executing < kFewConditions * *active;
  }

  double spread_of(std::string_view key) const {
    const auto found = measurement_.counter_spread.find(std::string(key));
    return found == measurement_.counter_spread.end() ? 0 : found->second;
  }

  /// Where launches do different work, no single launch stands for all.
  static std::string one_of_launches_that_differ(double spread) {
    return fmt::format("its launches differ by {:.3g} %, and ncu counted only one of them", 100 * spread);
  }

  void add_counter(std::string_view quantity, ComparedUnit unit, CounterValue ours,
                   const Reference& reference, double tolerance, double spread) {
    if (spread > tolerance) {
      return add(quantity, unit, std::move(ours),
                 listed(reference, unit, one_of_launches_that_differ(spread)), {});
    }
    add(quantity, unit, std::move(ours), reference, {tolerance, true, 0, ""});
  }

  Reference theirs(std::string_view key) const {
    const auto counter = compared_counter(run_, run_.device_of(measurement_), key);
    return counter ? metric_of(kernel_, counter->metric, counter->scale)
                   : no_reference("the name of this metric on this chip is unknown");
  }

  void compare_operations(std::string_view key, double tolerance) {
    // For what was not counted, one line per pass is enough.
    if (!is_comparable(measurement_, key) && key != counter::kFfma) return;
    add_counter(key, ComparedUnit::operations, ours_of(measurement_.counters, key), theirs(key), tolerance,
                spread_of(key));
  }

  void compare_instructions() {
    const std::string_view key = counter::kWarpInstructions;
    Reference reference = theirs(key);
    const Counters& ours = measurement_.counters;
    if (value_of(ours, key) && !value_of(ours, counter::kWarpInstructionsSass)) {
      reference =
          listed(reference, ComparedUnit::count, "ours include those that the trace adds to each warp");
    }
    add_counter(key, ComparedUnit::count, ours_of(ours, key), reference, kInstructionsTolerance,
                spread_of(key));
  }

  void compare_bytes(std::string_view quantity, std::initializer_list<std::string_view> keys) {
    Reference all{CounterValue::measured(0), 0};
    CounterValue ours = CounterValue::measured(0);
    double spread = 0;
    for (const std::string_view key : keys) {
      all = sum(all, theirs(key));
      ours = sum({ours, 0}, {ours_of(measurement_.counters, key), 0}).value;
      spread = std::max(spread, spread_of(key));
    }
    const auto l2_bytes = static_cast<double>(run_.device_of(measurement_).l2_bytes);
    if (ours.value().value_or(0) < kTimesL2 * l2_bytes) {
      all = listed(all, ComparedUnit::bytes, "traffic below eight times L2 depends on what L2 holds");
    }
    add_counter(quantity, ComparedUnit::bytes, ours, all, kBytesTolerance, spread);
  }

  const Run& run_;
  const ChosenPoint& point_;
  const Measurement& measurement_;
  const NcuKernel& kernel_;
  std::vector<Agreement> agreements_;
};

}  // namespace

std::string ChosenPoints::kernel_id() const {
  std::set<std::string> kernels;
  for (const ChosenPoint& point : points) kernels.insert(expression_of(point.measurement->launches->symbol));
  return fmt::format("::regex:^({})$:^({})$", fmt::join(kernels, "|"), fmt::join(launches, "|"));
}

ChosenPoints choose_points(const Run& run) {
  const Analysis analysis = analyse(run);
  std::map<std::string, std::uint64_t> counts;  // of launches, by symbol
  for (const Measurement& measurement : run.measurements) {
    if (is_observed(measurement)) counts[measurement.launches->symbol] += measurement.launches->count;
  }
  ChosenPoints chosen;
  std::map<std::string, std::uint64_t> kernels;  // those of `counts` that are profiled
  std::set<std::pair<std::string, Axes>> seen;
  double left_out_s = 0;
  std::size_t left_out = 0;
  for (const RooflinePoint* candidate : by_time(analysis)) {
    const Measurement* const measurement = candidate->measurement;
    const std::string& label = candidate->label;
    const LaunchStatistics& launches = *measurement->launches;
    if (chosen.points.size() + chosen.left_out.size() >= kMostPoints) {
      ++left_out;
      left_out_s += launches.total_s;
      continue;
    }
    if (!seen.emplace(measurement->point.subject, measurement->point.axes).second)
      continue;  // another device
    const ChosenPoint point{measurement, label, launches.first.value_or(1)};
    std::map<std::string, std::uint64_t> kernels_with = kernels;
    kernels_with[launches.symbol] = counts.at(launches.symbol);
    std::set<std::uint64_t> launches_with = chosen.launches;
    launches_with.insert(point.launch);
    if (launches.symbol.empty()) {
      chosen.left_out.push_back(
          not_compared(label, *measurement, "ncu profiles the kernels of a CUDA graph one by one"));
    } else if (cost_of(kernels_with, launches_with) > kMostLaunches) {
      chosen.left_out.push_back(not_compared(
          label, *measurement,
          fmt::format("it is launch {} of its kernel: too many would be profiled", point.launch)));
    } else {
      kernels = std::move(kernels_with);
      chosen.launches = std::move(launches_with);
      chosen.points.push_back(point);
    }
  }
  if (left_out > 0) {
    chosen.left_out.push_back(agreement(
        fmt::format("{} others", left_out), "time", ComparedUnit::seconds, CounterValue::measured(left_out_s),
        no_reference(fmt::format("only the {} points with the most time are compared", kMostPoints)), {}));
  }
  return chosen;
}

std::vector<std::string> ncu_metrics(const Run& run, const ChosenPoints& chosen) {
  std::vector<std::string> metrics = {std::string(kDurationMetric)};
  const auto add = [&](std::string_view key) {
    for (const ChosenPoint& point : chosen.points) {
      const Measurement& measurement = *point.measurement;
      const auto counter = compared_counter(run, run.device_of(measurement), key);
      if (!counter || !is_comparable(measurement, key)) continue;
      if (std::ranges::find(metrics, counter->metric) == metrics.end()) {
        metrics.push_back(counter->metric);
      }
    }
  };
  for (const std::string_view key : {counter::kDramReadBytes, counter::kDramWriteBytes, counter::kL2Bytes,
                                     counter::kWarpInstructions, counter::kIntegerOps}) {
    add(key);
  }
  for (const Metric* metric : compared_operations()) add(metric->key);
  return metrics;
}

std::vector<Agreement> compare_with_ncu(const Run& run, const ChosenPoints& chosen,
                                        const std::vector<NcuKernel>& kernels) {
  std::vector<Agreement> agreements;
  for (const ChosenPoint& point : chosen.points) {
    if (const NcuKernel* kernel = find_launch(point, chosen, kernels)) {
      for (Agreement& compared : LaunchComparison(run, point, *kernel).agreements()) {
        agreements.push_back(std::move(compared));
      }
    } else {
      agreements.push_back(not_compared(point.label, *point.measurement,
                                        "ncu profiled no launch with this kernel, grid and block"));
    }
  }
  agreements.insert(agreements.end(), chosen.left_out.begin(), chosen.left_out.end());
  return agreements;
}

}  // namespace rooflinectl
