// SPDX-License-Identifier: Apache-2.0
//
// Votes: whether any or all lanes vote yes, and which.
//
// - In the loop: a test of the value, the vote, and what turns its result into the next value: an addition
//   after `any` and `all`, nothing after `ballot`, whose mask is the next value.
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
