// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/data.h"

/// What a reduction must come to, and how far a float sum may be from it.
namespace rooflinectl::kernels {

/// Holds every result of every type exactly: its significand has at least 64 bits.
using Exact = long double;
static_assert(std::numeric_limits<Exact>::digits >= 64);

/// The sum of a range of elements. Added up exactly in 128-bit integers and rounded once; NaN or infinite
/// where IEEE 754 makes the sum of those elements so in any order. For integers: the value of the
/// accumulator, which wraps round at its width.
struct ReferenceSum {
  Exact sum = 0;
  Exact sum_of_magnitudes = 0;  ///< Σ|x| over the finite elements
};

/// Reference sums from the definition of the data, never from a buffer and never in a kernel's own type. The
/// first question about a data set computes it up to the range's end on all cores (2^28 elements: about 30 ms
/// on 16 cores) and keeps one running total per 256 elements; later ones are answered from those. Not for use
/// from several threads.
class ReferenceSums {
 public:
  /// The sum of the elements [begin, end) of a data set.
  ReferenceSum of(DataSet data_set, Dtype dtype, std::uint64_t begin, std::uint64_t end);

 private:
  __extension__ typedef __int128 Wide;

  /// Over the unit of the data set.
  struct Totals {
    Wide sum = 0;
    Wide magnitude = 0;
  };
  using Data = std::pair<DataSet, Dtype>;

  /// Of the elements [0, end).
  Totals totals_before(Data data, std::uint64_t end);
  static Totals totals_of(Data data, std::uint64_t begin, std::uint64_t end);
  static void extend(Data data, std::vector<Totals>& running, std::uint64_t blocks);

  /// Entry k: the totals of the first 256·k elements.
  std::map<Data, std::vector<Totals>> running_totals_;
};

/// The least (`Operation::minimum`) or greatest of the first `n` elements: NaN if there is one among them;
/// for no elements, the value that leaves every other value as it is.
Exact reference_extreme(Operation operation, DataSet data_set, Dtype dtype, std::uint64_t n);

/// γ_h = h·u / (1 − h·u) with u = 2^-53 for f64 and 2^-24 for f32, in which the 16-bit floats are added up
/// too: a float sum in which no element passes through more than h additions is off by at most γ_h·Σ|x|, in
/// whatever order (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 4.2). Nothing
/// where h·u exceeds 0.1 and the bound is too weak: then only exact data verify.
std::optional<double> gamma_factor(std::uint64_t longest_chain, Dtype dtype);

/// Whether the sum must be exact, whatever the chain: always for integers, which wrap round; for floats where
/// every partial sum is exact as long as it stays below 2^24, as it does in practice for zero-mean integers.
bool is_exact(DataSet data_set, Dtype dtype);

}  // namespace rooflinectl::kernels
