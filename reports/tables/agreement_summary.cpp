// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/agreement_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/tables/agreement_table.h"
#include "reports/text/format.h"

namespace rooflinectl {

namespace {

/// How much of the tolerance a difference uses up; more than 1 if it is too large.
double strain(const Agreement& agreement) {
  const double difference = std::abs(*agreement.ours.value() - *agreement.reference.value());
  if (difference == 0) return 0;
  const double share = agreement.is_relative ? std::abs(*agreement.reference.value()) : 1;
  return difference / (agreement.tolerance * share);  // infinite where none is allowed
}

QuantitySummary& entry_of(std::vector<QuantitySummary>& summaries, const std::string& quantity) {
  const auto found = std::find_if(summaries.begin(), summaries.end(), [&](const QuantitySummary& summary) {
    return summary.quantity == quantity;
  });
  if (found != summaries.end()) return *found;
  return summaries.emplace_back(QuantitySummary{.quantity = quantity});
}

}  // namespace

std::vector<QuantitySummary> by_quantity(const std::vector<Agreement>& agreements) {
  std::vector<QuantitySummary> summaries;
  for (const Agreement& agreement : agreements) {
    QuantitySummary& summary = entry_of(summaries, agreement.quantity);
    const Verdict verdict = agreement.verdict();
    if (verdict == Verdict::unavailable) {
      ++summary.unavailable;
      continue;
    }
    ++(verdict == Verdict::agrees ? summary.agree : summary.differ);
    if (summary.worst == nullptr || strain(agreement) > strain(*summary.worst)) summary.worst = &agreement;
  }
  return summaries;
}

std::vector<std::string> quantity_headings() {
  return {"quantity", "agree", "differ", "unavailable", "largest difference", "tolerance", "at"};
}

std::vector<std::string> quantity_cells(const QuantitySummary& summary) {
  const Agreement* const worst = summary.worst;
  const bool is_exact = worst != nullptr && strain(*worst) == 0;
  return {summary.quantity,
          fmt::format("{}", summary.agree),
          fmt::format("{}", summary.differ),
          fmt::format("{}", summary.unavailable),
          worst == nullptr ? std::string(format::kUnavailable) : difference_text(*worst),
          worst == nullptr ? std::string(format::kUnavailable) : tolerance_text(*worst),
          worst == nullptr || is_exact ? "" : worst->subject};
}

std::vector<std::string> agreement_headings(const std::string& reference) {
  return {"point", "quantity", "ours", reference, "difference", "tolerance", "verdict", "note"};
}

std::vector<std::string> agreement_cells(const Agreement& agreement) {
  return {agreement.subject,
          agreement.quantity,
          ours_text(agreement),
          reference_text(agreement),
          difference_text(agreement),
          tolerance_text(agreement),
          std::string(to_string(agreement.verdict())),
          agreement.note};
}

}  // namespace rooflinectl
