// SPDX-License-Identifier: Apache-2.0
//
// The four shuffles: every lane gets the value that another one has in a register.
//
// - In the loop: the shuffle alone, or two of them for 8-byte types. Each takes the result of the one before.
// - Widths: the warp is cut into groups of this many lanes, which exchange values among themselves.
// - Partial masks: only some lanes take part, and take their values from one another.
#include <cooperative_groups.h>

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
