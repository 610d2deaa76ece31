// SPDX-License-Identifier: Apache-2.0
//
// One thread's value to all others.
//
// - In a warp a shuffle from one lane. In a block, which no shuffle spans, the value goes through shared
//   memory, with one barrier per broadcast: two places take turns, so that nothing is overwritten that others
//   still read.
// - In the loop: that, and an addition of the thread's number to its value before. Without it the compiler
//   finds that all threads already hold the same value, and leaves out the next broadcast.
#include <cooperative_groups.h>

#include <cub/util_ptx.cuh>

#include "kernels/warp/measured.cuh"

namespace rooflinectl::kernels::warp::broadcast {

template <typename T>
struct WarpBroadcast : WarpOperation {
  using Value = T;
  static constexpr int kSteps = 64;
  static constexpr int kInstances = 4;
  static constexpr int kSource = 5;
  using WarpOperation::WarpOperation;

  __device__ T operator()(T value) const { return __shfl_sync(kFullMask, value + lane, kSource); }

  static void reference(std::span<T> lanes) {
    std::fill(lanes.begin(), lanes.end(),
              static_cast<T>(static_cast<unsigned long long>(lanes[kSource]) + kSource));
  }
};

struct CubBroadcast : WarpBroadcast<int> {
  using WarpBroadcast::WarpBroadcast;
  __device__ int operator()(int value) const {
    return cub::ShuffleIndex<32>(value + static_cast<int>(lane), kSource, kFullMask);
  }
};

struct GroupBroadcast : WarpBroadcast<int> {
  using WarpBroadcast::WarpBroadcast;
  __device__ int operator()(int value) const {
    namespace cg = cooperative_groups;
    return cg::tiled_partition<32>(cg::this_thread_block()).shfl(value + static_cast<int>(lane), kSource);
  }
};

struct BlockBroadcast : BlockOperation {
  using Value = int;
  struct Shared {
    int place[2];
  };
  static constexpr unsigned kSource = 77;
  __device__ explicit BlockBroadcast(Shared& memory) : BlockOperation(nothing), shared(memory) {}

  __device__ int operator()(int value) {
    if (threadIdx.x == kSource) shared.place[turn] = value + kSource;
    __syncthreads();
    const int result = shared.place[turn];
    turn ^= 1;
    return result;
  }

  static void reference(std::span<int> threads) {
    std::fill(threads.begin(), threads.end(),
              static_cast<int>(static_cast<unsigned>(threads[kSource]) + kSource));
  }

  NothingShared nothing;
  Shared& shared;
  int turn = 0;
};

namespace {

Description description(const std::string& id, const char* title, Dtype dtype = Dtype::i32,
                        const char* by = "ours") {
  return {.id = id,
          .family = "broadcast",
          .title = title,
          .by = by,
          .dtype = dtype,
          .instructions = size_bytes(dtype) == 8 ? 2 : 1};
}

const PrimitiveRegistration registration([] {
  std::vector<LanePrimitive> list;
  list.push_back(primitive<WarpBroadcast<int>>(description("broadcast_warp_i32", "broadcast in a warp")));
  list.push_back(primitive<WarpBroadcast<long long>>(
      description("broadcast_warp_i64", "broadcast in a warp", Dtype::i64)));
  list.push_back(primitive<CubBroadcast>(
      description("broadcast_warp_i32_cub", "broadcast in a warp", Dtype::i32, kCub)));
  list.push_back(primitive<GroupBroadcast>(
      description("broadcast_warp_i32_cg", "broadcast in a warp", Dtype::i32, kCooperativeGroups)));
  Description block = description("broadcast_block_i32", "broadcast in a block");
  block.instructions.reset();  // one warp stores
  list.push_back(primitive<BlockBroadcast>(block));
  return list;
}());

}  // namespace

}  // namespace rooflinectl::kernels::warp::broadcast
