// SPDX-License-Identifier: Apache-2.0
//
// The sums of all elements up to each one, over the whole device, in one pass: each element is read once and
// written once.
//
// - Ours: blocks take tiles in order, by a ticket. A block adds up its tile and publishes the sum; one warp
//   then looks back over the tiles before it, 32 at a time, until one has published the sum of all up to it;
//   the block publishes its own such sum and writes its tile. (D. Merrill, M. Garland, Single-pass parallel
//   prefix scan with decoupled look-back, NVIDIA technical report NVR-2016-002, 2016.) Word and flag are one
//   64-bit word, so no fence is needed; the number of the launch is part of the flag, so nothing has to be
//   reset.
// - Launch shape: 256 threads, 16 elements each, loaded as 16-byte vectors in rows of a warp; one block per
//   tile.
// - CUB: `cub::DeviceScan`.
#include <cub/device/device_scan.cuh>

#include "kernels/warp/warp_prefix.cuh"

namespace rooflinectl::kernels::warp {

namespace {

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;
constexpr int kRows = 4;         // vectors per thread
constexpr unsigned kVector = 4;  // elements per vector
constexpr std::uint64_t kRowElements = 32 * kVector;
constexpr std::uint64_t kTile = kBlock * kRows * kVector;

/// What blocks say to each other. All zeros before the first launch.
struct Exchange {
  unsigned ticket;    // the next tile
  unsigned finished;  // blocks of this launch that have ended
  unsigned launches;  // before this one
  unsigned padding;
  unsigned long long tiles[];  // (2 · (launch + 1) + is_prefix) << 32 | sum
};

std::uint64_t tiles_of(std::uint64_t n) {
  return (n + kTile - 1) / kTile;
}

__device__ void publish(unsigned long long* d_tile, unsigned launch, bool is_prefix, int sum) {
  const unsigned flag = 2 * (launch + 1) + (is_prefix ? 1 : 0);
  const unsigned long long word = (static_cast<unsigned long long>(flag) << 32) | static_cast<unsigned>(sum);
  asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(d_tile), "l"(word) : "memory");
}

__device__ unsigned long long look(const unsigned long long* d_tile) {
  unsigned long long word = 0;
  asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(word) : "l"(d_tile) : "memory");
  return word;
}

/// The sum of all tiles before `tile` (> 0), in every lane of a warp.
__device__ int sum_before(const unsigned long long* d_tiles, unsigned tile, unsigned launch, unsigned lane) {
  const unsigned is_sum = 2 * (launch + 1);
  const unsigned is_prefix = is_sum + 1;
  int sum = 0;
  for (long long last = static_cast<long long>(tile) - 1;; last -= 32) {
    const long long mine = last - lane;
    // Before the first tile there is nothing: the sum up to there is known.
    unsigned long long word = static_cast<unsigned long long>(is_prefix) << 32;
    if (mine >= 0) {
      do {
        word = look(d_tiles + mine);
      } while ((word >> 32) < is_sum);
    }
    const unsigned ends = __ballot_sync(kFullMask, (word >> 32) == is_prefix);
    const unsigned nearest = ends == 0 ? 31 : __ffs(static_cast<int>(ends)) - 1;
    int part = lane <= nearest ? static_cast<int>(word) : 0;
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) part += __shfl_xor_sync(kFullMask, part, distance);
    sum += part;
    if (ends != 0) return sum;
  }
}

__device__ int4 load(const int* d_input, std::uint64_t first, std::uint64_t n) {
  if (first + kVector <= n) return *reinterpret_cast<const int4*>(d_input + first);
  int4 values = {0, 0, 0, 0};
  if (first < n) values.x = d_input[first];
  if (first + 1 < n) values.y = d_input[first + 1];
  if (first + 2 < n) values.z = d_input[first + 2];
  return values;
}

__device__ void store(int* d_output, std::uint64_t first, std::uint64_t n, const int4& values) {
  if (first + kVector <= n) {
    *reinterpret_cast<int4*>(d_output + first) = values;
    return;
  }
  if (first < n) d_output[first] = values.x;
  if (first + 1 < n) d_output[first + 1] = values.y;
  if (first + 2 < n) d_output[first + 2] = values.z;
}

template <bool exclusive>
__global__ void __launch_bounds__(kBlock)
    device_scan(const int* d_input, int* d_output, std::uint64_t n, Exchange* d_exchange) {
  __shared__ unsigned shared_tile;
  __shared__ unsigned shared_launch;
  __shared__ int shared_totals[kWarps];
  __shared__ int shared_before;
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    shared_launch = *const_cast<volatile unsigned*>(&d_exchange->launches);
    shared_tile = atomicAdd(&d_exchange->ticket, 1);
  }
  __syncthreads();
  const unsigned tile = shared_tile;
  const unsigned launch = shared_launch;

  // A warp has kRows rows of 32 vectors: the scan of each row, then of their sums.
  const std::uint64_t warp_first = tile * kTile + warp * kRows * kRowElements;
  int4 rows[kRows];
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    rows[row] = load(d_input, warp_first + row * kRowElements + lane * kVector, n);
  }
  int before[kRows];  // each vector of this lane
  int warp_total = 0;
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    const int own = rows[row].x + rows[row].y + rows[row].z + rows[row].w;
    const int prefix = inclusive_prefix(own, lane);
    before[row] = warp_total + prefix - own;
    warp_total += __shfl_sync(kFullMask, prefix, 31);
  }
  if (lane == 0) shared_totals[warp] = warp_total;
  __syncthreads();

  int warp_before = 0;
  int total = 0;
#pragma unroll
  for (unsigned other = 0; other < kWarps; ++other) {
    const int other_total = shared_totals[other];
    warp_before += other < warp ? other_total : 0;
    total += other_total;
  }
  if (warp == 0) {
    int tiles_before = 0;
    if (tile > 0) {
      if (lane == 0) publish(d_exchange->tiles + tile, launch, false, total);
      tiles_before = sum_before(d_exchange->tiles, tile, launch, lane);
    }
    if (lane == 0) {
      publish(d_exchange->tiles + tile, launch, true, tiles_before + total);
      shared_before = tiles_before;
    }
  }
  __syncthreads();

  const int block_before = shared_before + warp_before;
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    const int4 own = rows[row];
    int4 sums;
    sums.x = block_before + before[row] + (exclusive ? 0 : own.x);
    sums.y = sums.x + (exclusive ? own.x : own.y);
    sums.z = sums.y + (exclusive ? own.y : own.z);
    sums.w = sums.z + (exclusive ? own.z : own.w);
    store(d_output, warp_first + row * kRowElements + lane * kVector, n, sums);
  }

  // The last block makes the next launch find everything as this one did. All have read the number of the
  // launch before they count themselves.
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicAdd(&d_exchange->finished, 1) == gridDim.x - 1) {
      d_exchange->ticket = 0;
      d_exchange->finished = 0;
      d_exchange->launches = launch + 1;
    }
  }
}

template <bool exclusive>
void launch(const int* d_input, int* d_output, std::uint64_t n, void* d_workspace, cudaStream_t stream) {
  device_scan<exclusive><<<static_cast<unsigned>(tiles_of(n)), kBlock, 0, stream>>>(
      d_input, d_output, n, static_cast<Exchange*>(d_workspace));
  check_launch("device_scan");
}

std::size_t workspace_bytes(std::uint64_t n) {
  return sizeof(Exchange) + tiles_of(n) * sizeof(unsigned long long);
}

/// CUB's two calls in one: without storage it only says how many bytes it needs.
template <bool exclusive>
void cub_scan(void* d_storage, std::size_t& bytes, const int* d_input, int* d_output, std::uint64_t n,
              cudaStream_t stream) {
  const auto count = static_cast<int>(n);
  check(exclusive ? cub::DeviceScan::ExclusiveSum(d_storage, bytes, d_input, d_output, count, stream)
                  : cub::DeviceScan::InclusiveSum(d_storage, bytes, d_input, d_output, count, stream),
        "cub::DeviceScan");
}

template <bool exclusive>
std::size_t cub_workspace_bytes(std::uint64_t n) {
  std::size_t bytes = 0;
  cub_scan<exclusive>(nullptr, bytes, nullptr, nullptr, n, nullptr);
  return bytes;
}

template <bool exclusive>
void cub_launch(const int* d_input, int* d_output, std::uint64_t n, void* d_workspace, cudaStream_t stream) {
  std::size_t bytes = cub_workspace_bytes<exclusive>(n);
  cub_scan<exclusive>(d_workspace, bytes, d_input, d_output, n, stream);
}

template <bool exclusive>
void add(std::vector<DevicePrimitive>& list) {
  const std::string kind = exclusive ? "exclusive" : "inclusive";
  DevicePrimitive scan;
  scan.info = {.id = "device_scan_" + kind + "_i32",
               .family = "device_scan",
               .title = kind + " scan of the device",
               .by = "ours",
               .dtype = Dtype::i32,
               .scope = PrimitiveScope::device,
               .instructions = {}};
  scan.is_exclusive = exclusive;
  scan.workspace_bytes = workspace_bytes;
  scan.launch = launch<exclusive>;
  list.push_back(scan);
  scan.info.id += "_cub";
  scan.info.by = kCub;
  scan.workspace_bytes = cub_workspace_bytes<exclusive>;
  scan.launch = cub_launch<exclusive>;
  list.push_back(scan);
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

}  // namespace rooflinectl::kernels::warp

namespace rooflinectl::kernels {

void count_wrong_prefixes(const int* d_input, const int* d_output, std::uint64_t n, bool is_exclusive,
                          unsigned long long* d_wrong, cudaStream_t stream) {
  warp::count_wrong<<<1024, 256, 0, stream>>>(d_input, d_output, n, is_exclusive, d_wrong);
  check_launch("count_wrong");
}

}  // namespace rooflinectl::kernels
