// SPDX-License-Identifier: Apache-2.0
#include "reports/text/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/stats/statistics.h"

namespace rooflinectl {
namespace {

constexpr std::array<std::string_view, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::string_view block(double value, double low, double high) {
  if (!(high > low)) return kBlocks.front();
  const double level = (value - low) / (high - low) * static_cast<double>(kBlocks.size() - 1);
  return kBlocks.at(static_cast<std::size_t>(std::lround(level)));
}

}  // namespace

std::string sparkline(std::span<const std::optional<double>> values, std::size_t width) {
  std::vector<double> known;
  for (const auto& value : values) {
    if (value) known.push_back(*value);
  }
  if (known.empty()) return std::string(std::min(values.size(), width), ' ');
  const double middle = median(known);
  const double low = *std::min_element(known.begin(), known.end());
  const double largest = *std::max_element(known.begin(), known.end());
  const double high = std::max(largest, low + kLeastSparklineRange * largest);
  const std::size_t blocks = std::min(values.size(), width);
  std::string line;
  for (std::size_t i = 0; i < blocks; ++i) {
    std::optional<double> shown;
    const std::size_t first = i * values.size() / blocks;
    const std::size_t end = (i + 1) * values.size() / blocks;
    for (const auto& value : values.subspan(first, end - first)) {
      if (value && (!shown || std::abs(*value - middle) > std::abs(*shown - middle))) shown = value;
    }
    line += shown ? block(*shown, low, high) : " ";
  }
  return line;
}

}  // namespace rooflinectl
