// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

std::string clock_text(const std::string& control) {
  return control == "none" ? "clocks not locked" : fmt::format("clocks locked to {}", control);
}

std::string cache_text(const std::string& control) {
  return control == "none" ? "caches not flushed" : "caches flushed before each pass";
}

/// The clock of most kernels; nothing where none is known.
std::optional<double> kernel_clock_hz(const Run& run) {
  std::vector<double> clocks;
  for (const Measurement& measurement : run.measurements) {
    if (const auto clock_hz = value_of(measurement.counters, counter::kSmClockHz))
      clocks.push_back(*clock_hz);
  }
  if (clocks.empty()) return std::nullopt;
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::nth_element(clocks.begin(), middle, clocks.end());
  return *middle;
}

/// The highest clock at which a compute ceiling was measured.
std::optional<double> ceiling_clock_hz(const Run& run) {
  std::optional<double> highest;
  for (const Ceiling& ceiling : run.ceilings) {
    const bool is_compute = ceiling.source == CeilingSource::measured && ceiling.kind == CeilingKind::compute;
    if (is_compute && ceiling.sm_clock_hz > highest) highest = ceiling.sm_clock_hz;
  }
  return highest;
}

std::string ceilings_sentence(const Run& run) {
  if (!run.counter_session.available) {
    return "Traces have times but no counters, so there are no roofs: a report from Nsight Compute adds "
           "them.";
  }
  if (run.ceilings.empty())
    return "No ceilings are known: --ceilings RUN compares the kernels with measured ones.";
  if (roof_source(run, Run::kFirstDevice) == CeilingSource::theoretical) {
    return "The ceilings are theoretical peaks, from the report: --ceilings RUN compares the kernels with "
           "measured "
           "ones.";
  }
  constexpr double kSameClock = 1.02;
  const auto kernels_hz = kernel_clock_hz(run);
  const auto ceilings_hz = ceiling_clock_hz(run);
  if (!kernels_hz || !ceilings_hz || *ceilings_hz <= kSameClock * *kernels_hz) return {};
  return fmt::format(
      "The kernels ran at {}, but the ceilings were measured at {}: with ncu --clock-control none both "
      "have the same clock.",
      format::hertz(*kernels_hz), format::hertz(*ceilings_hz));
}

/// What every roof takes into account, and the section of ncu that brings it.
struct NeededCounts {
  std::string_view name;
  std::string_view section;
  bool (*are_in)(const Counters&) = nullptr;
};
constexpr std::array kNeededCounts = {
    NeededCounts{"DRAM bytes", "SpeedOfLight_RooflineChart",
                 [](const Counters& counters) { return dram_bytes(counters).has_value(); }},
    NeededCounts{"FP64 operations", "SpeedOfLight_RooflineChart",
                 [](const Counters& counters) { return executed_f64_flops(counters).has_value(); }},
    NeededCounts{"FP32 operations", "SpeedOfLight_RooflineChart",
                 [](const Counters& counters) { return executed_f32_flops(counters).has_value(); }},
    NeededCounts{"Tensor Core operations", "SpeedOfLight_HierarchicalTensorRooflineChart",
                 [](const Counters& counters) { return executed_tensor_ops(counters).has_value(); }}};

}  // namespace

std::string import_text(const ImportedFile& file) {
  std::vector<std::string> parts = {file.format};
  if (!file.tool_version.empty()) parts.push_back(fmt::format("version {}", file.tool_version));
  if (!file.replay.empty()) parts.push_back(fmt::format("{} replay", file.replay));
  if (!file.clock_control.empty()) parts.push_back(clock_text(file.clock_control));
  if (!file.cache_control.empty()) parts.push_back(cache_text(file.cache_control));
  parts.insert(parts.end(), file.sections.begin(), file.sections.end());
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> import_sentences(const Run& run) {
  std::vector<std::string> sentences;
  if (run.imports.empty()) return sentences;
  for (const ImportedFile& file : run.imports) {
    // The title names a single one.
    const std::string of = run.imports.size() == 1 ? "" : " " + file.name;
    sentences.push_back(fmt::format("Imported{}: {}.", of, import_text(file)));
  }
  std::string ceilings = ceilings_sentence(run);
  if (!ceilings.empty()) sentences.push_back(std::move(ceilings));
  return sentences;
}

std::string partly_counted_sentence(const Run& run) {
  std::vector<std::string_view> missing;
  std::vector<std::string> sections;
  for (const NeededCounts& needed : kNeededCounts) {
    const bool are_known =
        std::all_of(run.measurements.begin(), run.measurements.end(),
                    [&](const Measurement& measurement) { return needed.are_in(measurement.counters); });
    if (are_known) continue;
    missing.push_back(needed.name);
    const std::string section = fmt::format("--section {}", needed.section);
    if (sections.empty() || sections.back() != section) sections.push_back(section);
  }
  return fmt::format(
      "The report lacks {}: the kernels are at least as close to the roofline as shown (≥). "
      "`ncu {}` records them.",
      fmt::join(missing, ", "), fmt::join(sections, " "));
}

std::vector<std::string> import_problems(const Run& run) {
  std::vector<std::string> texts;
  for (const ImportedFile& file : run.imports) {
    for (const std::string& problem : file.problems)
      texts.push_back(fmt::format("{}: {}", file.name, problem));
  }
  return texts;
}

}  // namespace rooflinectl
