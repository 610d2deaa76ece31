// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// What the measuring itself needs on the device: memory, a cache flush, clock readings.
namespace rooflinectl {

/// Owns device memory.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// Throws Error if there is not enough.
  explicit DeviceBuffer(std::size_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  /// Makes room for at least `bytes`; the content is lost when the buffer has to grow.
  void require(std::size_t bytes);
  void release();

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Memory of the host that the device's copy engines reach by themselves.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  /// Throws Error if there is not enough.
  explicit PinnedBuffer(std::size_t bytes);
  ~PinnedBuffer();
  PinnedBuffer(PinnedBuffer&& other) noexcept;
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept;

  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

/// Evicts all other buffers from the caches.
class CacheFlush {
 public:
  explicit CacheFlush(std::size_t l2_bytes);

  /// Enqueues a read of a clean buffer of four times L2. Reading, not writing: dirty lines would be evicted,
  /// and counted, inside the next kernel.
  void enqueue(cudaStream_t stream);

 private:
  DeviceBuffer buffer_;
};

/// Reads the SM clock on the device: every SM notes its cycle counter and the global timer; two such notes
/// give the average clock between them.
class ClockStamps {
 public:
  /// Room for `capacity` stamps.
  ClockStamps(int sm_count, std::size_t capacity);

  /// Enqueues stamp number `index`.
  void enqueue(std::size_t index, cudaStream_t stream);

  /// Copies the stamps to the host; call after the stream is synchronised, before `hertz`.
  void read();

  /// Median over the SMs of their clock between two stamps; nothing if no SM made both or no time passed.
  std::optional<double> hertz(std::size_t from, std::size_t to) const;

 private:
  struct Stamp {
    std::uint64_t cycles;
    std::uint64_t nanoseconds;
  };

  int sm_count_;
  DeviceBuffer d_stamps_;
  std::vector<Stamp> stamps_;  // [index * sm_count + sm]
};

/// A CUDA stream of its own.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream_; }
  void synchronize() const;

 private:
  cudaStream_t stream_ = nullptr;
};

/// A pair of events around work on a stream.
class EventTimer {
 public:
  EventTimer();
  ~EventTimer();
  EventTimer(EventTimer&& other) noexcept;
  EventTimer(const EventTimer&) = delete;

  void start(cudaStream_t stream);
  void stop(cudaStream_t stream);
  /// Seconds between the two; the stream must have got past `stop`.
  double seconds() const;

 private:
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

/// Enqueues a kernel that keeps the stream busy for `nanoseconds`, so that what is enqueued meanwhile starts
/// without waiting for the host.
void enqueue_delay(std::uint64_t nanoseconds, cudaStream_t stream);

}  // namespace rooflinectl
