// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "reports/text/table.h"

/// The ceilings as the terminal, `summary.md` and the page show them.
namespace rooflinectl {

/// `DRAM read`, `F32 FMA`, `BF16 tensor` for a ceiling.
std::string ceiling_name(const Ceiling& ceiling);

/// `value` in the unit of `ceiling`: `4.58 TB/s`, `65.0 TFLOP/s`, `33.1 TOP/s` for integers, `3.232 µs`.
std::string ceiling_value(const Ceiling& ceiling, double value);

/// Name, measured and theoretical values, clock, spread, confirmation by counters, and last the method; below
/// it a sentence for each reason to distrust a measured ceiling: `L2 read: not confirmed: …`.
Table ceiling_table(const Run& run, const std::vector<CeilingPair>& pairs);

/// These sentences.
std::vector<std::string> ceiling_findings(const std::vector<CeilingPair>& pairs);

}  // namespace rooflinectl
