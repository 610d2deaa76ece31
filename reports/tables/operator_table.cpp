// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/text/kernel_name.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

constexpr std::size_t kMostNames = 3;
/// If less than this part of either is matched, the trace is of something else.
constexpr double kForeign = 0.5;

std::string missing_sentence(const OperatorUse& use) {
  std::vector<std::string> names;
  double share = 0;
  for (const RooflinePoint* group : use.missing) {
    names.push_back(fmt::format("{} ({})", group->label, format::percent(group->launches->share)));
    share += group->launches->share;
  }
  return fmt::format("Not in PyTorch's trace: {} of GPU time, {}.", format::percent(share),
                     format::listed(names, kMostNames));
}

std::string unknown_sentence(const OperatorUse& use) {
  const auto names = format::each(use.unknown, [](const UnknownKernel& kernel) {
    return fmt::format("{} ({}, {})", short_kernel_name(kernel.name),
                       format::counted(kernel.launches, "launch"), format::percent(kernel.share));
  });
  return fmt::format(
      "Only in PyTorch's trace, or with different launch configurations there: {} of its kernels' time, {}.",
      format::percent(1 - use.matched_trace_share), format::listed(names, kMostNames));
}

}  // namespace

std::string operator_name(const std::string& name) {
  return name.empty() ? "no operator" : name;
}

std::string operator_text(const RooflinePoint& point) {
  if (!point.launches || point.launches->operators == nullptr) return {};
  const std::vector<OperatorShare>& operators = point.launches->operators->operators;
  if (operators.empty()) return format::kUnavailable;
  const std::string first = operator_name(operators.front().name);
  return operators.size() == 1 ? first : fmt::format("{} +{}", first, operators.size() - 1);
}

bool is_foreign(const OperatorUse& use) {
  return use.matched_share < kForeign || use.matched_trace_share < kForeign;
}

std::vector<std::string> operator_sentences(const OperatorUse& use) {
  std::vector<std::string> texts = {fmt::format(
      "Matched with PyTorch's trace: {} of GPU time, {} of its {} kernel launches (by name, grid, block, "
      "shared memory). It comes from a different run, so each group's time is divided among operators and "
      "modules as in the trace: an estimate.",
      format::percent(use.matched_share), use.matched, use.launches)};
  if (is_foreign(use)) {
    texts.push_back(
        "Too little matches: the trace may be from a different program, from part of this one, or with "
        "different sizes.");
  }
  if (use.shared_share > 0) {
    texts.push_back(fmt::format(
        "{} of GPU time is in groups that differ only in what the trace does not have, such as their NVTX "
        "range: they have the same operators.",
        format::percent(use.shared_share)));
  }
  if (!use.missing.empty()) texts.push_back(missing_sentence(use));
  if (!use.unknown.empty()) texts.push_back(unknown_sentence(use));
  return texts;
}

Table operator_table(const OperatorUse& use, std::size_t most) {
  Table table = use_table("PyTorch operators", "operator", use.operators, most);
  for (auto& row : table.rows) row.front() = operator_name(row.front());
  return table;
}

Table module_table(const OperatorUse& use, std::size_t most) {
  return use_table("PyTorch modules", "module", use.modules, most);
}

}  // namespace rooflinectl
