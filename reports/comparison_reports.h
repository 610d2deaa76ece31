// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/comparison.h"

/// A comparison as text, Markdown, JSON, page and picture. Each form shows every comparison that it is given
/// (not empty): one for each new run.
namespace rooflinectl {

/// As a terminal shows it, at most `columns` wide.
std::string comparison_text(const Comparison& comparison, int columns);

/// One document; SI units, ratios between 0 and 1.
std::string comparison_json(const std::vector<Comparison>& comparisons);

}  // namespace rooflinectl
