// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rooflinectl {

/// A number of elements as people write it: `2^28`, `32Mi` (also `Ki`, `Gi`: powers of 1024), `1.5M` (also
/// `k`, `K`, `G`: powers of 1000), `1e6`, `1000000`, `0`. Nothing if `text` is none of these, or more than
/// `kMaxElements`.
std::optional<std::uint64_t> parse_elements(std::string_view text);

/// `2^28` for a power of two from 1024 on, else `1000003`: what `parse_elements` reads.
std::string elements_text(std::uint64_t n);

/// More than the memory of any GPU holds, and far from overflowing a number of bytes.
inline constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 40;

/// A percentage, `0.5 %`, as a ratio. Nothing unless it lies between 0 and 100 %, both excluded.
std::optional<double> parse_percentage(std::string_view text);

/// A duration, `2 s`, `500 ms` or `1 min`, in seconds. Nothing unless it lies between 0 (excluded) and an
/// hour.
std::optional<double> parse_duration_s(std::string_view text);

}  // namespace rooflinectl
