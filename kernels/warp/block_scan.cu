// SPDX-License-Identifier: Apache-2.0
//
// The sums of all threads up to each thread, in a block of 256.
//
// - CUB's two ways: raking (its default: one warp adds up what all have left in shared memory) and by warp
//   scans. The barrier that lets the next scan reuse the memory is part of the loop.
// - In the loop: that alone, integers modulo their width.
// - Ours: none. One with shuffles, and the warps' totals in shared memory, had less than CUB's throughput.
#include <cub/block/block_scan.cuh>

#include "kernels/warp/warp_prefix.cuh"

namespace rooflinectl::kernels::warp::block_scan {

template <bool exclusive, cub::BlockScanAlgorithm algorithm>
struct CubBlockScan : BlockOperation {
  using Value = int;
  using Scan = cub::BlockScan<int, kPrimitiveBlock, algorithm>;
  using Shared = typename Scan::TempStorage;
  __device__ explicit CubBlockScan(Shared& memory) : BlockOperation(nothing), shared(memory) {}

  __device__ int operator()(int value) {
    int sum = 0;
    if constexpr (exclusive) {
      Scan(shared).ExclusiveSum(value, sum);
    } else {
      Scan(shared).InclusiveSum(value, sum);
    }
    __syncthreads();
    return sum;
  }

  static void reference(std::span<int> threads) { scan_reference(threads, exclusive); }

  NothingShared nothing;
  Shared& shared;
};

namespace {

template <bool exclusive>
void add(std::vector<LanePrimitive>& list) {
  const std::string kind = exclusive ? "exclusive" : "inclusive";
  const auto description = [&](const std::string& suffix, const char* way) {
    return Description{.id = "block_scan_" + kind + "_i32" + suffix,
                       .family = "block_scan",
                       .title = kind + " scan of a block" + way,
                       .by = kCub};
  };
  list.push_back(primitive<CubBlockScan<exclusive, cub::BLOCK_SCAN_WARP_SCANS>>(description("_cub", "")));
  list.push_back(
      primitive<CubBlockScan<exclusive, cub::BLOCK_SCAN_RAKING>>(description("_cub_raking", ", raking")));
}

const PrimitiveRegistration registration([] {
  std::vector<LanePrimitive> list;
  add<false>(list);
  add<true>(list);
  return list;
}());

}  // namespace

}  // namespace rooflinectl::kernels::warp::block_scan
