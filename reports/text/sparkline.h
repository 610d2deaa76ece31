// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace rooflinectl {

/// A sparkline is as high as this part of its largest value at least, so that noise stays flat.
inline constexpr double kLeastSparklineRange = 0.1;

/// `▁▁▅▁▂▁█`: a block for each value, a space where there is none, the smallest the lowest. Of more values
/// than `width`, each block stands for several of them: for the one that is farthest from the median of all.
std::string sparkline(std::span<const std::optional<double>> values, std::size_t width);

}  // namespace rooflinectl
