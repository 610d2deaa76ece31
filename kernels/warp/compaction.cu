// SPDX-License-Identifier: Apache-2.0
//
// Compaction: the odd values of a warp move to its first lanes, in order, the others behind them.
//
// - The place of a value is the number of odd ones before it: from a ballot and a count of bits, or, without
//   votes, from a scan. Cooperative groups: `binary_partition` and the rank in the group that it makes.
// - The values change lanes through shared memory, in the same way for all.
// - In the loop: that, and a rotation of the value by one bit, so that the next compaction sees other odd
//   ones.
#include <cooperative_groups.h>

#include <bit>

#include "kernels/warp/measured.cuh"

namespace rooflinectl::kernels::warp::compaction {

struct Compaction : WarpOperation {
  using Value = int;
  struct Shared {
    int place[kPrimitiveBlock];
  };
  __device__ explicit Compaction(Shared& memory)
      : WarpOperation(nothing), places(memory.place + threadIdx.x / 32 * 32) {}

  /// The value that `place` brings to this lane, rotated.
  __device__ int moved(int value, unsigned place) const {
    places[place] = value;
    __syncwarp();
    const unsigned received = static_cast<unsigned>(places[lane]);
    __syncwarp();
    return static_cast<int>(__funnelshift_r(received, received, 1));
  }

  static void reference(std::span<int> lanes) {
    std::stable_partition(lanes.begin(), lanes.end(), [](int value) { return (value & 1) != 0; });
    for (int& value : lanes) value = std::bit_cast<int>(std::rotr(std::bit_cast<unsigned>(value), 1));
  }

  NothingShared nothing;
  int* places;
};

struct BallotCompaction : Compaction {
  using Compaction::Compaction;
  __device__ int operator()(int value) const {
    const bool is_kept = (value & 1) != 0;
    const unsigned kept = __ballot_sync(kFullMask, is_kept);
    const unsigned before = (1U << lane) - 1;
    const unsigned kept_before = __popc(kept & before);
    return moved(value, is_kept ? kept_before : __popc(kept) + lane - kept_before);
  }
};

struct ScanCompaction : Compaction {
  using Compaction::Compaction;
  __device__ int operator()(int value) const {
    const unsigned is_kept = value & 1;
    const unsigned kept_so_far = inclusive_prefix(is_kept, lane);
    const unsigned kept = __shfl_sync(kFullMask, kept_so_far, 31);
    const unsigned kept_before = kept_so_far - is_kept;
    return moved(value, is_kept != 0 ? kept_before : kept + lane - kept_before);
  }
};

struct GroupCompaction : Compaction {
  using Compaction::Compaction;
  __device__ int operator()(int value) const {
    namespace cg = cooperative_groups;
    const bool is_kept = (value & 1) != 0;
    const auto same = cg::binary_partition(cg::tiled_partition<32>(cg::this_thread_block()), is_kept);
    const unsigned rank = same.thread_rank();
    return moved(value, is_kept ? rank : 32 - static_cast<unsigned>(same.size()) + rank);
  }
};

namespace {

template <typename Op>
LanePrimitive compaction(const std::string& name, const char* title, int instructions,
                         const char* by = "ours") {
  return primitive<Op>({.id = "compaction_" + name,
                        .family = "compaction",
                        .title = title,
                        .by = by,
                        .instructions = instructions});
}

const PrimitiveRegistration registration(std::vector<LanePrimitive>{
    compaction<BallotCompaction>("ballot", "compaction by ballot", 3),
    compaction<ScanCompaction>("scan", "compaction by scan", 8),
    compaction<GroupCompaction>("ballot_cg", "compaction by ballot", 3, kCooperativeGroups),
});

}  // namespace

}  // namespace rooflinectl::kernels::warp::compaction
