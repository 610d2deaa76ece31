// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reports/compare/comparison_table.h"
#include "reports/compare/gate_reports.h"
#include "reports/compare/gate_table.h"
#include "reports/text/markdown.h"

namespace rooflinectl {

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
