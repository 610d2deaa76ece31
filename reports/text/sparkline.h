// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace rooflinectl {

/// A sparkline's height stands for at least this part of its largest value, so that noise stays flat.
inline constexpr double kLeastSparklineRange = 0.1;

/// `▁▁▅▁▂▁█`: a block for each value, the lowest for the smallest, a space where there is no value. Where
/// there are more values than `width`, each block covers several of them, and shows the one that is farthest
/// from the median of all.
std::string sparkline(std::span<const std::optional<double>> values, std::size_t width);

}  // namespace rooflinectl
