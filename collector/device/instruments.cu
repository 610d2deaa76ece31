// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "collector/device/instruments.h"
#include "core/stats/statistics.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

__global__ void read_all(const uint4* data, std::size_t count, unsigned* sink) {
  uint4 seen = {};
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const uint4 value = data[i];
    seen.x |= value.x;
    seen.y |= value.y;
    seen.z |= value.z;
    seen.w |= value.w;
  }
  // The buffer holds zeros, so nothing is written; the compiler cannot know and must keep the loads.
  if ((seen.x | seen.y | seen.z | seen.w) != 0) *sink = 1;
}

__device__ unsigned long long global_nanoseconds() {
  unsigned long long nanoseconds = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

__global__ void stamp_clock(ulonglong2* stamps) {
  unsigned sm = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (threadIdx.x == 0 && sm < gridDim.x) {
    stamps[sm] = make_ulonglong2(static_cast<unsigned long long>(clock64()), global_nanoseconds());
  }
}

__global__ void delay(unsigned long long nanoseconds) {
  const unsigned long long start = global_nanoseconds();
  while (global_nanoseconds() - start < nanoseconds) {
  }
}

}  // namespace

// ---- DeviceBuffer ----

DeviceBuffer::DeviceBuffer(std::size_t bytes) {
  require(bytes);
}

DeviceBuffer::~DeviceBuffer() {
  release();
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void DeviceBuffer::require(std::size_t bytes) {
  if (bytes <= bytes_) return;
  release();
  kernels::check(cudaMalloc(&data_, bytes), "cudaMalloc");
  bytes_ = bytes;
}

void DeviceBuffer::release() {
  cudaFree(data_);
  data_ = nullptr;
  bytes_ = 0;
}

// ---- PinnedBuffer ----

PinnedBuffer::PinnedBuffer(std::size_t bytes) {
  kernels::check(cudaMallocHost(&data_, bytes), "cudaMallocHost");
}

PinnedBuffer::~PinnedBuffer() {
  cudaFreeHost(data_);
}

PinnedBuffer::PinnedBuffer(PinnedBuffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}

PinnedBuffer& PinnedBuffer::operator=(PinnedBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  return *this;
}

// ---- CacheFlush ----

CacheFlush::CacheFlush(std::size_t l2_bytes)
    : buffer_(std::max<std::size_t>(4 * l2_bytes, 64) + sizeof(unsigned)) {
  kernels::check(cudaMemset(buffer_.data(), 0, buffer_.bytes()), "cudaMemset");
  // Streams that do not wait for the default one must not read it before.
  kernels::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void CacheFlush::enqueue(cudaStream_t stream) {
  constexpr int kBlock = 512;
  constexpr int kGrid = 1024;
  const std::size_t count = (buffer_.bytes() - sizeof(unsigned)) / sizeof(uint4);
  const auto* data = static_cast<const uint4*>(buffer_.data());
  auto* sink = static_cast<unsigned*>(buffer_.data()) + count * sizeof(uint4) / sizeof(unsigned);
  read_all<<<kGrid, kBlock, 0, stream>>>(data, count, sink);
  kernels::check_launch("read_all");
}

// ---- ClockStamps ----

ClockStamps::ClockStamps(int sm_count, std::size_t capacity)
    : sm_count_(sm_count),
      d_stamps_(capacity * static_cast<std::size_t>(sm_count) * sizeof(Stamp)),
      stamps_(capacity * static_cast<std::size_t>(sm_count)) {
  static_assert(sizeof(Stamp) == sizeof(ulonglong2));
}

void ClockStamps::enqueue(std::size_t index, cudaStream_t stream) {
  auto* stamps = static_cast<ulonglong2*>(d_stamps_.data()) + index * static_cast<std::size_t>(sm_count_);
  kernels::check(cudaMemsetAsync(stamps, 0, static_cast<std::size_t>(sm_count_) * sizeof(Stamp), stream),
                 "cudaMemsetAsync");
  // One warp per SM: the hardware spreads so few blocks over all of them.
  stamp_clock<<<sm_count_, 32, 0, stream>>>(stamps);
  kernels::check_launch("stamp_clock");
}

void ClockStamps::read() {
  kernels::check(
      cudaMemcpy(stamps_.data(), d_stamps_.data(), stamps_.size() * sizeof(Stamp), cudaMemcpyDeviceToHost),
      "cudaMemcpy");
}

std::optional<double> ClockStamps::hertz(std::size_t from, std::size_t to) const {
  std::vector<double> clocks;
  for (int sm = 0; sm < sm_count_; ++sm) {
    const Stamp& first = stamps_[from * static_cast<std::size_t>(sm_count_) + static_cast<std::size_t>(sm)];
    const Stamp& last = stamps_[to * static_cast<std::size_t>(sm_count_) + static_cast<std::size_t>(sm)];
    const bool both = first.nanoseconds != 0 && last.nanoseconds > first.nanoseconds;
    if (!both) continue;
    clocks.push_back(static_cast<double>(last.cycles - first.cycles) /
                     static_cast<double>(last.nanoseconds - first.nanoseconds) * 1e9);
  }
  if (clocks.empty()) return std::nullopt;
  return median(clocks);
}

// ---- Stream and EventTimer ----

Stream::Stream() {
  kernels::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}

Stream::~Stream() {
  cudaStreamDestroy(stream_);
}

void Stream::synchronize() const {
  kernels::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

EventTimer::EventTimer() {
  kernels::check(cudaEventCreate(&start_), "cudaEventCreate");
  kernels::check(cudaEventCreate(&stop_), "cudaEventCreate");
}

EventTimer::EventTimer(EventTimer&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)), stop_(std::exchange(other.stop_, nullptr)) {}

EventTimer::~EventTimer() {
  if (start_ != nullptr) cudaEventDestroy(start_);
  if (stop_ != nullptr) cudaEventDestroy(stop_);
}

void EventTimer::start(cudaStream_t stream) {
  kernels::check(cudaEventRecord(start_, stream), "cudaEventRecord");
}

void EventTimer::stop(cudaStream_t stream) {
  kernels::check(cudaEventRecord(stop_, stream), "cudaEventRecord");
}

double EventTimer::seconds() const {
  float milliseconds = 0;
  kernels::check(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3;
}

void enqueue_delay(std::uint64_t nanoseconds, cudaStream_t stream) {
  delay<<<1, 1, 0, stream>>>(nanoseconds);
  kernels::check_launch("delay");
}

}  // namespace rooflinectl
