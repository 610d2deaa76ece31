// SPDX-License-Identifier: Apache-2.0
//
// The sums of all lanes up to each lane: with its own value (inclusive) or without it (exclusive).
//
// - Ours: five shuffles from 1, 2, 4, 8 and 16 lanes below, an addition after each in the lanes that have one
//   there (Hillis and Steele, Data parallel algorithms, Communications of the ACM 29(12), 1986); exclusive by
//   subtracting the lane's own value.
// - In the loop: that alone, integers modulo their width.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

#include <cub/warp/warp_scan.cuh>

#include "kernels/warp/warp_prefix.cuh"

namespace rooflinectl::kernels::warp::warp_scan {

template <typename T, bool exclusive>
struct WarpScan : WarpOperation {
  using Value = T;
  using WarpOperation::WarpOperation;

  __device__ T operator()(T value) const {
    const T sum = inclusive_prefix(value, lane);
    return exclusive ? sum - value : sum;
  }

  static void reference(std::span<T> lanes) { scan_reference(lanes, exclusive); }
};

template <typename T, bool exclusive>
struct CubWarpScan : WarpScan<T, exclusive> {
  using Scan = cub::WarpScan<T>;
  struct Shared {
    typename Scan::TempStorage warps[kPrimitiveBlock / 32];
  };
  __device__ explicit CubWarpScan(Shared& memory) : WarpScan<T, exclusive>(nothing), shared(memory) {}

  __device__ T operator()(T value) {
    T sum = 0;
    Scan scan(shared.warps[threadIdx.x / 32]);
    if constexpr (exclusive) {
      scan.ExclusiveSum(value, sum);
    } else {
      scan.InclusiveSum(value, sum);
    }
    return sum;
  }

  NothingShared nothing;
  Shared& shared;
};

template <typename T, bool exclusive>
struct GroupWarpScan : WarpScan<T, exclusive> {
  using WarpScan<T, exclusive>::WarpScan;
  __device__ T operator()(T value) const {
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    if constexpr (exclusive) return cg::exclusive_scan(warp, value, cg::plus<T>());
    return cg::inclusive_scan(warp, value, cg::plus<T>());
  }
};

namespace {

template <typename T, bool exclusive>
void add(std::vector<LanePrimitive>& list, Dtype dtype) {
  const std::string kind = exclusive ? "exclusive" : "inclusive";
  const std::string id = "warp_scan_" + kind + "_" + std::string(to_string(dtype));
  const int words = static_cast<int>(sizeof(T) / 4);
  const auto description = [&](const std::string& suffix, const char* by, int instructions) {
    return Description{.id = id + suffix,
                       .family = "warp_scan",
                       .title = kind + " scan of a warp",
                       .by = by,
                       .dtype = dtype,
                       .instructions = instructions};
  };
  list.push_back(primitive<WarpScan<T, exclusive>>(description("", "ours", 5 * words)));
  list.push_back(primitive<CubWarpScan<T, exclusive>>(description("_cub", kCub, 5 * words)));
  list.push_back(primitive<GroupWarpScan<T, exclusive>>(description("_cg", kCooperativeGroups, 5 * words)));
}

const PrimitiveRegistration registration([] {
  std::vector<LanePrimitive> list;
  add<int, false>(list, Dtype::i32);
  add<int, true>(list, Dtype::i32);
  add<long long, false>(list, Dtype::i64);
  add<long long, true>(list, Dtype::i64);
  return list;
}());

}  // namespace

}  // namespace rooflinectl::kernels::warp::warp_scan
