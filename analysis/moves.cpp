// SPDX-License-Identifier: Apache-2.0
#include "analysis/moves.h"

#include <algorithm>
#include <cmath>

namespace rooflinectl {

namespace {

/// A ratio that goes from 0.01 % to 0.02 % has doubled, and means nothing.
constexpr double kSmallestRatioChange = 0.01;

/// By how much a quantity, never negative, changed up or down: at least 1, infinite from or to zero.
double factor(const CounterMove& move) {
  if (move.from == move.to) return 1;
  return std::max(move.from, move.to) / std::min(move.from, move.to);
}

/// Order: traffic to DRAM, which bounds most reductions, then the largest factor. A factor from or to zero
/// says nothing of how much, so these come last.
bool comes_before(const CounterMove& a, const CounterMove& b) {
  const auto rank = [](const CounterMove& move) {
    return move.name == "DRAM bytes per element" ? 0 : std::isfinite(factor(move)) ? 1 : 2;
  };
  return rank(a) != rank(b) ? rank(a) < rank(b) : factor(a) > factor(b);
}

bool is_notable(const CounterMove& move, double smallest_factor) {
  if (move.is_ratio && std::abs(move.to - move.from) < kSmallestRatioChange) return false;
  return factor(move) >= smallest_factor;
}

}  // namespace

std::vector<CounterMove> counter_moves(const std::vector<DerivedQuantity>& before,
                                       const std::vector<DerivedQuantity>& after,
                                       double smallest_exact_factor) {
  std::vector<CounterMove> moves;
  for (const DerivedQuantity& from : before) {
    const auto to = std::find_if(after.begin(), after.end(),
                                 [&](const DerivedQuantity& quantity) { return quantity.name == from.name; });
    if (to == after.end()) continue;
    CounterMove move = {from.name, from.value, to->value, from.is_ratio};
    if (is_notable(move, from.is_exact ? smallest_exact_factor : kSmallestStepFactor)) {
      moves.push_back(std::move(move));
    }
  }
  std::stable_sort(moves.begin(), moves.end(), comes_before);
  return moves;
}

}  // namespace rooflinectl
