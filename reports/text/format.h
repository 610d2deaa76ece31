// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// How numbers look where a person reads them. Decimal prefixes: 1 GB/s is 1e9 bytes per second.
namespace rooflinectl::format {

/// What stands for a number that is not there.
inline const std::string kUnavailable = "–";

/// What floating-point and integer operations are counted in.
inline constexpr std::string_view kFlops = "FLOP";
inline constexpr std::string_view kOps = "OP";

/// `value` with this many significant digits and no exponent: `0.125`, `4.58`, `726`.
std::string significant(double value, int digits = 3);

std::string bandwidth(double bytes_per_s);                    ///< `4.58 TB/s`
std::string gigabytes(double bytes_per_s);                    ///< `4579`, for a column headed GB/s
std::string rate(double per_s, std::string_view operations);  ///< `65.0 TOP/s` for `kOps`
/// `1.07 GB`
std::string amount(double value, std::string_view unit);
std::string rate_tick(double per_s);   ///< `10 G`, on an axis that names its unit
std::string duration(double seconds);  ///< `238.5 µs`
std::string saving(double seconds);    ///< a duration, or `kUnavailable` if there is nothing to save
std::string energy(double joules);     ///< `123 mJ`
std::string power(double watts);       ///< `484 W`
/// `value` on an axis, with the prefix that suits `like`: `0.5 GFLOP/J`, `200 mJ`, `0`.
std::string tick(double value, double like, std::string_view unit);
std::string hertz(double hz);                                    ///< `1.98 GHz`
std::string counted(std::size_t number, std::string_view what);  ///< `1 point`, `2 points`
std::string percent(double ratio);                               ///< `97.2 %`, `<0.1 %`
std::string whole_percent(double ratio);                         ///< `97 %`, `<1 %`, `>99 %`
std::string change(double ratio);                                ///< `+4.3 %` for 1.043, `−0.2 %` for 0.998
std::string factor(double ratio);                                ///< `1.03×`
std::string speedup(double ratio);                               ///< `1.62× faster`, `4.20× slower`

/// What `show` makes of each of `items`.
template <typename Items, typename Show>
std::vector<std::string> each(const Items& items, Show show) {
  std::vector<std::string> texts;
  for (const auto& item : items) texts.emplace_back(std::invoke(show, item));
  return texts;
}

/// `a, b, c`
template <typename Items>
std::string joined(const Items& items, std::string_view separator = ", ") {
  return fmt::format("{}", fmt::join(items, separator));
}

/// The same for what `show` makes of each of `items`.
template <typename Items, typename Show>
std::string joined(const Items& items, std::string_view separator, Show show) {
  return joined(each(items, show), separator);
}

/// `a, b and 3 more`: at most `most` of the names, of which there may be thousands.
std::string listed(const std::vector<std::string>& names, std::size_t most);

// Sizes: of memory and of arrays, which are powers of two or nearly so, with binary prefixes.
std::string memory_size(std::uint64_t bytes);  ///< `50.0 MiB`, `512 B`
std::string array_size(double bytes);          ///< `2 MiB`, `1.5 MiB`: the same without a decimal that is 0
std::string mean_size(double bytes);           ///< `50.0 MiB`, `4.58 B`: the same, with parts of a byte
/// `600.10 MB`, `512 B`: with decimal prefixes, in full below 1 kB. Five digits tell apart sizes that differ
/// little, as those of gradient buckets do.
std::string precise_size(double bytes);

/// `2026-11-21 09:30 UTC` from ISO 8601; other text unchanged.
std::string utc(std::string_view iso);

/// `show(value)`, or `kUnavailable`.
template <typename Show>
std::string optional(const std::optional<double>& value, Show show) {
  return value ? show(*value) : kUnavailable;
}

}  // namespace rooflinectl::format
