// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/ceiling_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "reports/text/format.h"

namespace rooflinectl {
namespace {

/// The name of a level or a precision: `DRAM`, `FP32`.
std::string_view subject_name(std::string_view subject) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kSubjectNames = {{
      {"dram", "DRAM"},
      {"l2", "L2"},
      {"l1", "L1"},
      {"f64", "FP64"},
      {"f32", "FP32"},
      {"tf32", "TF32"},
      {"f16", "FP16"},
      {"bf16", "BF16"},
      {"f8", "FP8"},
      {"i64", "INT64"},
      {"i32", "INT32"},
      {"i8", "INT8"},
  }};
  const auto found = std::find_if(kSubjectNames.begin(), kSubjectNames.end(),
                                  [&](const auto& entry) { return entry.first == subject; });
  return found == kSubjectNames.end() ? subject : found->second;
}

std::string_view operation_name(std::string_view operation) {
  if (operation == "fma") return "FMA";
  if (operation == "add") return "ADD";
  return operation == "tensor" ? "Tensor Core" : operation;
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

constexpr std::array kColumns = {
    CeilingColumn{"ceiling", false,
                  [](const Run&, const CeilingPair& pair) { return ceiling_name(either(pair)); }},
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
  const std::string_view operation = operation_name(ceiling.operation);
  return fmt::format("{}{}{}", subject, subject.empty() || operation.empty() ? "" : " ", operation);
}

std::string ceiling_value(const Ceiling& ceiling, double value) {
  if (ceiling.kind == CeilingKind::bandwidth) return format::bandwidth(value);
  if (ceiling.kind == CeilingKind::latency) return format::duration(value);
  return format::rate(value, ceiling.subject.starts_with('i') ? format::kOps : format::kFlops);
}

std::span<const CeilingColumn> ceiling_columns() {
  return kColumns;
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
