// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <thread>

namespace rooflinectl::kernels {

namespace {

constexpr std::uint64_t kBlock = 256;

/// The sum of the NaNs and infinities among the elements [begin, end); 0 if there are none.
double sum_of_specials(DataSet data_set, Dtype dtype, std::uint64_t begin, std::uint64_t end) {
  double sum = 0;
  if (!is_special(data_set, 0)) return sum;
  const std::uint64_t first = (begin + kSpecialPeriod - 1) / kSpecialPeriod * kSpecialPeriod;
  for (std::uint64_t i = first; i < end && !std::isnan(sum); i += kSpecialPeriod) {
    sum += element(data_set, dtype, i);
  }
  return sum;
}

/// Calls `work(begin, end)` for equal slices of [begin, end), one per core.
template <typename Work>
void on_all_cores(std::uint64_t begin, std::uint64_t end, const Work& work) {
  const std::uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t slice = (end - begin + cores - 1) / cores;
  std::vector<std::jthread> threads;
  for (std::uint64_t at = begin; at < end; at += slice) {
    threads.emplace_back([&work, at, stop = std::min(at + slice, end)] { work(at, stop); });
  }
}

/// The value that leaves every other value as it is.
Exact no_element(Operation operation, Dtype dtype) {
  const bool least = operation == Operation::minimum;
  if (dtype == Dtype::i32) {
    using Limits = std::numeric_limits<std::int32_t>;
    return least ? Limits::max() : Limits::min();
  }
  if (dtype == Dtype::i64) {
    using Limits = std::numeric_limits<std::int64_t>;
    return static_cast<Exact>(least ? Limits::max() : Limits::min());
  }
  const Exact infinity = std::numeric_limits<Exact>::infinity();
  return least ? infinity : -infinity;
}

}  // namespace

ReferenceSum ReferenceSums::of(DataSet data_set, Dtype dtype, std::uint64_t begin, std::uint64_t end) {
  const Data data(data_set, dtype);
  const Totals before_end = totals_before(data, end);
  const Totals before_begin = totals_before(data, begin);
  const Exact scale = unit(data_set, dtype);
  const Wide sum = before_end.sum - before_begin.sum;
  ReferenceSum reference;
  reference.sum_of_magnitudes = static_cast<Exact>(before_end.magnitude - before_begin.magnitude) * scale;
  if (dtype == Dtype::i32) {
    reference.sum = static_cast<std::int32_t>(sum);
  } else if (dtype == Dtype::i64) {
    reference.sum = static_cast<Exact>(static_cast<std::int64_t>(sum));
  } else {
    reference.sum = static_cast<Exact>(sum) * scale + sum_of_specials(data_set, dtype, begin, end);
  }
  return reference;
}

ReferenceSums::Totals ReferenceSums::totals_before(Data data, std::uint64_t end) {
  std::vector<Totals>& running = running_totals_[data];
  const std::uint64_t blocks = end / kBlock;
  if (running.size() <= blocks) extend(data, running, blocks);
  Totals totals = running[blocks];
  const Totals rest = totals_of(data, blocks * kBlock, end);
  totals.sum += rest.sum;
  totals.magnitude += rest.magnitude;
  return totals;
}

ReferenceSums::Totals ReferenceSums::totals_of(Data data, std::uint64_t begin, std::uint64_t end) {
  // At most 256 numerators of at most 2^54.
  std::int64_t sum = 0;
  std::int64_t magnitude = 0;
  for (std::uint64_t i = begin; i < end; ++i) {
    const std::int64_t value = numerator(data.first, data.second, i);
    sum += value;
    magnitude += std::abs(value);
  }
  return {.sum = sum, .magnitude = magnitude};
}

void ReferenceSums::extend(Data data, std::vector<Totals>& running, std::uint64_t blocks) {
  if (running.empty()) running.emplace_back();
  const std::uint64_t known = running.size() - 1;
  running.resize(blocks + 1);
  on_all_cores(known, blocks, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t block = begin; block < end; ++block) {
      running[block + 1] = totals_of(data, block * kBlock, (block + 1) * kBlock);
    }
  });
  for (std::uint64_t block = known; block < blocks; ++block) {
    running[block + 1].sum += running[block].sum;
    running[block + 1].magnitude += running[block].magnitude;
  }
}

Exact reference_extreme(Operation operation, DataSet data_set, Dtype dtype, std::uint64_t n) {
  const bool least = operation == Operation::minimum;
  const auto worse = [&](Exact a, Exact b) { return least ? a > b : a < b; };
  const Exact none = no_element(operation, dtype);
  Exact extreme = none;
  std::mutex mutex;
  on_all_cores(0, n, [&](std::uint64_t begin, std::uint64_t end) {
    Exact mine = none;
    for (std::uint64_t i = begin; i < end; ++i) {
      const Exact value = is_integer(dtype) ? static_cast<Exact>(integer_element(data_set, dtype, i))
                                            : static_cast<Exact>(element(data_set, dtype, i));
      if (std::isnan(value) || worse(mine, value)) mine = value;
      if (std::isnan(mine)) break;
    }
    const std::lock_guard lock(mutex);
    if (std::isnan(mine) || worse(extreme, mine)) extreme = mine;
  });
  return extreme;
}

std::optional<double> gamma_factor(std::uint64_t longest_chain, Dtype dtype) {
  const double unit_roundoff = accumulator(dtype) == Dtype::f64 ? 0x1p-53 : 0x1p-24;
  const double hu = static_cast<double>(longest_chain) * unit_roundoff;
  if (hu > 0.1) return std::nullopt;
  return hu / (1 - hu);
}

bool is_exact(DataSet data_set, Dtype dtype) {
  return is_integer(dtype) || data_set == DataSet::integers || data_set == DataSet::nan ||
         data_set == DataSet::infinity || data_set == DataSet::negative_zero;
}

}  // namespace rooflinectl::kernels
