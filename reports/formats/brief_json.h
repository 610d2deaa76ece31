// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "analysis/analysis.h"
#include "core/json/json.h"
#include "reports/formats/explanation_text.h"

namespace rooflinectl {

/// The least that a brief explanation can be limited to.
inline constexpr std::size_t kSmallestBriefBytes = 800;

/// An explanation for the context of a language model: one line of JSON, at most `bytes` long, which is at
/// least `kSmallestBriefBytes`. After the members of `head`, whose names must be short, come `losses` of the
/// program beside single kernels, then the points: those that failed, then those with most to gain, each with
/// its verdict, the evidence, what to try next and how sure that is. What there is no space for is counted.
std::string brief_json(const Run& run, const Analysis& analysis, const ExplanationSelection& selection,
                       const serial::Json& losses, serial::Json head, std::size_t bytes);

}  // namespace rooflinectl
