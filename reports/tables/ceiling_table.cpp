// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/ceiling_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "core/model/ceiling_subjects.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

/// The operation of a ceiling: `read`, `Tensor Core`; an instruction in capitals, `FMA`.
std::string operation_name(const Ceiling& ceiling) {
  if (ceiling.operation == "h2d") return "host to device";
  if (ceiling.operation == "d2h") return "device to host";
  if (ceiling.kind != CeilingKind::compute) return ceiling.operation;
  if (ceiling.operation == "tensor") return "Tensor Core";
  std::string name = ceiling.operation;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

const Ceiling& either(const CeilingPair& pair) {
  return pair.measured != nullptr ? *pair.measured : *pair.theoretical;
}

std::string value_of(const Ceiling* ceiling) {
  return ceiling != nullptr ? ceiling_value(*ceiling, ceiling->value) : std::string(format::kUnavailable);
}

std::string value_at_clock(const CeilingPair& pair) {
  return format::optional(pair.theoretical_at_clock,
                          [&](double value) { return ceiling_value(either(pair), value); });
}

std::string counted(const CeilingPair& pair) {
  if (pair.measured == nullptr || !pair.measured->confirmation) return std::string(format::kUnavailable);
  const Confirmation& confirmation = *pair.measured->confirmation;
  return confirmation.agrees ? "ok" : confirmation.detail;
}

// A ceiling that is older than the run was not measured by it.
std::string method(const Run& run, const CeilingPair& pair) {
  const Ceiling& ceiling = either(pair);
  const bool is_older = !ceiling.measured_utc.empty() && ceiling.measured_utc < run.started_utc;
  return is_older ? fmt::format("{}; measured {}", ceiling.method, format::utc(ceiling.measured_utc))
                  : ceiling.method;
}

constexpr std::array kCeilingColumns = {
    CeilingColumn{"ceiling", false,
                  [](const Run& run, const CeilingPair& pair) {
                    const Ceiling& ceiling = either(pair);
                    return run.devices.size() < 2
                               ? ceiling_name(ceiling)
                               : fmt::format("{}, device {}", ceiling_name(ceiling), ceiling.device);
                  }},
    CeilingColumn{"measured", true,
                  [](const Run&, const CeilingPair& pair) { return value_of(pair.measured); }},
    CeilingColumn{"theoretical", true,
                  [](const Run&, const CeilingPair& pair) { return value_of(pair.theoretical); }},
    CeilingColumn{"at SM clock", true,
                  [](const Run&, const CeilingPair& pair) { return value_at_clock(pair); }},
    CeilingColumn{
        "% of theoretical", true,
        [](const Run&, const CeilingPair& pair) { return format::optional(pair.fraction, format::percent); }},
    CeilingColumn{"SM clock", true,
                  [](const Run&, const CeilingPair& pair) {
                    return format::optional(either(pair).sm_clock_hz, format::hertz);
                  }},
    CeilingColumn{"spread", true,
                  [](const Run&, const CeilingPair& pair) {
                    return pair.measured != nullptr ? format::percent(pair.measured->relative_spread)
                                                    : std::string(format::kUnavailable);
                  }},
    CeilingColumn{"counted", false, [](const Run&, const CeilingPair& pair) { return counted(pair); }},
    CeilingColumn{"method", false, method},
};

}  // namespace

std::string ceiling_name(const Ceiling& ceiling) {
  const std::string_view subject = subject_name(ceiling.subject);
  const std::string operation = operation_name(ceiling);
  return fmt::format("{}{}{}", subject, subject.empty() || operation.empty() ? "" : " ", operation);
}

std::string ceiling_value(const Ceiling& ceiling, double value) {
  if (ceiling.kind == CeilingKind::bandwidth || ceiling.kind == CeilingKind::transfer) {
    return format::bandwidth(value);
  }
  if (ceiling.kind == CeilingKind::latency) return format::duration(value);
  return format::rate(value, ceiling.subject.starts_with('i') ? format::kOps : format::kFlops);
}

std::span<const CeilingColumn> ceiling_columns() {
  return kCeilingColumns;
}

std::vector<std::string> ceiling_findings(const std::vector<CeilingPair>& pairs) {
  std::vector<std::string> findings;
  for (const CeilingPair& pair : pairs) {
    for (const std::string& finding : pair.findings) {
      findings.push_back(fmt::format("{}: {}", ceiling_name(either(pair)), finding));
    }
  }
  return findings;
}

}  // namespace rooflinectl
