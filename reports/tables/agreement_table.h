// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/model/run.h"
#include "reports/text/table.h"

/// The self-test and the cross-checks of a run for people to read.
namespace rooflinectl {

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

}  // namespace rooflinectl
