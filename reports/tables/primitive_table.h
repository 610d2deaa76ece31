// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/model/run.h"
#include "reports/text/table.h"

/// The primitives as the terminal, `summary.md` and the page show them.
namespace rooflinectl {

/// What it is and who implements it, latency, throughput per operation, instruction and element, rates where
/// there are any; below it a sentence for each primitive that failed or gave a wrong result.
Table primitive_table(const Run& run);

/// `latency 24.0 cycles, throughput 2.00 cycles`, or the cause where there is no number.
std::string primitive_text(const PrimitiveResult& result);

/// What the columns mean.
inline constexpr std::string_view kPrimitiveExplanation =
    "Latency: cycles from one operation to the next that needs its result. Throughput: SM cycles per "
    "operation with as many independent operations as the SM holds; also per instruction that moves values "
    "between lanes, and per element.";

}  // namespace rooflinectl
