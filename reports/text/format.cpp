// SPDX-License-Identifier: Apache-2.0
#include "reports/text/format.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rooflinectl::format {
namespace {

struct Prefix {
  double factor;
  std::string_view name;
};

constexpr std::array kLarge = {Prefix{1e15, "P"}, Prefix{1e12, "T"}, Prefix{1e9, "G"},
                               Prefix{1e6, "M"},  Prefix{1e3, "k"},  Prefix{1, ""}};
constexpr std::array kSmall = {Prefix{1, ""}, Prefix{1e-3, "m"}, Prefix{1e-6, "µ"}, Prefix{1e-9, "n"}};

// The largest prefix that leaves at least 1 before the point, after rounding to four digits.
template <std::size_t N>
Prefix prefix_of(double value, const std::array<Prefix, N>& prefixes) {
  constexpr double kRoundsUp = 0.99995;
  const auto found = std::ranges::find_if(
      prefixes, [&](const Prefix& prefix) { return std::abs(value) >= kRoundsUp * prefix.factor; });
  return found == prefixes.end() ? prefixes.back() : *found;
}

template <std::size_t N>
std::string with_unit(double value, const std::array<Prefix, N>& prefixes, std::string_view unit,
                      int digits) {
  const Prefix prefix = prefix_of(value, prefixes);
  return fmt::format("{} {}{}", significant(value / prefix.factor, digits), prefix.name, unit);
}

}  // namespace

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return kUnavailable;
  if (value == 0) return "0";
  const auto magnitude = [](double v) { return static_cast<int>(std::floor(std::log10(std::abs(v)))); };
  const double unit = std::pow(10, magnitude(value) - digits + 1);
  const int decimals = digits - 1 - magnitude(std::round(value / unit) * unit * (1 + 1e-12));
  return fmt::format("{:.{}f}", value, std::max(decimals, 0));
}

std::string bandwidth(double bytes_per_s) {
  return with_unit(bytes_per_s, kLarge, "B/s", 3);
}

std::string gigabytes(double bytes_per_s) {
  return bytes_per_s >= 100e9 ? fmt::format("{:.0f}", bytes_per_s / 1e9) : significant(bytes_per_s / 1e9);
}

std::string rate(double per_s, std::string_view operations) {
  return with_unit(per_s, kLarge, fmt::format("{}/s", operations), 3);
}

std::string amount(double value, std::string_view unit) {
  return with_unit(value, kLarge, unit, 3);
}

std::string rate_tick(double per_s) {
  const Prefix prefix = prefix_of(per_s, kLarge);
  const std::string number = fmt::format("{:g}", per_s / prefix.factor);
  return prefix.name.empty() ? number : fmt::format("{} {}", number, prefix.name);
}

std::string duration(double seconds) {
  return with_unit(seconds, kSmall, "s", 4);
}

std::string saving(double seconds) {
  return seconds > 0 ? duration(seconds) : kUnavailable;
}

std::string energy(double joules) {
  return with_unit(joules, kSmall, "J", 3);
}

std::string power(double watts) {
  return fmt::format("{:.0f} W", watts);
}

std::string tick(double value, double like, std::string_view unit) {
  if (value == 0) return "0";
  const Prefix prefix = like < 1 ? prefix_of(like, kSmall) : prefix_of(like, kLarge);
  return fmt::format("{:g} {}{}", value / prefix.factor, prefix.name, unit);
}

std::string hertz(double hz) {
  return with_unit(hz, kLarge, "Hz", 3);
}

std::string counted(std::size_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  if (names.size() <= most) return joined(names);
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(most);
  return fmt::format("{} and {} more", fmt::join(names.begin(), end, ", "), names.size() - most);
}

std::string percent(double ratio) {
  // Not "0.0 %": something small is not nothing.
  if (ratio > 0 && ratio < 0.0005) return "<0.1 %";
  return fmt::format("{:.1f} %", ratio * 100);
}

std::string whole_percent(double ratio) {
  constexpr double kRounding = 1e-9;
  if (ratio > 0 && ratio < 0.005) return "<1 %";
  if (ratio >= 0.995 && ratio < 1 - kRounding) return ">99 %";  // nearly all is not all
  return fmt::format("{:.0f} %", ratio * 100);
}

std::string change(double ratio) {
  constexpr double kWhole = 1;  // from a factor of two on, tenths of a percent mean nothing
  const double difference = ratio - 1;
  const std::string size = fmt::format("{:.{}f}", std::abs(difference) * 100, difference < kWhole ? 1 : 0);
  const std::string_view sign = size == "0.0" ? "" : difference < 0 ? "−" : "+";
  return fmt::format("{}{} %", sign, size);
}

std::string factor(double ratio) {
  return ratio < 100 ? fmt::format("{:.2f}×", ratio) : fmt::format("{:.0f}×", ratio);
}

std::string speedup(double ratio) {
  const std::string times = factor(ratio < 1 ? 1 / ratio : ratio);
  if (times == "1.00×") return "equally fast";
  return fmt::format("{} {}", times, ratio < 1 ? "slower" : "faster");
}

std::string memory_size(std::uint64_t bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{} {}", unit == 0 ? fmt::format("{}", bytes) : fmt::format("{:.1f}", value),
                     kUnits[unit]);
}

std::string array_size(double bytes) {
  std::string text = memory_size(static_cast<std::uint64_t>(bytes));
  const std::size_t zero = text.find(".0 ");
  return zero == std::string::npos ? text : text.erase(zero, 2);
}

std::string mean_size(double bytes) {
  return bytes < 1024 ? fmt::format("{} B", significant(bytes))
                      : memory_size(static_cast<std::uint64_t>(bytes));
}

std::string precise_size(double bytes) {
  return bytes < 1000 ? fmt::format("{:.0f} B", bytes) : with_unit(bytes, kLarge, "B", 5);
}

std::string utc(std::string_view iso) {
  const bool is_iso = iso.size() >= 17 && iso[10] == 'T' && iso.back() == 'Z';
  return is_iso ? fmt::format("{} {} UTC", iso.substr(0, 10), iso.substr(11, 5)) : std::string(iso);
}

}  // namespace rooflinectl::format
