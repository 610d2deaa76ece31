// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/model/agreement.h"

namespace rooflinectl {

/// All agreements on one quantity, over many points.
struct QuantitySummary {
  std::string quantity;
  std::size_t agree = 0;
  std::size_t differ = 0;
  std::size_t unavailable = 0;
  /// The one that uses up most of its tolerance; null if all are unavailable.
  const Agreement* worst = nullptr;
};

/// In the order in which the quantities first occur. Points into `agreements`.
std::vector<QuantitySummary> by_quantity(const std::vector<Agreement>& agreements);

/// Headings and cells of the table of quantities.
std::vector<std::string> quantity_headings();
std::vector<std::string> quantity_cells(const QuantitySummary& summary);

/// Headings and cells of the table of single agreements, the verdict and the note last.
std::vector<std::string> agreement_headings(const std::string& reference);
std::vector<std::string> agreement_cells(const Agreement& agreement);

}  // namespace rooflinectl
