// SPDX-License-Identifier: Apache-2.0
//
// The four shuffles: every lane gets the value that another one has in a register.
//
// - In the loop: the shuffle alone, or two of them for 8-byte types. Each takes the result of the one before.
// - Widths: the warp is cut into groups of this many lanes, which exchange values among themselves.
// - Partial masks: only some lanes take part, and take their values from one another.
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

namespace rooflinectl::kernels::warp::shuffles {

enum class Direction { down, up, by_xor, from_index };

template <Direction direction, typename T, int width = 32, unsigned mask = kFullMask, int distance = 1>
struct Shuffle : WarpOperation {
  using Value = T;
  static constexpr int kSteps = 64;
  static constexpr int kInstances = 4;
  using WarpOperation::WarpOperation;

  __device__ bool takes_part() const { return ((mask >> lane) & 1) != 0; }

  __device__ T operator()(T value) const {
    if constexpr (direction == Direction::down) return __shfl_down_sync(mask, value, distance, width);
    if constexpr (direction == Direction::up) return __shfl_up_sync(mask, value, distance, width);
    if constexpr (direction == Direction::by_xor) return __shfl_xor_sync(mask, value, distance, width);
    return __shfl_sync(mask, value, static_cast<int>(lane) + distance, width);
  }

  static void reference(std::span<T> lanes) {
    const std::vector<T> before(lanes.begin(), lanes.end());
    for (int lane = 0; lane < 32; ++lane) {
      if (((mask >> lane) & 1) != 0) lanes[lane] = before[source_of(lane)];
    }
  }

  static int source_of(int lane) {
    const int first = lane / width * width;
    const int place = lane % width;
    switch (direction) {
      case Direction::down:
        return place + distance < width ? lane + distance : lane;
      case Direction::up:
        return place >= distance ? lane - distance : lane;
      case Direction::by_xor:
        return lane ^ distance;
      case Direction::from_index:
        return first + (place + distance) % width;
    }
    return lane;
  }
};

/// The same instruction, by way of a group of 32 threads.
template <Direction direction>
struct GroupShuffle : Shuffle<direction, int> {
  using Shuffle<direction, int>::Shuffle;

  __device__ int operator()(int value) const {
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    if constexpr (direction == Direction::down) return warp.shfl_down(value, 1);
    if constexpr (direction == Direction::up) return warp.shfl_up(value, 1);
    if constexpr (direction == Direction::by_xor) return warp.shfl_xor(value, 1);
    return warp.shfl(value, (warp.thread_rank() + 1) % 32);
  }
};

namespace {

constexpr unsigned kLowerHalf = 0x0000ffff;
constexpr unsigned kOddLanes = 0xaaaaaaaa;

const char* name_of(Direction direction) {
  switch (direction) {
    case Direction::down:
      return "down";
    case Direction::up:
      return "up";
    case Direction::by_xor:
      return "xor";
    case Direction::from_index:
      return "idx";
  }
  return "?";
}

template <typename Op>
LanePrimitive shuffle(Direction direction, const std::string& suffix, const std::string& detail,
                      Dtype dtype = Dtype::i32, const char* by = "ours") {
  const std::string name = name_of(direction);
  return primitive<Op>({.id = "shuffle_" + name + suffix,
                        .family = "shuffle",
                        .title = "shuffle " + name + detail,
                        .by = by,
                        .dtype = dtype,
                        .instructions = size_bytes(dtype) == 8 ? 2 : 1});
}

template <Direction direction, int width>
LanePrimitive of_width() {
  const std::string text = std::to_string(width);
  return shuffle<Shuffle<direction, int, width>>(direction, "_i32_width" + text, ", width " + text);
}

template <Direction direction>
void add(std::vector<LanePrimitive>& list) {
  list.push_back(shuffle<Shuffle<direction, int>>(direction, "_i32", ""));
  list.push_back(shuffle<Shuffle<direction, long long>>(direction, "_i64", "", Dtype::i64));
  list.push_back(shuffle<GroupShuffle<direction>>(direction, "_i32_cg", "", Dtype::i32, kCooperativeGroups));
  list.push_back(of_width<direction, 2>());
  list.push_back(of_width<direction, 4>());
  list.push_back(of_width<direction, 8>());
  list.push_back(of_width<direction, 16>());
  // With width 16, so that no lane takes its value from one that does not take part.
  list.push_back(shuffle<Shuffle<direction, int, 16, kLowerHalf>>(direction, "_i32_half", ", lower half"));
}

const PrimitiveRegistration registration([] {
  std::vector<LanePrimitive> list;
  add<Direction::down>(list);
  add<Direction::up>(list);
  add<Direction::by_xor>(list);
  add<Direction::from_index>(list);
  list.push_back(shuffle<Shuffle<Direction::by_xor, int, 32, kOddLanes, 2>>(Direction::by_xor, "_i32_odd",
                                                                            ", odd lanes"));
  return list;
}());

}  // namespace

}  // namespace rooflinectl::kernels::warp::shuffles

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
