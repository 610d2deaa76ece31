// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "reports/compare/comparison_reports.h"
#include "reports/compare/gate_table.h"
#include "reports/text/markdown.h"
#include "reports/text/text_table.h"

namespace rooflinectl {

std::string gate_text(const Gate& gate, int columns) {
  const auto width = static_cast<std::size_t>(std::max(columns, 1));
  std::string text;
  for (const AnalysedRun& base : gate.comparison->baseline) {
    text += side_text("base:", base, width);
  }
  for (const AnalysedRun& repeat : gate.comparison->repeats) {
    text += side_text("new:", repeat, width);
  }
  text += side_text("new:", *gate.comparison->now, width);
  text += paragraph(fmt::format("allowed: {}", gate_limits(gate)), width);
  const std::string detectable = gate_detectable(gate);
  if (!detectable.empty()) text += paragraph("smallest change that fails: " + detectable, width);
  Table table = gate_table(gate);
  table.remove_empty();
  if (!table.rows.empty()) text += fmt::format("\n{}\n", text_table(table, width));
  for (const std::string& missing : missing_texts(*gate.comparison))
    text += paragraph("not checked: " + missing, width);
  for (const std::string& result : gate_run_texts(gate)) text += paragraph(result, width);
  for (const std::string& reason : gate.incomparable) text += paragraph(reason, width);
  return text + paragraph(gate_verdict(gate), width);
}

std::string gate_md(const Gate& gate) {
  std::string text = fmt::format("# Roofline gate: {}\n\n", markdown::escaped(gate_verdict(gate)));
  for (const std::string& missing : missing_texts(*gate.comparison))
    text += fmt::format("- not checked: {}\n", markdown::escaped(missing));
  for (const std::string& result : gate_run_texts(gate))
    text += fmt::format("- {}\n", markdown::escaped(result));
  for (const std::string& reason : gate.incomparable)
    text += fmt::format("- {}\n", markdown::escaped(reason));
  const Table table = gate_table(gate);
  if (!table.rows.empty()) text += "\n" + markdown::table(table);
  text += fmt::format("\nAllowed: {}.\n", gate_limits(gate));
  const std::string detectable = gate_detectable(gate);
  if (!detectable.empty()) {
    text += fmt::format("\nSmallest change that fails: {}.\n", markdown::escaped(detectable));
  }
  text += "\n";
  for (const AnalysedRun& base : gate.comparison->baseline) {
    text +=
        fmt::format("- base: {}: {}\n", markdown::escaped(base.name), markdown::escaped(run_text(base.run)));
  }
  const auto new_run = [](const AnalysedRun& run) {
    return fmt::format("- new: {}: {}\n", markdown::escaped(run.name), markdown::escaped(run_text(run.run)));
  };
  for (const AnalysedRun& repeat : gate.comparison->repeats) text += new_run(repeat);
  return text + new_run(*gate.comparison->now);
}

}  // namespace rooflinectl
