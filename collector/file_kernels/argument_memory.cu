// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "collector/file_kernels/argument_memory.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

constexpr unsigned kBlock = 256;

unsigned grid_of(std::uint64_t elements) {
  constexpr std::uint64_t kLargest = 1 << 12;
  return static_cast<unsigned>(std::clamp<std::uint64_t>((elements + kBlock - 1) / kBlock, 1, kLargest));
}

// ---- values ----

template <typename T>
struct Type {
  using type = T;
};

/// Calls `function` with the type in C++. Functions are structs: device code cannot pass lambdas to what the
/// host calls too.
template <typename Function>
__host__ __device__ auto with_type(ArgumentType type, const Function& function) {
  switch (type) {
    case ArgumentType::f64:
      return function(Type<double>{});
    case ArgumentType::f16:
      return function(Type<__half>{});
    case ArgumentType::bf16:
      return function(Type<__nv_bfloat16>{});
    case ArgumentType::i64:
      return function(Type<std::int64_t>{});
    case ArgumentType::i32:
      return function(Type<std::int32_t>{});
    case ArgumentType::i16:
      return function(Type<std::int16_t>{});
    case ArgumentType::i8:
      return function(Type<std::int8_t>{});
    case ArgumentType::u64:
      return function(Type<std::uint64_t>{});
    case ArgumentType::u32:
      return function(Type<std::uint32_t>{});
    case ArgumentType::u16:
      return function(Type<std::uint16_t>{});
    case ArgumentType::u8:
      return function(Type<std::uint8_t>{});
    case ArgumentType::f32:
      break;
  }
  return function(Type<float>{});
}

/// Integers that are too large or negative for their type wrap round.
template <typename T>
__host__ __device__ T converted(double value) {
  if constexpr (std::is_same_v<T, __half>) {
    return __double2half(value);
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return __double2bfloat16(value);
  } else if constexpr (std::is_integral_v<T>) {
    return value < 0 ? static_cast<T>(static_cast<std::int64_t>(value))
                     : static_cast<T>(static_cast<std::uint64_t>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <typename T>
__host__ __device__ double as_double(T value) {
  if constexpr (std::is_same_v<T, __half>) {
    return static_cast<double>(__half2float(value));
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return static_cast<double>(__bfloat162float(value));
  } else {
    return static_cast<double>(value);
  }
}

/// The value that a type makes of another.
struct Rounded {
  double value;

  template <typename T>
  __host__ __device__ double operator()(Type<T>) const {
    return as_double(converted<T>(value));
  }
};

/// Writes element `i`.
struct Store {
  void* data;
  std::uint64_t i;
  double value;

  template <typename T>
  __host__ __device__ void operator()(Type<T>) const {
    static_cast<T*>(data)[i] = converted<T>(value);
  }
};

/// Reads element `i`.
struct Load {
  const void* data;
  std::uint64_t i;

  template <typename T>
  __host__ __device__ double operator()(Type<T>) const {
    return as_double(static_cast<const T*>(data)[i]);
  }
};

/// Reads element `i` of integers.
struct LoadInteger {
  const void* data;
  std::uint64_t i;

  template <typename T>
  __host__ __device__ __int128 operator()(Type<T>) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<const T*>(data)[i];
    } else {
      return 0;
    }
  }
};

struct IsInteger {
  template <typename T>
  __host__ __device__ bool operator()(Type<T>) const {
    return std::is_integral_v<T>;
  }
};

__global__ void fill_elements(Fill fill, ArgumentType described, ArgumentType type, void* d_data,
                              std::uint64_t count) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const double value = with_type(described, Rounded{fill_element(fill, described, i)});
    with_type(type, Store{d_data, i, value});
  }
}

__global__ void find_change(Fill fill, ArgumentType type, const void* d_data, std::uint64_t count,
                            unsigned long long* d_first) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    if (with_type(type, Load{d_data, i}) == with_type(type, Rounded{fill_element(fill, type, i)})) continue;
    atomicMin(d_first, static_cast<unsigned long long>(i));
    break;
  }
}

// ---- guards ----

/// What lies `offset` bytes behind the beginning of the first set: no two stretches are alike, so that a
/// kernel that copies one over another is noticed.
__device__ unsigned char pattern(std::uint64_t offset) {
  return static_cast<unsigned char>(kernels::hash(offset / 8) >> (8 * (offset % 8)));
}

constexpr std::uint64_t kNothing = std::numeric_limits<std::uint64_t>::max();

struct Stretch {
  std::uint64_t begin;
  std::uint64_t end;
};

/// The bytes written in a region; `kNothing` and 0 if there are none.
struct Written {
  std::uint64_t first;
  std::uint64_t last;
};

/// A block for each region of each set.
__global__ void write_guards(const Stretch* d_regions, std::uint64_t regions, std::uint64_t stride,
                             unsigned char* d_sets) {
  const std::uint64_t set = blockIdx.x / regions * stride;
  const Stretch region = d_regions[blockIdx.x % regions];
  for (std::uint64_t i = set + region.begin + threadIdx.x; i < set + region.end; i += blockDim.x) {
    d_sets[i] = pattern(i);
  }
}

__global__ void find_damage(const Stretch* d_regions, std::uint64_t regions, std::uint64_t stride,
                            const unsigned char* d_sets, Written* d_written) {
  __shared__ unsigned long long first;
  __shared__ unsigned long long last;
  if (threadIdx.x == 0) {
    first = kNothing;
    last = 0;
  }
  __syncthreads();
  const std::uint64_t set = blockIdx.x / regions * stride;
  const Stretch region = d_regions[blockIdx.x % regions];
  for (std::uint64_t i = region.begin + threadIdx.x; i < region.end; i += blockDim.x) {
    if (d_sets[set + i] == pattern(set + i)) continue;
    atomicMin(&first, static_cast<unsigned long long>(i));
    atomicMax(&last, static_cast<unsigned long long>(i));
  }
  __syncthreads();
  if (threadIdx.x == 0) d_written[blockIdx.x] = {first, last};
}

// ---- results ----

struct Comparison {
  unsigned long long first_mismatch;
  unsigned long long
      worst_bits;  // of the largest error over its bound: those of positive doubles are ordered
};

struct Pair {
  double result;
  double expected;
  double error;
};

/// Integers are subtracted as such: doubles would round the large ones.
__device__ Pair pair_at(ArgumentType type, const void* d_results, ArgumentType expected_type,
                        const void* d_expected, std::uint64_t i) {
  Pair pair = {with_type(type, Load{d_results, i}), with_type(expected_type, Load{d_expected, i}), 0};
  if (with_type(type, IsInteger{}) && with_type(expected_type, IsInteger{})) {
    const __int128 difference =
        with_type(type, LoadInteger{d_results, i}) - with_type(expected_type, LoadInteger{d_expected, i});
    pair.error = static_cast<double>(difference < 0 ? -difference : difference);
  } else {
    pair.error = fabs(pair.result - pair.expected);
  }
  return pair;
}

__global__ void compare_elements(ArgumentType type, const void* d_results, ArgumentType expected_type,
                                 const void* d_expected, std::uint64_t count, Tolerance tolerance,
                                 Comparison* d_comparison) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  // Of this thread, so that few of them meet at the result.
  unsigned long long first_mismatch = kNothing;
  double worst = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const Pair pair = pair_at(type, d_results, expected_type, d_expected, i);
    const bool are_alike = pair.error == 0 || (isnan(pair.result) && isnan(pair.expected)) ||
                           (isinf(pair.expected) && pair.result == pair.expected);
    if (are_alike) continue;
    const double bound = tolerance.absolute + tolerance.relative * fabs(pair.expected);
    if (isfinite(pair.expected) && pair.error <= bound) {
      worst = fmax(worst, pair.error / bound);
    } else if (first_mismatch == kNothing) {
      first_mismatch = i;
    }
  }
  if (worst > 0) {
    atomicMax(&d_comparison->worst_bits, static_cast<unsigned long long>(__double_as_longlong(worst)));
  }
  if (first_mismatch != kNothing) atomicMin(&d_comparison->first_mismatch, first_mismatch);
}

__global__ void read_pair(ArgumentType type, const void* d_results, ArgumentType expected_type,
                          const void* d_expected, std::uint64_t i, Pair* d_pair) {
  *d_pair = pair_at(type, d_results, expected_type, d_expected, i);
}

template <typename T>
T read_back(const DeviceBuffer& buffer, cudaStream_t stream) {
  T value{};
  kernels::check(cudaMemcpyAsync(&value, buffer.data(), sizeof(T), cudaMemcpyDeviceToHost, stream),
                 "cudaMemcpyAsync");
  kernels::check(cudaStreamSynchronize(stream), "compare_elements");
  return value;
}

}  // namespace

StoredValue stored(double value, ArgumentType type) {
  StoredValue bytes{};
  with_type(type, Store{bytes.data(), 0, value});
  return bytes;
}

void fill(const CallArgument& described, ArgumentType type, void* d_data, cudaStream_t stream) {
  fill_elements<<<grid_of(described.count), kBlock, 0, stream>>>(described.fill, described.type, type, d_data,
                                                                 described.count);
  kernels::check_launch("fill_elements");
}

std::optional<std::uint64_t> first_change(const CallArgument& described, const void* d_data,
                                          cudaStream_t stream) {
  const DeviceBuffer d_first(sizeof(unsigned long long));
  kernels::check(cudaMemsetAsync(d_first.data(), 0xFF, d_first.bytes(), stream), "cudaMemsetAsync");
  find_change<<<grid_of(described.count), kBlock, 0, stream>>>(
      described.fill, described.type, d_data, described.count,
      static_cast<unsigned long long*>(d_first.data()));
  kernels::check_launch("find_change");
  const auto first = read_back<unsigned long long>(d_first, stream);
  return first == kNothing ? std::nullopt : std::optional<std::uint64_t>(first);
}

// ---- Guards ----

Guards::Guards(const std::vector<GuardRegion>& regions, int sets, std::size_t stride)
    : sets_(sets), stride_(stride), regions_(regions.size()) {
  if (regions.empty()) return;
  std::vector<Stretch> spans;
  for (const GuardRegion& region : regions) spans.push_back({region.begin, region.end});
  d_regions_.require(spans.size() * sizeof(Stretch));
  d_written_.require(spans.size() * static_cast<std::size_t>(sets) * sizeof(Written));
  kernels::check(
      cudaMemcpy(d_regions_.data(), spans.data(), spans.size() * sizeof(Stretch), cudaMemcpyHostToDevice),
      "cudaMemcpy");
}

void Guards::write(void* d_sets, cudaStream_t stream) const {
  if (regions_ == 0) return;
  const auto blocks = static_cast<unsigned>(regions_ * static_cast<std::size_t>(sets_));
  write_guards<<<blocks, kBlock, 0, stream>>>(static_cast<const Stretch*>(d_regions_.data()), regions_,
                                              stride_, static_cast<unsigned char*>(d_sets));
  kernels::check_launch("write_guards");
}

std::optional<GuardDamage> Guards::damage(const void* d_sets, cudaStream_t stream) const {
  if (regions_ == 0) {
    kernels::check(cudaStreamSynchronize(stream), "the kernel");
    return std::nullopt;
  }
  const std::size_t count = regions_ * static_cast<std::size_t>(sets_);
  find_damage<<<static_cast<unsigned>(count), kBlock, 0, stream>>>(
      static_cast<const Stretch*>(d_regions_.data()), regions_, stride_,
      static_cast<const unsigned char*>(d_sets), static_cast<Written*>(d_written_.data()));
  kernels::check_launch("find_damage");
  std::vector<Written> written(count);
  kernels::check(cudaMemcpyAsync(written.data(), d_written_.data(), count * sizeof(Written),
                                 cudaMemcpyDeviceToHost, stream),
                 "cudaMemcpyAsync");
  kernels::check(cudaStreamSynchronize(stream), "the kernel");
  for (std::size_t i = 0; i < count; ++i) {
    if (written[i].first != kNothing) return GuardDamage{i % regions_, written[i].first, written[i].last};
  }
  return std::nullopt;
}

// ---- results ----

ElementsCheck compare(const Elements& results, const Elements& expected, std::uint64_t count,
                      const Tolerance& tolerance, cudaStream_t stream) {
  const DeviceBuffer d_comparison(sizeof(Comparison));
  const Comparison nothing = {kNothing, 0};
  kernels::check(
      cudaMemcpyAsync(d_comparison.data(), &nothing, sizeof(nothing), cudaMemcpyHostToDevice, stream),
      "cudaMemcpyAsync");
  compare_elements<<<grid_of(count), kBlock, 0, stream>>>(results.type, results.d_data, expected.type,
                                                          expected.d_data, count, tolerance,
                                                          static_cast<Comparison*>(d_comparison.data()));
  kernels::check_launch("compare_elements");
  const auto comparison = read_back<Comparison>(d_comparison, stream);
  ElementsCheck check;
  std::memcpy(&check.worst_error_over_bound, &comparison.worst_bits, sizeof(double));
  if (comparison.first_mismatch == kNothing) return check;
  const DeviceBuffer d_pair(sizeof(Pair));
  read_pair<<<1, 1, 0, stream>>>(results.type, results.d_data, expected.type, expected.d_data,
                                 comparison.first_mismatch, static_cast<Pair*>(d_pair.data()));
  kernels::check_launch("read_pair");
  const Pair pair = read_back<Pair>(d_pair, stream);
  check.mismatch = {comparison.first_mismatch, pair.result, pair.expected};
  return check;
}

}  // namespace rooflinectl
