// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/tables/tables.h"
#include "reports/text/format.h"

namespace rooflinectl {

namespace {

std::size_t count_of(const std::vector<Agreement>& agreements, Verdict verdict) {
  return static_cast<std::size_t>(std::ranges::count(agreements, verdict, &Agreement::verdict));
}

std::string summary_of(const std::vector<Agreement>& agreements) {
  std::vector<std::string> parts;
  const auto add = [&](Verdict verdict, std::string_view one, std::string_view more) {
    const std::size_t count = count_of(agreements, verdict);
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : more));
  };
  add(Verdict::agrees, "agrees", "agree");
  add(Verdict::differs, "differs", "differ");
  add(Verdict::unavailable, "unavailable", "unavailable");
  return format::joined(parts);
}

// Counts of operations and bytes are compared to the last digit, so they are shown to the last digit.
std::string amount(double value, ComparedUnit unit) {
  if (unit == ComparedUnit::seconds) return format::duration(value);
  if (unit == ComparedUnit::ratio) return format::significant(value, 4);
  const bool is_whole = std::abs(value) < 1e15 && value == std::floor(value);
  const std::string number = is_whole ? fmt::format("{:.0f}", value) : format::significant(value, 6);
  return unit == ComparedUnit::bytes ? number + " B" : number;
}

// A number with its unit, or why there is none: `1.07 GB`, `unavailable: not on this chip`.
std::string text_of(const CounterValue& value, ComparedUnit unit) {
  return value.available() ? amount(*value.value(), unit) : fmt::format("unavailable: {}", value.reason());
}

/// All agreements on one quantity, over many points.
struct QuantitySummary {
  std::string quantity;
  std::size_t agree = 0;
  std::size_t differ = 0;
  std::size_t unavailable = 0;
  const Agreement* worst = nullptr;  // uses up most of its tolerance; null if all are unavailable
};

/// How much of the tolerance a difference uses up; more than 1 if it is too large.
double strain(const Agreement& agreement) {
  const double difference = std::abs(*agreement.ours.value() - *agreement.reference.value());
  if (difference == 0) return 0;
  const double share = agreement.is_relative ? std::abs(*agreement.reference.value()) : 1;
  return difference / (agreement.tolerance * share);  // infinite where none is allowed
}

// In the order in which the quantities first occur.
std::vector<QuantitySummary> by_quantity(const std::vector<Agreement>& agreements) {
  std::vector<QuantitySummary> summaries;
  for (const Agreement& agreement : agreements) {
    auto summary = std::ranges::find(summaries, agreement.quantity, &QuantitySummary::quantity);
    if (summary == summaries.end())
      summary = summaries.insert(summary, QuantitySummary{.quantity = agreement.quantity});
    const Verdict verdict = agreement.verdict();
    if (verdict == Verdict::unavailable) {
      ++summary->unavailable;
      continue;
    }
    ++(verdict == Verdict::agrees ? summary->agree : summary->differ);
    if (summary->worst == nullptr || strain(agreement) > strain(*summary->worst)) summary->worst = &agreement;
  }
  return summaries;
}

// `+0.02 %` of the reference, or in the unit of the numbers where the tolerance is; nothing without both.
std::string difference_text(const Agreement& agreement) {
  if (!agreement.ours.available() || !agreement.reference.available()) return format::kUnavailable;
  const double difference = *agreement.ours.value() - *agreement.reference.value();
  const double reference = std::abs(*agreement.reference.value());
  if (difference == 0) return "0";
  if (!agreement.is_relative || reference == 0) {
    return fmt::format("{}{}", difference > 0 ? "+" : "−", amount(std::abs(difference), agreement.unit));
  }
  return fmt::format("{}{}", difference > 0 ? "+" : "−", format::percent(std::abs(difference) / reference));
}

// `±2 %`, `exact`.
std::string tolerance_text(const Agreement& agreement) {
  if (agreement.tolerance == 0) return "exact";
  return agreement.is_relative ? fmt::format("±{} %", format::significant(100 * agreement.tolerance, 2))
                               : fmt::format("±{}", amount(agreement.tolerance, agreement.unit));
}

}  // namespace

std::vector<AgreementSection> agreement_sections(const Run& run) {
  std::vector<AgreementSection> sections;
  if (run.self_test) {
    sections.push_back({.title = "Self-test: kernels of known work, counted",
                        .summary = summary_of(run.self_test->agreements),
                        .reference = "known work",
                        .reason = run.self_test->reason,
                        .hint = "",
                        .agreements = &run.self_test->agreements});
  }
  for (const CrossCheck& check : run.cross_checks) {
    const std::string tool(to_string(check.tool));
    sections.push_back({.title = fmt::format("Cross-check with {}{}{}", tool,
                                             check.version.empty() ? "" : " ", check.version),
                        .summary = summary_of(check.agreements),
                        .reference = tool,
                        .reason = check.reason,
                        .hint = check.hint,
                        .agreements = &check.agreements});
  }
  return sections;
}

Table quantity_table(const std::vector<Agreement>& agreements) {
  Table table = {.columns = {column::text("quantity"), column::text("agree"), column::text("differ"),
                             column::text("unavailable"), column::text("largest difference"),
                             column::text("tolerance"), column::text("at")}};
  for (const QuantitySummary& summary : by_quantity(agreements)) {
    const Agreement* const worst = summary.worst;
    const bool is_exact = worst != nullptr && strain(*worst) == 0;
    table.rows.push_back({summary.quantity, fmt::format("{}", summary.agree),
                          fmt::format("{}", summary.differ), fmt::format("{}", summary.unavailable),
                          worst == nullptr ? format::kUnavailable : difference_text(*worst),
                          worst == nullptr ? format::kUnavailable : tolerance_text(*worst),
                          worst == nullptr || is_exact ? "" : worst->subject});
  }
  return table;
}

Table agreement_table(const std::vector<Agreement>& agreements, const std::string& reference,
                      const std::function<bool(const Agreement&)>& is_shown) {
  Table table = {.columns = {column::text("point"), column::text("quantity"), column::text("ours"),
                             column::text(reference), column::text("difference"), column::text("tolerance"),
                             column::text("verdict"), column::text("note")}};
  for (const Agreement& agreement : agreements) {
    if (!is_shown(agreement)) continue;
    table.rows.push_back({agreement.subject, agreement.quantity, text_of(agreement.ours, agreement.unit),
                          text_of(agreement.reference, agreement.unit), difference_text(agreement),
                          tolerance_text(agreement), std::string(to_string(agreement.verdict())),
                          agreement.note});
  }
  return table;
}

Table self_test_table(const SelfTest& self_test) {
  Table table = {.columns = {column::text("known work"), column::text("quantity"), column::number("expected"),
                             column::number("counted"), column::number("tolerance"), column::text("verdict")},
                 .dispensable = {"tolerance"}};
  for (const Agreement& agreement : self_test.agreements) {
    table.rows.push_back({agreement.subject, agreement.quantity, text_of(agreement.reference, agreement.unit),
                          text_of(agreement.ours, agreement.unit), tolerance_text(agreement),
                          std::string(to_string(agreement.verdict()))});
  }
  return table;
}

std::string self_test_verdict(const SelfTest& self_test) {
  if (!self_test.reason.empty()) return fmt::format("nothing was tested: {}", self_test.reason);
  const std::size_t unavailable = count_of(self_test.agreements, Verdict::unavailable);
  const std::size_t compared = self_test.agreements.size() - unavailable;
  std::string text =
      fmt::format("{} of {} agree with known work", count_of(self_test.agreements, Verdict::agrees),
                  format::counted(compared, "number"));
  if (unavailable > 0) text += fmt::format(", {} unavailable", unavailable);
  return text;
}

std::vector<std::string> self_test_findings(const SelfTest& self_test) {
  std::vector<std::string> findings;
  for (const Agreement& agreement : self_test.agreements) {
    if (agreement.verdict() != Verdict::differs) continue;
    findings.push_back(fmt::format("self-test {}: {} is {}, but should be {}; suspect: {}", agreement.subject,
                                   agreement.quantity, text_of(agreement.ours, agreement.unit),
                                   text_of(agreement.reference, agreement.unit),
                                   shown_figures(agreement.quantity)));
  }
  return findings;
}

std::string_view shown_figures(std::string_view quantity) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, quantity) != names.end();
  };
  if (is_one_of({"fadd", "fmul", "ffma", "fadd2", "fmul2", "ffma2"})) {
    return "executed FP32 operations and intensities";
  }
  if (is_one_of({"dadd", "dmul", "dfma"})) return "executed FP64 operations and intensities";
  if (is_one_of({"hadd", "hmul", "hfma"})) return "FP16 and BF16 instructions";
  if (quantity == "integer_ops") return "integer instructions per element";
  if (quantity.starts_with("dram_")) return "DRAM bytes, executed intensities, bounds and busiest levels";
  if (is_one_of({"l2_bytes", "l1_bytes"})) return "intensities at that level, bounds and busiest levels";
  if (quantity.starts_with("shared_")) {
    return "shared-memory intensities, bank conflicts, bounds and busiest levels";
  }
  if (quantity.starts_with("global_")) return "global load and store sector efficiencies";
  if (quantity.ends_with("_efficiency")) return "warp execution efficiencies";
  return "all counters";
}

}  // namespace rooflinectl
