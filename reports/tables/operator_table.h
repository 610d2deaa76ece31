// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/program/operators.h"
#include "reports/text/table.h"

/// What reports show about the operators and modules of PyTorch that launched a program's kernels.
namespace rooflinectl {

/// The operator with most of a group's time, and how many others launched it: `aten::copy_ +3`. Unavailable
/// where the trace does not have the group, empty where there is no trace.
std::string operator_text(const RooflinePoint& point);

/// The name of an operator, or a text in its place where something else launched kernels.
std::string operator_name(const std::string& name);

/// How much of the trace and of the run is matched, and what is not: a sentence each.
std::vector<std::string> operator_sentences(const OperatorUse& use);

/// Whether so little is matched that the trace seems to be of another program, or of other sizes.
bool is_foreign(const OperatorUse& use);

/// By the innermost operator: at most `most`, the longest first.
Table operator_table(const OperatorUse& use, std::size_t most);

/// By module: at most `most`, without the operators within them. Empty where the trace has no modules.
Table module_table(const OperatorUse& use, std::size_t most);

}  // namespace rooflinectl
