// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/model/run.h"

/// The primitives as the terminal, `summary.md` and the page show them.
namespace rooflinectl {

struct PrimitiveColumn {
  std::string_view title;
  bool is_number = false;
  std::string (*text)(const Run&, const PrimitiveResult&) = nullptr;
};

/// What it is and who implements it, latency, throughput per operation, instruction and element, rates where
/// there are any.
std::span<const PrimitiveColumn> primitive_columns();

/// `latency 24.0 cycles, throughput 2.00 cycles`, or the cause where there is no number.
std::string primitive_text(const PrimitiveResult& result);

/// A sentence for each primitive that failed or gave a wrong result.
std::vector<std::string> primitive_failures(const Run& run);

/// What the columns mean.
inline constexpr std::string_view kPrimitiveExplanation =
    "Latency: cycles from one operation to the next that needs its result. Throughput: SM cycles per "
    "operation with as many independent operations as the SM holds; also per instruction that moves values "
    "between lanes, and per element.";

}  // namespace rooflinectl
