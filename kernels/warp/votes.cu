// SPDX-License-Identifier: Apache-2.0
//
// Votes: whether any or all lanes vote yes, and which.
//
// - In the loop: a test of the value, the vote, and what turns its result into the next value: an addition
//   after `any` and `all`, nothing after `ballot`, whose mask is the next value.
//
// Match: which lanes hold the same value as this one, or whether all do.
//
// - In the loop: the match alone; the mask that it gives is the next value (for 8-byte types, both halves of
//   it). Lanes that held the same value get the same mask: the number of different values stays the same.
#include <cooperative_groups.h>

#include <bit>

#include "kernels/warp/measured.cuh"

namespace rooflinectl::kernels::warp::votes {

struct Vote : WarpOperation {
  using Value = int;
  static constexpr int kSteps = 32;
  static constexpr int kInstances = 4;
  using WarpOperation::WarpOperation;
};

inline bool is_odd(int value) {
  return (value & 1) != 0;
}

/// Every value is one more if any is odd.
template <bool by_group>
struct Any : Vote {
  using Vote::Vote;
  __device__ int operator()(int value) const {
    namespace cg = cooperative_groups;
    const int odd = value & 1;
    const bool any = by_group ? cg::tiled_partition<32>(cg::this_thread_block()).any(odd) != 0
                              : __any_sync(kFullMask, odd) != 0;
    return any ? value + 1 : value;
  }
  static void reference(std::span<int> lanes) {
    if (!std::any_of(lanes.begin(), lanes.end(), is_odd)) return;
    for (int& value : lanes) value = static_cast<int>(static_cast<unsigned>(value) + 1);
  }
};

/// Every value is one more unless all are odd.
template <bool by_group>
struct All : Vote {
  using Vote::Vote;
  __device__ int operator()(int value) const {
    namespace cg = cooperative_groups;
    const int odd = value & 1;
    const bool all = by_group ? cg::tiled_partition<32>(cg::this_thread_block()).all(odd) != 0
                              : __all_sync(kFullMask, odd) != 0;
    return all ? value : value + 1;
  }
  static void reference(std::span<int> lanes) {
    if (std::all_of(lanes.begin(), lanes.end(), is_odd)) return;
    for (int& value : lanes) value = static_cast<int>(static_cast<unsigned>(value) + 1);
  }
};

/// The mask of the lanes whose own bit is set in their value.
template <bool by_group>
struct Ballot : Vote {
  using Vote::Vote;
  __device__ int operator()(int value) const {
    namespace cg = cooperative_groups;
    const int own = value & static_cast<int>(1U << lane);
    return static_cast<int>(by_group ? cg::tiled_partition<32>(cg::this_thread_block()).ballot(own)
                                     : __ballot_sync(kFullMask, own));
  }
  static void reference(std::span<int> lanes) {
    unsigned mask = 0;
    for (unsigned lane = 0; lane < 32; ++lane) mask |= static_cast<unsigned>(lanes[lane]) & (1U << lane);
    std::fill(lanes.begin(), lanes.end(), std::bit_cast<int>(mask));
  }
};

namespace {

template <typename Op>
LanePrimitive vote(const std::string& name, const char* title, const char* by = "ours") {
  return primitive<Op>({.id = "vote_" + name,
                        .family = "vote",
                        .title = std::string("vote ") + title,
                        .by = by,
                        .instructions = 1});
}

const PrimitiveRegistration registration(std::vector<LanePrimitive>{
    vote<Any<false>>("any", "any"),
    vote<Any<true>>("any_cg", "any", kCooperativeGroups),
    vote<All<false>>("all", "all"),
    vote<All<true>>("all_cg", "all", kCooperativeGroups),
    vote<Ballot<false>>("ballot", "ballot"),
    vote<Ballot<true>>("ballot_cg", "ballot", kCooperativeGroups),
});

}  // namespace

}  // namespace rooflinectl::kernels::warp::votes

namespace rooflinectl::kernels::warp::match {

/// A mask as a value of either width.
template <typename T>
__host__ __device__ T from_mask(unsigned mask) {
  if constexpr (sizeof(T) == 8) return (T{mask} << 32) | mask;
  return mask;
}

/// `groups`: how many different values the lanes hold.
template <typename T, int groups, bool by_group = false>
struct MatchAny : WarpOperation {
  using Value = T;
  static constexpr int kInstances = 4;
  using WarpOperation::WarpOperation;

  __device__ T operator()(T value) const {
    namespace cg = cooperative_groups;
    if constexpr (by_group) {
      return from_mask<T>(cg::tiled_partition<32>(cg::this_thread_block()).match_any(value));
    }
    return from_mask<T>(__match_any_sync(kFullMask, value));
  }

  static T initial(std::size_t thread) { return static_cast<T>(hash(thread % groups)); }

  static void reference(std::span<T> lanes) {
    const std::vector<T> before(lanes.begin(), lanes.end());
    for (T& value : lanes) {
      unsigned mask = 0;
      for (unsigned lane = 0; lane < 32; ++lane) mask |= before[lane] == value ? 1U << lane : 0;
      value = from_mask<T>(mask);
    }
  }
};

template <typename T, bool by_group = false>
struct MatchAll : WarpOperation {
  using Value = T;
  static constexpr int kInstances = 4;
  using WarpOperation::WarpOperation;

  __device__ T operator()(T value) const {
    namespace cg = cooperative_groups;
    int all = 0;
    if constexpr (by_group) {
      return from_mask<T>(cg::tiled_partition<32>(cg::this_thread_block()).match_all(value, all));
    }
    return from_mask<T>(__match_all_sync(kFullMask, value, &all));
  }

  static void reference(std::span<T> lanes) {
    const bool all = std::all_of(lanes.begin(), lanes.end(), [&](T value) { return value == lanes[0]; });
    std::fill(lanes.begin(), lanes.end(), from_mask<T>(all ? kFullMask : 0));
  }
};

namespace {

using Word = unsigned;
using DoubleWord = unsigned long long;

template <typename Op>
LanePrimitive match(const std::string& name, const char* title, Dtype dtype, int instructions = 1,
                    const char* by = "ours") {
  return primitive<Op>({.id = "match_" + name,
                        .family = "match",
                        .title = title,
                        .by = by,
                        .dtype = dtype,
                        .instructions = instructions});
}

const PrimitiveRegistration registration(std::vector<LanePrimitive>{
    match<MatchAny<Word, 1>>("any_i32_1", "match any, all the same", Dtype::i32),
    match<MatchAny<Word, 4>>("any_i32_4", "match any, 4 different", Dtype::i32),
    match<MatchAny<Word, 32>>("any_i32_32", "match any, all different", Dtype::i32),
    match<MatchAny<Word, 32, true>>("any_i32_32_cg", "match any, all different", Dtype::i32, 1,
                                    kCooperativeGroups),
    match<MatchAny<DoubleWord, 32>>("any_i64_32", "match any, all different", Dtype::i64),
    match<MatchAll<Word>>("all_i32", "match all", Dtype::i32),
    match<MatchAll<Word, true>>("all_i32_cg", "match all", Dtype::i32, 1, kCooperativeGroups),
    match<MatchAll<DoubleWord>>("all_i64", "match all", Dtype::i64),
});

}  // namespace

}  // namespace rooflinectl::kernels::warp::match
