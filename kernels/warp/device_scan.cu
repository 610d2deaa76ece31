// SPDX-License-Identifier: Apache-2.0
//
// The sums of all elements up to each one, over the whole device, in one pass: each element is read once and
// written once.
//
// - CUB: `cub::DeviceScan`. (D. Merrill, M. Garland, Single-pass parallel prefix scan with decoupled
//   look-back, NVIDIA technical report NVR-2016-002, 2016.)
// - Ours: none. One that followed the same report had 0.6 to 0.7 of CUB's throughput on an H200.
#include <cub/device/device_scan.cuh>

#include "kernels/warp/warp_prefix.cuh"

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
