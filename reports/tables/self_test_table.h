// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/agreement.h"
#include "reports/text/table.h"

/// The self-test in the terminal, and what `summary.md` and the terminal print if it finds a difference.
namespace rooflinectl {

/// Known work, quantity, expected and counted values, tolerance, verdict.
Table self_test_table(const SelfTest& self_test);

/// `33 of 33 numbers agree with known work`, `nothing was tested: …`.
std::string self_test_verdict(const SelfTest& self_test);

/// What follows where there is a finding.
inline constexpr std::string_view kSuspectCounters =
    "Counters differ from known work: the results listed here are suspect.";

/// A sentence for each number that differs, naming what that makes suspect.
std::vector<std::string> self_test_findings(const SelfTest& self_test);

/// The figures in reports that come from a counter, or from a quantity made of counters.
std::string_view shown_figures(std::string_view quantity);

}  // namespace rooflinectl
