// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "tests/gpu/stress/stress.h"

/// Kernels without end, and data by which to tell that each of them ran once, in its turn.
namespace stress {

inline constexpr int kKernels = 512;
inline constexpr unsigned kBlock = 256;

/// What launches do to data: each element x becomes `factor` x + `summand`; and how much they add to a sum.
struct Effect {
  unsigned factor = 1;
  unsigned summand = 0;
  std::uint64_t sum = 0;

  Effect then(const Effect& next) const {
    return {next.factor * factor, next.factor * summand + next.summand, sum + next.sum};
  }
};

/// Of a launch of kernel `number` below `kKernels`: `work<number>`.
Effect effect_of(int number, unsigned grid);

/// Arguments of the kernels.
struct Data {
  unsigned* d_elements = nullptr;
  unsigned count = 0;
  unsigned long long* d_sum = nullptr;
};

using Kernel = void (*)(Data);
Kernel kernel(int number);
void launched(int number);  ///< counts a launch in the kernel's tally

/// Not counted: it may be captured. Has no effect on elements if `data.count` is 0.
cudaError_t launch(int number, unsigned grid, Data data, cudaStream_t stream);

/// Code that was compiled with --default-stream per-thread calls other functions of the driver.
cudaError_t launch_on_default_stream_per_thread(Kernel kernel, unsigned grid, Data data);

/// Launches a kernel with the name of a collective, beside which launches are instrumented one by one.
void launch_collective();

/// Launches a kernel that writes to an illegal address: the context is of no use after it.
void launch_to_nowhere();

/// Data that launches change one after the other, and what it must become.
class Lane {
 public:
  explicit Lane(unsigned count = 4096);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// After everything else of this lane: the caller sees to the order of streams.
  void launch(int number, unsigned grid, cudaStream_t stream);
  /// In any order: it only adds to the sum.
  void launch_apart(int number, unsigned grid, cudaStream_t stream);
  void set(unsigned char byte, cudaStream_t stream);
  void expect(const Effect& effect) { expected_ = expected_.then(effect); }
  /// Waits for the stream and compares everything. Returns a checksum, which depends only on what was
  /// launched.
  std::uint64_t check(cudaStream_t stream);

  Data data() const { return data_; }

 private:
  Data data_;
  std::vector<unsigned> initial_;
  Effect expected_;
};

/// A stream of a kind that chance decides: blocking or not, with or without priority, or a default stream.
class Stream {
 public:
  explicit Stream(Random& random, bool can_be_default = true);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream_; }
  void wait() const;

 private:
  cudaStream_t stream_ = nullptr;
  bool is_own_ = true;
};

}  // namespace stress
