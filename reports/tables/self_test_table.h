// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/agreement.h"

/// The self-test in the terminal, and what `summary.md` and the terminal print if it finds a difference.
namespace rooflinectl {

struct SelfTestColumn {
  std::string_view title;
  bool is_number = false;
  std::string (*text)(const Agreement&) = nullptr;
};

/// Known work, quantity, expected and counted values, tolerance, verdict.
std::span<const SelfTestColumn> self_test_columns();

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
