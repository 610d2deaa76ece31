// SPDX-License-Identifier: Apache-2.0
//
// The sums of all lanes up to each lane: with its own value (inclusive) or without it (exclusive).
//
// - Ours: five shuffles from 1, 2, 4, 8 and 16 lanes below, an addition after each in the lanes that have one
//   there (Hillis and Steele, Data parallel algorithms, Communications of the ACM 29(12), 1986); exclusive by
//   subtracting the lane's own value.
// - In the loop: that alone, integers modulo their width.
//
// The sums of all threads up to each thread, in a block of 256.
//
// - CUB's two ways: raking (its default: one warp adds up what all have left in shared memory) and by warp
//   scans. The barrier that lets the next scan reuse the memory is part of the loop.
// - In the loop: that alone, integers modulo their width.
// - Ours: none. One with shuffles, and the warps' totals in shared memory, had less than CUB's throughput.
//
// The sums of all elements up to each one, over the whole device, in one pass: each element is read once and
// written once.
//
// - CUB: `cub::DeviceScan`. (D. Merrill, M. Garland, Single-pass parallel prefix scan with decoupled
//   look-back, NVIDIA technical report NVR-2016-002, 2016.)
// - Ours: none. One that followed the same report had 0.6 to 0.7 of CUB's throughput on an H200.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/warp/warp_scan.cuh>

#include "kernels/warp/measured.cuh"

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

namespace rooflinectl::kernels::warp::device_scan {

namespace {

/// CUB's two calls in one: without storage it only returns how many bytes it needs.
template <bool exclusive>
void scan(void* d_storage, std::size_t& bytes, const int* d_input, int* d_output, std::uint64_t n,
          cudaStream_t stream) {
  const auto count = static_cast<int>(n);
  check(exclusive ? cub::DeviceScan::ExclusiveSum(d_storage, bytes, d_input, d_output, count, stream)
                  : cub::DeviceScan::InclusiveSum(d_storage, bytes, d_input, d_output, count, stream),
        "cub::DeviceScan");
}

template <bool exclusive>
std::size_t workspace_bytes(std::uint64_t n) {
  std::size_t bytes = 0;
  scan<exclusive>(nullptr, bytes, nullptr, nullptr, n, nullptr);
  return bytes;
}

template <bool exclusive>
void launch(const int* d_input, int* d_output, std::uint64_t n, void* d_workspace, cudaStream_t stream) {
  std::size_t bytes = workspace_bytes<exclusive>(n);
  scan<exclusive>(d_workspace, bytes, d_input, d_output, n, stream);
}

template <bool exclusive>
void add(std::vector<DevicePrimitive>& list) {
  const std::string kind = exclusive ? "exclusive" : "inclusive";
  DevicePrimitive primitive;
  primitive.info = {.id = "device_scan_" + kind + "_i32_cub",
                    .family = "device_scan",
                    .title = kind + " scan of the device",
                    .by = kCub,
                    .dtype = Dtype::i32,
                    .scope = PrimitiveScope::device,
                    .instructions = {}};
  primitive.is_exclusive = exclusive;
  primitive.workspace_bytes = workspace_bytes<exclusive>;
  primitive.launch = launch<exclusive>;
  list.push_back(primitive);
}

const PrimitiveRegistration registration([] {
  std::vector<DevicePrimitive> list;
  add<false>(list);
  add<true>(list);
  return list;
}());

/// Each prefix follows from the one before: all are right if each does and the first is.
__global__ void count_wrong(const int* d_input, const int* d_output, std::uint64_t n, bool is_exclusive,
                            unsigned long long* d_wrong) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    const unsigned before = i == 0 ? 0 : static_cast<unsigned>(d_output[i - 1]);
    const unsigned step = is_exclusive ? (i == 0 ? 0 : static_cast<unsigned>(d_input[i - 1]))
                                       : static_cast<unsigned>(d_input[i]);
    if (static_cast<unsigned>(d_output[i]) != before + step) atomicAdd(d_wrong, 1ULL);
  }
}

}  // namespace

}  // namespace rooflinectl::kernels::warp::device_scan

namespace rooflinectl::kernels {

void count_wrong_prefixes(const int* d_input, const int* d_output, std::uint64_t n, bool is_exclusive,
                          unsigned long long* d_wrong, cudaStream_t stream) {
  warp::device_scan::count_wrong<<<1024, 256, 0, stream>>>(d_input, d_output, n, is_exclusive, d_wrong);
  check_launch("count_wrong");
}

}  // namespace rooflinectl::kernels
