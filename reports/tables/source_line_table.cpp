// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/counters/stall_reasons.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

double share(std::uint64_t samples, std::uint64_t all) {
  return static_cast<double>(samples) / static_cast<double>(all);
}

/// `models/attention.py:45`: the file in its folder, as paths of whole projects leave no room for the source.
std::string place_text(const SampledLine& line) {
  const std::size_t name = line.file.rfind('/');
  const std::size_t folder = name == std::string::npos || name == 0 ? name : line.file.rfind('/', name - 1);
  const std::size_t begin = folder == std::string::npos ? 0 : folder + 1;
  return fmt::format("{}:{}", line.file.substr(begin), line.line);
}

std::string reason_text(const std::string& stall) {
  if (stall.empty() || stall == "selected") return "issuing";
  const auto reason = std::ranges::find(stall_reasons(), stall, &StallReason::id);
  return fmt::format("waiting for {}", reason == stall_reasons().end() ? stall : reason->label);
}

/// What warps there did most often: `66.7 % waiting for global memory`.
std::string doing_text(const SampledLine& line) {
  const std::string doing = reason_text(line.stall);
  if (line.stalled == 0 || line.samples == 0) return doing;
  return fmt::format("{} {}", format::percent(share(line.stalled, line.samples)), doing);
}

}  // namespace

const SampledLines* sampled_lines(const RooflinePoint& point) {
  const std::optional<LaunchStatistics>& launches = point.measurement->launches;
  const bool has_lines = launches && launches->sampled && launches->sampled->samples > 0;
  return has_lines && !launches->sampled->lines.empty() ? &*launches->sampled : nullptr;
}

Table source_line_table(const SampledLines& sampled) {
  Table table{.title = fmt::format("Where its warps were ({})", format::counted(sampled.samples, "sample")),
              .columns = {column::text("line"), column::number("of samples"), column::sentence("source"),
                          column::sentence("its warps")}};
  std::uint64_t listed = 0;
  for (const SampledLine& line : sampled.lines) {
    table.rows.push_back({place_text(line), format::percent(share(line.samples, sampled.samples)), line.text,
                          doing_text(line)});
    listed += line.samples;
  }
  if (listed < sampled.samples) {
    table.notes.push_back(fmt::format("Other lines, and code without a line, have {} of the samples.",
                                      format::percent(share(sampled.samples - listed, sampled.samples))));
  }
  return table;
}

}  // namespace rooflinectl
