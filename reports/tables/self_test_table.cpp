// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/self_test_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/tables/agreement_table.h"
#include "reports/text/format.h"

namespace rooflinectl {

namespace {

std::size_t count(const SelfTest& self_test, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(self_test.agreements.begin(), self_test.agreements.end(),
                    [&](const Agreement& agreement) { return agreement.verdict() == verdict; }));
}

}  // namespace

Table self_test_table(const SelfTest& self_test) {
  Table table = {.columns = {{"known work"},
                             {"quantity"},
                             {"expected", true},
                             {"counted", true},
                             {"tolerance", true},
                             {"verdict"}},
                 .dispensable = {"tolerance"}};
  for (const Agreement& agreement : self_test.agreements) {
    table.rows.push_back({agreement.subject, agreement.quantity, reference_text(agreement),
                          ours_text(agreement), tolerance_text(agreement),
                          std::string(to_string(agreement.verdict()))});
  }
  return table;
}

std::string self_test_verdict(const SelfTest& self_test) {
  if (!self_test.reason.empty()) return fmt::format("nothing was tested: {}", self_test.reason);
  const std::size_t unavailable = count(self_test, Verdict::unavailable);
  const std::size_t compared = self_test.agreements.size() - unavailable;
  std::string text = fmt::format("{} of {} agree with known work", count(self_test, Verdict::agrees),
                                 format::counted(compared, "number"));
  if (unavailable > 0) text += fmt::format(", {} unavailable", unavailable);
  return text;
}

std::vector<std::string> self_test_findings(const SelfTest& self_test) {
  std::vector<std::string> findings;
  for (const Agreement& agreement : self_test.agreements) {
    if (agreement.verdict() != Verdict::differs) continue;
    findings.push_back(fmt::format("self-test {}: {} is {}, but should be {}; suspect: {}", agreement.subject,
                                   agreement.quantity, ours_text(agreement), reference_text(agreement),
                                   shown_figures(agreement.quantity)));
  }
  return findings;
}

std::string_view shown_figures(std::string_view quantity) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), quantity) != names.end();
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
