// SPDX-License-Identifier: Apache-2.0
//
// The sum over a warp, in every lane.
//
// - Butterfly: five exchanges with the lane whose number differs in one bit, an addition after each.
// - `redux`: one instruction of its own, for 32-bit integers, from compute capability 8.0 on.
// - CUB's warp sum is in one lane: a broadcast follows, which the compiler leaves out after a `redux`.
// - In the loop: that alone. Sums of sums grow: integers modulo their width, floats to infinity.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cub/util_ptx.cuh>
#include <cub/warp/warp_reduce.cuh>

#include "kernels/warp/measured.cuh"

namespace rooflinectl::kernels::warp::all_reduce {

template <typename T>
struct Butterfly : WarpOperation {
  using Value = T;
  using WarpOperation::WarpOperation;

  __device__ T operator()(T value) const {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
      value += __shfl_xor_sync(kFullMask, value, distance);
    }
    return value;
  }

  static void reference(std::span<T> lanes) {
    using Sum = std::conditional_t<std::is_integral_v<T>, unsigned long long, T>;
    Sum sum = 0;
    for (const T value : lanes) sum += static_cast<Sum>(value);
    std::fill(lanes.begin(), lanes.end(), static_cast<T>(sum));
  }
};

struct Redux : Butterfly<int> {
  static constexpr int kSteps = 64;
  static constexpr int kInstances = 4;
  using Butterfly::Butterfly;
  __device__ int operator()(int value) const {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(kFullMask, value);
#else
    return value;
#endif
  }
};

template <typename T>
struct CubAllReduce : Butterfly<T> {
  using Reduce = cub::WarpReduce<T>;
  struct Shared {
    typename Reduce::TempStorage warps[kPrimitiveBlock / 32];
  };
  __device__ explicit CubAllReduce(Shared& memory) : Butterfly<T>(nothing), shared(memory) {}

  __device__ T operator()(T value) {
    const T sum = Reduce(shared.warps[threadIdx.x / 32]).Sum(value);
    return cub::ShuffleIndex<32>(sum, 0, kFullMask);
  }

  NothingShared nothing;
  Shared& shared;
};

template <typename T>
struct GroupAllReduce : Butterfly<T> {
  using Butterfly<T>::Butterfly;
  __device__ T operator()(T value) const {
    namespace cg = cooperative_groups;
    return cg::reduce(cg::tiled_partition<32>(cg::this_thread_block()), value, cg::plus<T>());
  }
};

namespace {

Description description(const std::string& name, const char* title, Dtype dtype, int instructions,
                        const char* by = "ours") {
  return {.id = "all_reduce_" + name,
          .family = "all_reduce",
          .title = title,
          .by = by,
          .dtype = dtype,
          .instructions = instructions};
}

constexpr const char* kTitle = "sum in every lane";

const PrimitiveRegistration registration([] {
  std::vector<LanePrimitive> list;
  list.push_back(primitive<Butterfly<int>>(description("i32", kTitle, Dtype::i32, 5)));
  list.push_back(primitive<Butterfly<float>>(description("f32", kTitle, Dtype::f32, 5)));
  list.push_back(primitive<Butterfly<long long>>(description("i64", kTitle, Dtype::i64, 10)));
  list.push_back(primitive<CubAllReduce<int>>(description("i32_cub", kTitle, Dtype::i32, 1, kCub)));
  list.push_back(primitive<CubAllReduce<float>>(description("f32_cub", kTitle, Dtype::f32, 6, kCub)));
  list.push_back(
      primitive<GroupAllReduce<int>>(description("i32_cg", kTitle, Dtype::i32, 1, kCooperativeGroups)));
  list.push_back(
      primitive<GroupAllReduce<float>>(description("f32_cg", kTitle, Dtype::f32, 5, kCooperativeGroups)));
  list.push_back(primitive<GroupAllReduce<long long>>(
      description("i64_cg", kTitle, Dtype::i64, 10, kCooperativeGroups)));
  Description redux = description("i32_redux", "sum in every lane, redux", Dtype::i32, 1);
  redux.minimum_sm = 80;
  list.push_back(primitive<Redux>(redux));
  return list;
}());

}  // namespace

}  // namespace rooflinectl::kernels::warp::all_reduce
