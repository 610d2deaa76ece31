// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "reports/compare/comparison_table.h"
#include "reports/compare/gate_reports.h"
#include "reports/compare/gate_table.h"
#include "reports/text/text_table.h"

namespace rooflinectl {

std::string gate_text(const Gate& gate, int columns) {
  const auto width = static_cast<std::size_t>(std::max(columns, 1));
  std::string text;
  for (const AnalysedRun& base : gate.comparison->baseline) {
    text += sentence(fmt::format("base: {}: {}", base.name, run_text(base.run)), width);
  }
  for (const AnalysedRun& repeat : gate.comparison->repeats) {
    text += sentence(fmt::format("new:  {}: {}", repeat.name, run_text(repeat.run)), width);
  }
  const AnalysedRun& now = *gate.comparison->now;
  text += sentence(fmt::format("new:  {}: {}", now.name, run_text(now.run)), width);
  text += sentence(fmt::format("allowed: {}", gate_limits(gate)), width);
  const std::string detectable = gate_detectable(gate);
  if (!detectable.empty()) text += sentence("smallest change that fails: " + detectable, width);
  Table table = gate_table(gate);
  table.remove_empty();
  if (!table.rows.empty()) text += fmt::format("\n{}\n", text_table(table, width));
  for (const std::string& missing : missing_texts(*gate.comparison))
    text += paragraph("not checked: " + missing, width);
  for (const std::string& result : gate_run_texts(gate)) text += paragraph(result, width);
  for (const std::string& reason : gate.incomparable) text += paragraph(reason, width);
  return text + sentence(gate_verdict(gate), width);
}

}  // namespace rooflinectl
