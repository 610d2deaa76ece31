// SPDX-License-Identifier: Apache-2.0
// Copies, memsets, allocations in stream order and events beside kernels.

#include <cstdlib>
#include <cstring>

#include "tests/gpu/stress/scenarios.h"

namespace stress {

namespace {

/// Memory of the host: pinned, registered, or as malloc makes it.
class HostMemory {
 public:
  HostMemory(Random& random, std::size_t bytes) : kind_(random.below(3)) {
    if (kind_ == kPinned) {
      check(cudaHostAlloc(&memory_, bytes, cudaHostAllocPortable), "cudaHostAlloc");
    } else {
      memory_ = std::aligned_alloc(4096, bytes);
      if (memory_ == nullptr) std::abort();
      if (kind_ == kRegistered)
        check(cudaHostRegister(memory_, bytes, cudaHostRegisterDefault), "cudaHostRegister");
    }
  }
  ~HostMemory() {
    if (kind_ == kPinned) {
      check(cudaFreeHost(memory_), "cudaFreeHost");
    } else {
      if (kind_ == kRegistered) check(cudaHostUnregister(memory_), "cudaHostUnregister");
      std::free(memory_);
    }
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  unsigned* elements() const { return static_cast<unsigned*>(memory_); }

 private:
  enum { kPinned, kRegistered, kPageable };
  int kind_;
  void* memory_ = nullptr;
};

/// Sends numbers through the GPU and back: by several copies, a kernel, and what was allocated in stream
/// order.
std::uint64_t one_round(Random& random, Stream& stream, unsigned long long* d_sum) {
  const unsigned count = 1024U << random.below(8);
  const std::size_t bytes = count * sizeof(unsigned);
  const HostMemory from(random, bytes);
  const HostMemory to(random, bytes);
  const auto start = static_cast<unsigned>(random.next());
  for (unsigned i = 0; i < count; ++i) from.elements()[i] = start + i * 7;

  unsigned* d_first = nullptr;
  unsigned* d_second = nullptr;
  check(cudaMallocAsync(&d_first, bytes, stream), "cudaMallocAsync");
  check(cudaMallocAsync(&d_second, bytes, stream), "cudaMallocAsync");
  check(cudaMemsetAsync(d_first, random.below(256), bytes, stream), "cudaMemsetAsync");
  cudaEvent_t before = nullptr;
  cudaEvent_t after = nullptr;
  check(cudaEventCreate(&before));
  check(cudaEventCreate(&after));
  check(cudaEventRecord(before, stream));
  check(cudaMemcpyAsync(d_first, from.elements(), bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
  const int number = random.below(kKernels);
  const auto grid = static_cast<unsigned>(random.between(1, 64));
  check(launch(number, grid, {d_first, count, d_sum}, stream), "launch");
  launched(number);
  const std::size_t row = bytes / 32;
  if (random.one_in(2)) {
    check(cudaMemcpyAsync(d_second, d_first, bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
  } else {
    check(cudaMemcpy2DAsync(d_second, row, d_first, row, row, 32, cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpy2DAsync");
  }
  check(cudaMemset2DAsync(d_first, row, 0x5a, row / 2, 32, stream), "cudaMemset2DAsync");
  check(cudaEventRecord(after, stream));
  check(cudaMemcpyAsync(to.elements(), d_second, bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  check(cudaFreeAsync(d_first, stream), "cudaFreeAsync");
  check(cudaFreeAsync(d_second, stream), "cudaFreeAsync");
  stream.wait();

  float elapsed_ms = -1;
  check(cudaEventElapsedTime(&elapsed_ms, before, after), "cudaEventElapsedTime");
  if (elapsed_ms < 0) wrong("%f ms between two events", static_cast<double>(elapsed_ms));
  check(cudaEventDestroy(before));
  check(cudaEventDestroy(after));
  const Effect effect = effect_of(number, grid);
  std::uint64_t checksum = 0;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned expected = effect.factor * (start + i * 7) + effect.summand;
    if (to.elements()[i] != expected) {
      wrong("copied element %u is %u instead of %u", i, to.elements()[i], expected);
      break;
    }
    checksum = checksum * 31 + to.elements()[i];
  }
  return checksum;
}

}  // namespace

std::string copies(Random random, int rounds) {
  Lane lane;
  Stream stream(random);
  std::uint64_t checksum = 0;
  for (int i = 0; i < rounds; ++i) checksum = checksum * 31 + one_round(random, stream, lane.data().d_sum);
  return text("%d rounds, checksum %016llx", rounds, static_cast<unsigned long long>(checksum));
}

int copies_in_threads(const Plan& plan) {
  Random random(plan.seed);
  std::vector<Part> parts;
  for (int i = random.between(2, 6); i > 0; --i) {
    parts.push_back(
        {"copies", [part = random.split(), rounds = plan.times(1500)] { return copies(part, rounds); }});
  }
  for (int i = random.below(3); i > 0; --i) {
    parts.push_back({"lasting streams", [part = random.split(), launches = plan.times(10000)] {
                       return lasting_streams(part, launches);
                     }});
  }
  run_parts(parts);
  return 0;
}

}  // namespace stress
