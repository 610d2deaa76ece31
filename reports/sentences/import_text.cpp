// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/roofline/executed/executed_work.h"
#include "analysis/roofline/roof.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

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
           "measured ones.";
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

/// Against what DRAM bytes are held whose directions the report does not tell apart.
std::string dram_mix_sentence(const Run& run) {
  const auto is_unknown = [](const Measurement& measurement) {
    const auto traffic = counted_traffic(measurement.counters);
    return traffic && !traffic->is_mix_known;
  };
  if (std::ranges::none_of(run.measurements, is_unknown)) return {};
  const auto highest = dram_limit(run, Run::kFirstDevice, {.is_mix_known = false});
  if (roof_source(run, Run::kFirstDevice) != CeilingSource::measured || !highest) return {};
  return fmt::format(
      "DRAM reads and writes were not counted apart: kernels are held against the highest ceiling of DRAM, "
      "{} ({}).",
      highest->ceilings.front(), format::bandwidth(highest->per_s));
}

/// What roofs and bounds take into account.
struct NeededCounts {
  std::string_view name;
  bool is_for_roofs = false;  ///< else only what bounds a kernel may be unknown without it
  bool (*are_in)(const Measurement&) = nullptr;
};

template <const std::string_view& kKey>
bool is_counted(const Measurement& of) {
  return value_of(of.counters, kKey).has_value();
}

constexpr std::array kNeededCounts = {
    NeededCounts{"DRAM bytes", true,
                 [](const Measurement& of) { return dram_bytes(of.counters).has_value(); }},
    NeededCounts{"FP64 operations", true,
                 [](const Measurement& of) { return executed_f64_flops(of.counters).has_value(); }},
    NeededCounts{"FP32 operations", true,
                 [](const Measurement& of) { return executed_f32_flops(of.counters).has_value(); }},
    NeededCounts{"Tensor Core operations", true,
                 [](const Measurement& of) { return executed_tensor_ops(of.counters).has_value(); }},
    NeededCounts{"L2 bytes", false, is_counted<counter::kL2Bytes>},
    NeededCounts{"L1 bytes", false, is_counted<counter::kL1Bytes>},
    NeededCounts{"shared-memory bytes", false,
                 [](const Measurement& of) {
                   const bool has_none = of.resources && of.resources->shared_bytes_per_block == 0;
                   return has_none || is_counted<counter::kSharedBytes>(of);
                 }},
    NeededCounts{"FP16 instructions", false, is_counted<counter::kHfma>},
    NeededCounts{"warp instructions", false, is_counted<counter::kWarpInstructions>},
    NeededCounts{"atomics", false, is_counted<counter::kL2AtomicOperations>}};

/// Those that some kernel lacks.
std::vector<std::string_view> missing_counts(const Run& run, bool for_roofs) {
  std::vector<std::string_view> missing;
  for (const NeededCounts& needed : kNeededCounts) {
    const bool are_known = std::ranges::all_of(run.measurements, needed.are_in);
    if (needed.is_for_roofs == for_roofs && !are_known) missing.push_back(needed.name);
  }
  return missing;
}

/// What records all of `kNeededCounts`: the full set, and the metrics that are in none of its sections.
std::string complete_command(const Run& run) {
  constexpr std::string_view kMetrics = "; ncu --metrics ";
  std::vector<std::string> metrics;
  for (const std::string_view key :
       {counter::kL1Bytes, counter::kSharedBytes, counter::kL2AtomicOperations}) {
    for (const Measurement& measurement : run.measurements) {
      std::string why = why_not_counted(measurement.counters, key);
      const std::size_t at = why.find(kMetrics);
      if (at == std::string::npos) continue;
      why.erase(0, at + kMetrics.size());
      metrics.push_back(why.substr(0, why.find(' ')));
      break;
    }
  }
  return fmt::format("ncu --set full{}{}", metrics.empty() ? "" : " --metrics ",
                     format::joined(metrics, ","));
}

}  // namespace

std::string import_text(const ImportedFile& file) {
  std::vector<std::string> parts = {file.format};
  if (!file.tool_version.empty()) parts.push_back(fmt::format("version {}", file.tool_version));
  if (!file.replay.empty()) parts.push_back(fmt::format("{} replay", file.replay));
  if (!file.clock_control.empty()) {
    parts.push_back(file.clock_control == "none" ? "clocks not locked"
                                                 : fmt::format("clocks locked to {}", file.clock_control));
  }
  if (!file.cache_control.empty()) {
    parts.emplace_back(file.cache_control == "none" ? "caches not flushed"
                                                    : "caches flushed before each pass");
  }
  parts.insert(parts.end(), file.sections.begin(), file.sections.end());
  return format::joined(parts);
}

std::vector<std::string> import_sentences(const Run& run) {
  std::vector<std::string> sentences;
  if (run.imports.empty()) return sentences;
  for (const ImportedFile& file : run.imports) {
    // The title names a single one.
    const std::string of = run.imports.size() == 1 ? "" : " " + file.name;
    sentences.push_back(fmt::format("Imported{}: {}.", of, import_text(file)));
  }
  for (const std::string& text :
       {ceilings_sentence(run), dram_mix_sentence(run), partly_counted_sentence(run)}) {
    if (!text.empty()) sentences.push_back(text);
  }
  return sentences;
}

std::string partly_counted_sentence(const Run& run) {
  if (run.imports.empty() || !run.counter_session.available) return {};
  const auto of_roofs = missing_counts(run, true);
  const auto of_bounds = missing_counts(run, false);
  std::vector<std::string> parts;
  if (!of_roofs.empty()) {
    parts.push_back(fmt::format("{}, so kernels are at least as close to the roofline as shown (≥)",
                                format::joined(of_roofs)));
  }
  if (!of_bounds.empty()) {
    parts.push_back(
        fmt::format("{}, without which it may be unknown what bounds a kernel", format::joined(of_bounds)));
  }
  if (parts.empty()) return {};
  return fmt::format("The report lacks {}. `{}` records all of them.", format::joined(parts, "; and "),
                     complete_command(run));
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
