// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "analysis/program/recoverable.h"
#include "core/files/files.h"
#include "core/text/names.h"
#include "core/text/written_number.h"
#include "reports/charts/model/chart_model.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

namespace rooflinectl {

namespace {

// `cold, warm`: each value once, in order; empty where no point has one.
template <typename Value, typename Show>
std::string distinct(const std::vector<RooflinePoint>& points, std::optional<Value> (*get)(const PointId&),
                     Show show) {
  std::set<Value> values;
  for (const RooflinePoint& point : points) {
    if (const auto value = get(point.measurement->point)) values.insert(*value);
  }
  return format::joined(values, ", ", show);
}

// `2^20, 2^25`, or `2^10 … 2^28 (19 sizes)` where a list would be long.
std::string sizes(const std::vector<RooflinePoint>& points) {
  constexpr std::size_t kMostListed = 4;
  std::set<std::uint64_t> sizes;
  for (const RooflinePoint& point : points) {
    if (const auto n = size_of(point.measurement->point)) sizes.insert(*n);
  }
  if (sizes.size() > kMostListed) {
    return fmt::format("{} … {} ({} sizes)", elements_text(*sizes.begin()), elements_text(*sizes.rbegin()),
                       sizes.size());
  }
  return distinct(points, &size_of, elements_text);
}

// How the times were taken.
std::string timed_text(const std::vector<RooflinePoint>& points) {
  if (std::ranges::any_of(points, [](const auto& p) { return is_observed(p); }))
    return "times from the trace";
  const auto is_timed = [&](LaunchMode mode) {
    return std::ranges::find(points, mode, timed_mode) != points.end();
  };
  const bool graph = is_timed(LaunchMode::graph);
  const bool plain = is_timed(LaunchMode::plain);
  if (graph && plain) return "timed in CUDA graphs or launch by launch";
  return graph ? "timed in CUDA graphs" : plain ? "timed launch by launch" : "";
}

// `NVIDIA H200`, `a recording of NVIDIA H200`
std::string as_recorded(const Run& run, const std::string& device) {
  return run.source == RunSource::replayed ? fmt::format("a recording of {}", device) : device;
}

constexpr std::size_t kMostNamed = 8;

std::string plain(const std::string& experiment) {
  if (is_plain_name(experiment)) return experiment;
  std::string name;
  for (const char c : experiment.substr(0, kMaxNameLength)) name += is_plain_name({&c, 1}) ? c : '_';
  return name + "-" + sha256(experiment).substr(0, 8);
}

}  // namespace

std::string missing_text(const ExperimentAnalysis& experiment) {
  const std::vector<std::string>& missing = experiment.missing;
  if (missing.empty()) return {};
  return fmt::format("incomplete, {} of {} missing: {}", missing.size(),
                     format::counted(missing.size() + experiment.points.size(), "point"),
                     format::listed(missing, kMostNamed));
}

std::string device_text(const Run& run) {
  std::vector<std::string> names = format::each(run.devices, &DeviceInfo::name);
  const bool are_alike = std::ranges::adjacent_find(names, std::not_equal_to()) == names.end();
  if (names.size() > 1 && are_alike) names = {fmt::format("{} × {}", names.size(), names.front())};
  return as_recorded(run, format::joined(names));
}

std::string headline_prefix(const Run& run, bool is_incomplete) {
  if (run.source == RunSource::replayed) return is_incomplete ? "Replayed, incomplete: " : "Replayed: ";
  return is_incomplete ? "Incomplete: " : "";
}

std::string subtitle(const Run& run, std::size_t place, const std::vector<RooflinePoint>& points) {
  const DeviceInfo& device = run.devices[place];
  std::vector<std::string> parts = {as_recorded(run, device.name), format::utc(run.started_utc)};
  if (!device.driver_version.empty()) parts.push_back("driver " + device.driver_version);
  const auto add = [&](std::string_view what, const std::string& text) {
    if (!text.empty()) parts.push_back(fmt::format("{}{}", what, text));
  };
  const auto name = [](auto value) { return to_string(value); };
  const std::string caches = distinct(points, &cache_of, name);
  if (!caches.empty()) parts.push_back(caches + " cache");
  add("n = ", sizes(points));
  add("", distinct(points, &dtype_of, name));
  add("", run.imports.empty() ? timed_text(points) : "times as imported");
  return format::joined(parts, "  ·  ");
}

std::string tool_text(const Run& run) {
  return fmt::format("rooflinectl {} ({})", run.tool_version, run.tool_commit);
}

std::string provenance(const Run& run, const ExperimentAnalysis& experiment) {
  std::size_t timed = 0;
  std::vector<std::string> declared;
  std::vector<std::string> unseen;
  std::vector<std::string> off_chart;
  double uncounted = 0;  // share of a program's time
  bool is_of_program = false;
  for (const RooflinePoint& point : experiment.points) {
    if (point.launches) {
      is_of_program = true;
      if (!is_fully_counted(*point.measurement)) uncounted += point.launches->share;
      continue;
    }
    if (!point.measurement->time) continue;
    ++timed;
    if (!point.ai_useful && point.ai_executed == 0) off_chart.push_back(point.label);
    if (!point.dram_bytes && !point.flops_executed) {
      declared.push_back(point.label);
    } else if (!point.executed_missing.empty()) {
      unseen.push_back(point.label);
    }
  }
  std::string text(run.imports.empty() ? to_string(run.source) : "imported");
  if (!declared.empty()) {
    text = declared.size() == timed
               ? fmt::format("times {}; bytes and FLOPs declared, not counted", text)
               : fmt::format("{}; declared, not counted: {}", text, format::listed(declared, kMostNamed));
  }
  if (is_of_program) {
    text += run.imports.empty() ? "; work counted in some launches of each kernel" : "; work as reported";
  }
  constexpr double kAlmostAll = 0.9995;
  if (uncounted >= kAlmostAll) {
    text += "; counters incomplete for every kernel";
  } else if (uncounted > 0) {
    text += fmt::format("; counters incomplete for {} of GPU time", format::percent(uncounted));
  }
  if (!unseen.empty())
    text += fmt::format("; executed work not counted: {}", format::listed(unseen, kMostNamed));
  if (!off_chart.empty())
    text += fmt::format("; no FLOP, so not on the chart: {}", format::listed(off_chart, kMostNamed));
  const std::string missing = missing_text(experiment);
  return missing.empty() ? text : fmt::format("{}; {}", missing, text);
}

std::vector<std::string> chart_file_names(const std::vector<std::string>& experiments) {
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (const std::string& experiment : experiments) {
    const std::string wanted = plain(experiment);
    std::string name = wanted;
    const auto take = [&] {
      std::string lower = name;
      for (char& letter : lower) letter = to_lower(letter);
      return taken.insert(lower).second;
    };
    for (int i = 2; !take(); ++i) name = fmt::format("{}-{}", wanted, i);
    names.push_back(name);
  }
  return names;
}

std::string ceilings_chart_file_name(std::size_t device) {
  return device == 0 ? std::string(kFirstChartFileName)
                     : fmt::format("{}-device-{}", kFirstChartFileName, device);
}

}  // namespace rooflinectl
