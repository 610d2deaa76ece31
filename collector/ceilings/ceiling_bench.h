// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/ceilings/matrix_product.h"
#include "collector/cupti/profiler.h"
#include "collector/timing/timing.h"
#include "core/model/run.h"
#include "kernels/ceiling.h"

namespace rooflinectl {

/// Finds the roofs of a device with the micro-benchmarks of `kernels/ceilings`, which share its memory.
class CeilingBench {
 public:
  CeilingBench(const DeviceInfo& device, Timer& timer, const Stream& stream);

  /// Why the benchmark cannot run here; nothing if it can.
  std::optional<std::string> obstacle(const kernels::CeilingBenchmark& benchmark);

  /// Runs a benchmark in each of its launch shapes and returns the best as a measured ceiling. The cost of a
  /// launch comes in two forms: launched by itself (`launch`), and as a node of a graph (`graph_node`); so
  /// does a matrix product: in a burst (`bf16_tensor`), and for longer (`bf16_tensor_sustained`). Throws
  /// Error if a launch fails. There must be no `obstacle`.
  std::vector<Ceiling> measure(const kernels::CeilingBenchmark& benchmark);

  /// One launch of each benchmark that was measured, to be counted with `ceiling_metrics`.
  std::vector<CountedRange> ranges() const;
  /// The measured ceilings, except latencies and transfers, which nothing counts.
  std::vector<Ceiling> measured() const;
  /// The measured ceilings, confirmed or not by `counters`, which are in the order of `ranges()`.
  std::vector<Ceiling> confirmed(const std::vector<Counters>& counters) const;

 private:
  /// The best that was found.
  struct Best {
    const kernels::CeilingBenchmark* benchmark = nullptr;
    const kernels::CeilingBenchmark* kernel = nullptr;  ///< whose launch it is: of `benchmark_on` this chip
    kernels::CeilingShape shape;
    std::shared_ptr<MatrixProduct> product;  ///< in place of the benchmark's own kernel
    Ceiling ceiling;
  };

  /// Allocates and fills the buffers of the device, once. Throws Error if memory is short.
  void require_buffers();
  /// Allocates the buffer of the host, once. Throws Error if memory is short.
  void require_pinned_buffer();
  /// Allocates the buffer of `peer_`, once. Throws Error if memory is short.
  void require_peer_buffer();
  TimedWork work(const kernels::CeilingBenchmark& benchmark, std::function<void()> launch) const;
  int grid(const kernels::CeilingShape& shape) const { return shape.grid(device_.sm_count); }
  std::string other_side(const kernels::CeilingBenchmark& benchmark) const;
  Best best_kernel(const kernels::CeilingBenchmark& benchmark);
  /// Runs a product for a short while after a pause.
  Ceiling burst(const kernels::CeilingBenchmark& benchmark, const MatrixProduct& product);
  /// What it reaches once the power cap has brought the clock down.
  Best sustained(const Best& fastest);
  /// Nothing if cuBLASLt is missing or has no product of that type.
  std::optional<Best> best_product(const kernels::CeilingBenchmark& benchmark);
  std::vector<Ceiling> measure_launch(const kernels::CeilingBenchmark& benchmark);
  double counted_amount(const Best& best) const;

  const DeviceInfo& device_;
  Timer& timer_;
  const Stream& stream_;
  DeviceBuffer memory_;  // for both buffers
  PinnedBuffer pinned_;
  std::optional<DeviceInfo> peer_;
  DeviceBuffer peer_memory_;
  kernels::CeilingBuffers buffers_;
  bool library_loaded_ = false;
  std::unique_ptr<MatrixLibrary> library_;
  std::vector<Best> measured_;
};

/// Compares what was counted with the amount that a benchmark declares for the same launch. They agree if
///   - DRAM bytes are within 2 %; written bytes may also lack up to the size of L2, still dirty at the end;
///   - L2, L1 and shared-memory bytes are within 2 %, and less than 2 % of them came from the level below
///     (DRAM for L2, L2 for L1);
///   - operations are within 1 %: the loop around them counts among the integer ones.
Confirmation confirm(const kernels::CeilingBenchmark& benchmark, double amount, const Counters& counters,
                     std::size_t l2_bytes);

}  // namespace rooflinectl
