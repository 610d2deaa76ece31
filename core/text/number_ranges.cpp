// SPDX-License-Identifier: Apache-2.0
#include "core/text/number_ranges.h"

#include <fmt/format.h>

#include <algorithm>

namespace rooflinectl {

std::string number_ranges(std::vector<int> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (last == first + 1) last = first;  // two do not make a range
    if (!text.empty()) text += ", ";
    text += first == last ? fmt::format("{}", numbers[first])
                          : fmt::format("{}–{}", numbers[first], numbers[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace rooflinectl
