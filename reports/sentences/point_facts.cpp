// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/roofline/point.h"
#include "analysis/roofline/quantities/quantities.h"
#include "core/text/kernel_name.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

// `unavailable: …`
std::string missing_text(std::string_view reason) {
  return reason.empty() ? format::kUnavailable
                        : fmt::format("unavailable: {}", plain_cause(std::string(reason)));
}

// What the time is the median of.
std::string samples_text(const Measurement& measurement) {
  const TimeResult& time = *measurement.time;
  const LaunchTime median = median_launch(measurement);
  const std::string launches =
      time.launches_per_sample > 1 ? fmt::format(" of {} launches", time.launches_per_sample) : "";
  const std::string samples = is_observed(measurement)
                                  ? fmt::format("{} launches", measurement.launches->traced)
                                  : fmt::format("{} samples{}", time.samples_s.size(), launches);
  return fmt::format("{} … {}, {}", format::duration(median.low_s), format::duration(median.high_s), samples);
}

// `2400, of which 2000 were traced and 32 counted; they repeat after 24, of which each was counted`; of a
// collective also `…; 4 waited for a rank that was held`
std::string launches_text(const LaunchStatistics& launches) {
  const std::string held =
      launches.held == 0
          ? ""
          : fmt::format("; {} waited for a rank that was held to be counted: they are in no time",
                        launches.held);
  const std::string period =
      launches.period ? fmt::format("; they repeat after {}, of which each was counted", *launches.period)
                      : "";
  return fmt::format("{}, of which {} were traced and {} counted{}{}", launches.count, launches.traced,
                     launches.counted, period, held);
}

// The kernels inside of a CUDA graph, the longest first.
std::string graph_text(const LaunchStatistics& launches) {
  constexpr std::size_t kMost = 5;
  const std::vector<std::string> names =
      distinct_short_names(format::each(launches.graph_kernels, &GraphKernelUse::kernel));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) {
    texts.push_back(fmt::format("{} {}", names[i], format::duration(launches.graph_kernels[i].total_s)));
  }
  if (names.size() > kMost) texts.push_back(fmt::format("and {} more kernels", names.size() - kMost));
  return fmt::format("{} nodes: {}", *launches.graph_nodes, format::joined(texts));
}

// `, 88.1 % at its clock, 91.3 % of the sustained rate`; empty but for Tensor Cores
std::string tensor_text(const ResourceUse& use, double time_s) {
  std::string text;
  if (use.time_at_clock_s)
    text += fmt::format(", {} at its clock", format::percent(*use.time_at_clock_s / time_s));
  if (use.sustained_time_s) {
    text += fmt::format(", {} of the sustained rate", format::percent(*use.sustained_time_s / time_s));
  }
  return text;
}

// What each resource needs of the time, the busiest first.
void add_resources(const RooflinePoint& point, std::vector<Fact>& facts) {
  for (const ResourceUse& use : point.resources) {
    const bool is_level = use.resource == Bound::dram || use.resource == Bound::l2 ||
                          use.resource == Bound::l1 || use.resource == Bound::shared;
    const std::string name = fmt::format("{} utilisation", words_for(use.resource).label);
    if (!use.missing.empty()) {
      facts.push_back({name, missing_text(use.missing)});
    } else if (!is_level && use.time_s.value_or(0) > 0 && is_timed(*point.measurement)) {
      const double share = *use.time_s / time_per_launch_s(*point.measurement);
      facts.push_back({name, fmt::format("{} of {}{}", format::percent(share), ceilings_text(use.ceilings),
                                         tensor_text(use, time_per_launch_s(*point.measurement)))});
    }
  }
}

std::string launch_text(const Measurement& measurement) {
  const auto elements = measurement.point.axes.number(axis::kElements);
  if (measurement.launch.grid == 0) return "chosen by the library";
  return fmt::format("{} blocks of {} threads{}", measurement.launch.grid, measurement.launch.block,
                     elements ? fmt::format(", {} elements per thread", *elements) : "");
}

std::string roof_text(const RooflinePoint& point) {
  const Roof& roof = *point.roof;
  if (has_executed_work_alone(point) || roof.resource == Bound::nvlink) {
    return fmt::format("{} a launch by {} ({})", format::duration(roof.time_s),
                       words_for(roof.resource).label, ceilings_text(roof.ceilings));
  }
  const std::string ceilings =
      roof.compute_ceilings.empty()
          ? roof.memory_ceiling
          : fmt::format("{}, {}", roof.memory_ceiling, ceilings_text(roof.compute_ceilings));
  return roof.flop_per_s > 0 ? fmt::format("{} ({})", rate_text(point, roof.flop_per_s), ceilings)
                             : fmt::format("{} ({})", format::bandwidth(roof.memory_bytes_per_s), ceilings);
}

/// Causes of one kind as one: `L2 bytes, L1 bytes not counted: not in the report`.
std::string joined_causes(const std::vector<std::string>& unjudged) {
  constexpr std::string_view kNotCounted = " not counted";
  std::vector<std::pair<std::string, std::vector<std::string>>> causes;  // with what was not counted
  for (const std::string& one : unjudged) {
    std::string cause = plain_cause(one);
    std::vector<std::string> what;
    if (const std::size_t at = cause.find(kNotCounted); at != std::string::npos) {
      // `atomics: l2_atomic_operations was`
      what = {cause.substr(0, std::min(at, cause.find(':')))};
      cause.erase(0, at);
    }
    const auto same = std::ranges::find_if(causes, [&](const auto& known) {
      return !what.empty() && !known.second.empty() && known.first == cause;
    });
    if (same == causes.end()) {
      causes.emplace_back(std::move(cause), std::move(what));
    } else {
      same->second.push_back(std::move(what.front()));
    }
  }
  return format::joined(causes, "; ", [](const auto& cause) {
    return fmt::format("{}{}", format::joined(cause.second), cause.first);
  });
}

// `issue slots (79.2 % of the time)`, or `unknown: …`
std::string bound_fact(const RooflinePoint& point) {
  const std::string_view label = bound_name(point);
  if (point.bound == Bound::unknown) {
    const std::string causes = joined_causes(point.verdict.unjudged);
    return causes.empty() ? std::string(label) : fmt::format("{}: {}", label, causes);
  }
  for (const ResourceShare& share : point.verdict.shares) {
    if (share.resource == point.bound) {
      return fmt::format("{} ({} of the time)", label, format::percent(share.share));
    }
  }
  if (const ResourceUse* use = find_use(point, point.bound); use != nullptr && use->least_time_s > 0) {
    const double share = use->least_time_s / time_per_launch_s(*point.measurement);
    return fmt::format("{} (≥ {} of the time)", label, format::percent(share));
  }
  const std::vector<StallShare>& stalls = point.verdict.stalls;
  if (is_latency(point.bound) && !stalls.empty()) {
    return fmt::format("{}: {} of warp cycles wait for {}", label, format::percent(stalls.front().share),
                       stalls.front().reason->label);
  }
  return std::string(label);
}

}  // namespace

std::vector<Fact> point_facts(const RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  const PointId& id = measurement.point;
  const bool is_of_program = is_observed(point);
  std::vector<Fact> facts = {
      {is_of_program || point.compiled != nullptr ? "kernel" : "variant", id.subject},
      {"status", measurement.cause.empty()
                     ? std::string(to_string(measurement.status))
                     : fmt::format("{}: {}", to_string(measurement.status), measurement.cause)},
  };
  if (!is_of_program) facts.push_back({"launch", launch_text(measurement)});
  if (measurement.time) facts.push_back({"95 % interval of the median", samples_text(measurement)});
  if (is_of_program) {
    facts.push_back({"launches", launches_text(*measurement.launches)});
    if (measurement.launches->graph_nodes) facts.push_back({"inside", graph_text(*measurement.launches)});
    if (measurement.rank) facts.push_back({"rank", fmt::format("{}", *measurement.rank)});
    if (measurement.process) facts.push_back({"process", fmt::format("{}", *measurement.process)});
  } else if (!has_executed_work_alone(point)) {
    facts.push_back({"useful performance", rate_text(point, point.flop_per_s)});
  }
  facts.push_back({"executed performance", point.executed_flop_per_s || point.executed_missing.empty()
                                               ? executed_rate_text(point)
                                               : missing_text(point.executed_missing)});
  if (is_of_program && measurement.launches->operations_per_tensor_instruction > 0) {
    facts.push_back({"Tensor Core operations",
                     fmt::format("{:.0f} for each tensor instruction of a warp, as its machine code has it",
                                 measurement.launches->operations_per_tensor_instruction)});
  }
  if (is_of_program && measurement.launches->operations_path) {
    const std::string& path = *measurement.launches->operations_path;
    facts.push_back(
        {"operations", fmt::format("those of its launches {}, in which the hardware counted the "
                                   "same work",
                                   path.empty() ? "outside of ranges" : fmt::format("in {}", path))});
  }
  if (is_of_program && measurement.launches->has_sparse_products.value_or(false)) {
    facts.push_back(
        {"sparse products",
         "operations include those on zeros, and are held against twice the ceiling of dense products"});
  }
  if (const ResourceUse* use = find_use(point, Bound::tensor); use != nullptr && !use->stands_in.empty()) {
    facts.push_back({"Tensor Core ceiling", fmt::format("{}, of which none was measured", use->stands_in)});
  }
  if (const ResourceUse* use = find_use(point, Bound::dram); use != nullptr && !use->stands_in.empty()) {
    facts.push_back({"DRAM ceiling", use->stands_in + ": reads and writes were not counted apart"});
  }
  const auto add = [&](const PointNumber& number) {
    facts.push_back({std::string(number.name.empty() ? number.title : number.name), number.text_of(point)});
  };
  if (!is_of_program) add(point_number::kRedundancy);
  add(point_number::kDramBandwidth);
  facts.push_back({"roof", point.roof ? roof_text(point) : missing_text(point.roof_missing)});
  if (const std::string text = intervals_text(point); !text.empty()) {
    facts.push_back({"95 % intervals", text});
  }
  if (point.roof && point.roof->is_partly_counted)
    facts.push_back({"partly counted", plain_cause(point.roof_missing)});
  facts.push_back({"bound by", bound_fact(point)});
  if (const std::string text = stalls_text(point); !text.empty()) facts.push_back({"warps wait for", text});
  for (const LevelUse& use : point.levels) {
    const std::string of = use.ceiling.empty() ? "" : fmt::format(" of {}", use.ceiling);
    facts.push_back({fmt::format("{} utilisation", level_name(use.level)),
                     format::optional(use.utilisation, format::percent) + of});
  }
  add_resources(point, facts);
  if (point.compiled != nullptr) facts.push_back({"compiled", compiled_text(*point.compiled)});
  for (const auto& [quantity, value] : point.quantities) {
    facts.push_back({std::string(quantity->name), text_without_unit(value, quantity->unit)});
  }
  if (measurement.energy && !measurement.energy->joules.available()) {
    facts.push_back({"energy", fmt::format("unavailable: {}", measurement.energy->joules.reason())});
  }
  if (measurement.verification) {
    facts.push_back({"verification", measurement.verification->passed ? "passed" : "failed"});
  } else if (point.compiled != nullptr && measurement.status == Status::ok) {
    facts.push_back({"verification", "none: the kernel has no reference"});
  }
  for (const std::string& evidence : point.evidence) facts.push_back({"evidence", evidence});
  for (const Implausible& finding : point.implausible) facts.push_back({"implausible", finding.text()});
  return facts;
}

}  // namespace rooflinectl
