// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/cupti/profiler.h"
#include "collector/device/nvml.h"
#include "collector/timing/timing.h"
#include "core/counters/counters.h"
#include "core/counters/metrics.h"
#include "core/model/run.h"
#include "kernels/ceiling.h"

namespace rooflinectl {

/// A square matrix product of cuBLASLt, ready to be enqueued: C = A × Bᵀ, with C in the inputs' type,
/// f32 for tf32, bf16 for f8 and i32 for i8; accumulated in f32, in f64 for f64, or in i32 for i8.
class MatrixProduct {
 public:
  virtual ~MatrixProduct() = default;
  virtual void enqueue(cudaStream_t stream) const = 0;
  /// Two per multiply-add: 2 size³.
  virtual double operations() const = 0;
  /// `8192 x 8192 x 8192`.
  virtual std::string description() const = 0;
};

/// cuBLASLt, loaded at run time.
class MatrixLibrary {
 public:
  virtual ~MatrixLibrary() = default;
  /// `cuBLASLt 13.0.2`.
  virtual std::string description() const = 0;
  /// The library's preferred algorithms for products of that size, best guess first; empty if it has none for
  /// the type on this device. Matrices are taken from the buffers, which must outlive the products.
  virtual std::vector<std::unique_ptr<MatrixProduct>> products(
      kernels::MatrixType type, int size, const kernels::CeilingBuffers& buffers) const = 0;
};

/// Nothing if cuBLASLt is not installed or does not start here.
std::unique_ptr<MatrixLibrary> load_matrix_library();

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

/// The bandwidth of DRAM, whatever the direction, from the attributes of the device: 2 × memory clock × bus
/// width.
Ceiling theoretical_dram(const DeviceInfo& device);

/// The bandwidth of a link in each direction, as `pcie_h2d` and `pcie_d2h`: transfers per second and lane ×
/// lanes, less what the encoding of the generation takes (PCI Express Base Specification 6.0, sections 4.2.1
/// and 4.2.3). Headers of packets take more: 8 % of packets of 256 bytes. Empty for generations unknown here.
std::vector<Ceiling> theoretical_pcie(const PcieLink& link);

/// What all NVLinks of a device carry together in each direction by their line rate, as `nvlink`. Nothing
/// without links.
std::optional<Ceiling> theoretical_nvlink(const std::optional<Nvlinks>& links);

/// The peaks of `benchmarks`: what the chip's units complete per cycle times the SM clock that the device
/// reports, or the L2 clock that was counted. `counters`: of any range counted with `ceiling_metrics`. What
/// the chip is too old for, or has no figure for, is left out. Sorted from the memory to the SMs, then from
/// the widest precision to the narrowest, multiply-adds first, Tensor Cores last.
std::vector<Ceiling> theoretical_ceilings(const DeviceInfo& device,
                                          const std::vector<kernels::CeilingBenchmark>& benchmarks,
                                          const Counters& counters);

/// The basic set and what ceilings need besides: tensor-core operations, the peaks of `benchmarks`, each
/// once, and the L2 clock.
std::vector<Metric> ceiling_metrics(const std::vector<kernels::CeilingBenchmark>& benchmarks);

/// The key of a peak among `ceiling_metrics`: its first name.
std::string_view key_of(const kernels::CeilingPeak& peak);

/// The key of the L2 clock while counting. Points have no such counter.
inline constexpr std::string_view kL2ClockHz = "l2_clock_hz";

}  // namespace rooflinectl
