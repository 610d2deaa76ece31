// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "core/model/agreement.h"
#include "core/model/run.h"
#include "reports/text/text_table.h"

namespace rooflinectl {

// The ceilings as the terminal, `summary.md` and the page show them.

/// `DRAM read`, `F32 FMA`, `BF16 tensor` for a ceiling.
std::string ceiling_name(const Ceiling& ceiling);

/// `value` in the unit of `ceiling`: `4.58 TB/s`, `65.0 TFLOP/s`, `33.1 TOP/s` for integers, `3.232 µs`.
std::string ceiling_value(const Ceiling& ceiling, double value);

/// Name, measured and theoretical values, clock, spread, confirmation by counters, and last the method; below
/// it a sentence for each reason to distrust a measured ceiling: `L2 read: not confirmed: …`.
Table ceiling_table(const Run& run, const std::vector<CeilingPair>& pairs);

/// These sentences.
std::vector<std::string> ceiling_findings(const std::vector<CeilingPair>& pairs);

// The primitives as the terminal, `summary.md` and the page show them.

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

// The self-test and the cross-checks of a run for people to read.

/// One of the two kinds. `agreements` points into the run.
struct AgreementSection {
  std::string title;      ///< `Self-test`, `Cross-check with ncu 2025.3.1`
  std::string summary;    ///< `22 agree, 1 differs, 1 unavailable`
  std::string reference;  ///< what the other number is: `known work`, `ncu`
  std::string reason;     ///< why there is nothing to compare; empty if there is
  std::string hint;       ///< what to do
  const std::vector<Agreement>* agreements = nullptr;
};

/// The self-test, if there was one, then the cross-checks.
std::vector<AgreementSection> agreement_sections(const Run& run);

/// A number with its unit, or why there is none: `1.07 GB`, `unavailable: not on this chip`.
std::string ours_text(const Agreement& agreement);
std::string reference_text(const Agreement& agreement);

/// `+0.02 %` of the reference, or in the unit of the numbers where the tolerance is; nothing without both.
std::string difference_text(const Agreement& agreement);

/// `±2 %`, `exact`.
std::string tolerance_text(const Agreement& agreement);

/// For each quantity, how many agree, and the agreement that uses up most of its tolerance; in the order in
/// which the quantities first occur.
Table quantity_table(const std::vector<Agreement>& agreements);

/// A row for each agreement that is shown, the verdict and the note last; `reference` is what the other
/// number is.
Table agreement_table(const std::vector<Agreement>& agreements, const std::string& reference,
                      const std::function<bool(const Agreement&)>& is_shown);

// The self-test in the terminal, and what `summary.md` and the terminal print if it finds a difference.

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
