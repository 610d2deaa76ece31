// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/agreement_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "reports/text/format.h"

namespace rooflinectl {
namespace {

std::string summary_of(const std::vector<Agreement>& agreements) {
  std::vector<std::string> parts;
  const auto add = [&](Verdict verdict, std::string_view one, std::string_view more) {
    const auto count = std::count_if(agreements.begin(), agreements.end(), [&](const Agreement& agreement) {
      return agreement.verdict() == verdict;
    });
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : more));
  };
  add(Verdict::agrees, "agrees", "agree");
  add(Verdict::differs, "differs", "differ");
  add(Verdict::unavailable, "unavailable", "unavailable");
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Counts of operations and bytes are compared to the last digit, so they are shown to the last digit.
std::string amount(double value, ComparedUnit unit) {
  if (unit == ComparedUnit::seconds) return format::duration(value);
  if (unit == ComparedUnit::ratio) return format::significant(value, 4);
  const bool is_whole = std::abs(value) < 1e15 && value == std::floor(value);
  const std::string number = is_whole ? fmt::format("{:.0f}", value) : format::significant(value, 6);
  return unit == ComparedUnit::bytes ? number + " B" : number;
}

std::string text_of(const CounterValue& value, ComparedUnit unit) {
  return value.available() ? amount(*value.value(), unit) : fmt::format("unavailable: {}", value.reason());
}

}  // namespace

std::vector<AgreementTable> agreement_tables(const Run& run) {
  std::vector<AgreementTable> tables;
  if (run.self_test) {
    tables.push_back({.title = "Self-test: kernels of known work, counted",
                      .summary = summary_of(run.self_test->agreements),
                      .reference = "known work",
                      .reason = run.self_test->reason,
                      .hint = "",
                      .agreements = &run.self_test->agreements});
  }
  for (const CrossCheck& check : run.cross_checks) {
    const std::string tool(to_string(check.tool));
    tables.push_back({.title = fmt::format("Cross-check with {}{}{}", tool, check.version.empty() ? "" : " ",
                                           check.version),
                      .summary = summary_of(check.agreements),
                      .reference = tool,
                      .reason = check.reason,
                      .hint = check.hint,
                      .agreements = &check.agreements});
  }
  return tables;
}

std::string ours_text(const Agreement& agreement) {
  return text_of(agreement.ours, agreement.unit);
}

std::string reference_text(const Agreement& agreement) {
  return text_of(agreement.reference, agreement.unit);
}

std::string difference_text(const Agreement& agreement) {
  if (!agreement.ours.available() || !agreement.reference.available())
    return std::string(format::kUnavailable);
  const double difference = *agreement.ours.value() - *agreement.reference.value();
  const double reference = std::abs(*agreement.reference.value());
  if (difference == 0) return "0";
  if (!agreement.is_relative || reference == 0) {
    return fmt::format("{}{}", difference > 0 ? "+" : "−", amount(std::abs(difference), agreement.unit));
  }
  return fmt::format("{}{}", difference > 0 ? "+" : "−", format::percent(std::abs(difference) / reference));
}

std::string tolerance_text(const Agreement& agreement) {
  if (agreement.tolerance == 0) return "exact";
  return agreement.is_relative ? fmt::format("±{} %", format::significant(100 * agreement.tolerance, 2))
                               : fmt::format("±{}", amount(agreement.tolerance, agreement.unit));
}

}  // namespace rooflinectl
