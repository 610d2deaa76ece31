// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace rooflinectl {

/// After how many launches the times of a program's kernel repeat, which tells how they have to be sampled.
///
/// `times_s`: of its launches, in their order. Returns 1 if all are alike, p if each is like the one p before
/// it, and 0 if neither holds for any p up to `longest`, if less than three periods are there, or if times
/// change slowly: the means of both halves differ by more than 10 %. Alike are times whose mean absolute
/// difference, less the timer's resolution, is at most 10 % of their mean; the period is the shortest one
/// that fits nearly as well as the best.
std::size_t period_of(std::span<const double> times_s, std::size_t longest);

/// Periods above this are not looked for.
inline constexpr std::size_t kLongestPeriod = 128;

}  // namespace rooflinectl
