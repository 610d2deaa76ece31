// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine_code/machine_code.h"
#include "core/model/ceiling_kind.h"
#include "core/program/launch.h"

/// Micro-benchmarks that find the roofs of a device, registered like the variants.
namespace rooflinectl::kernels {

/// Device memory that a ceiling benchmark may use; both buffers hold `bytes` bytes, initialised to small
/// values. Only the target may be written.
struct CeilingBuffers {
  void* d_source = nullptr;
  void* d_target = nullptr;  ///< begins where the source ends, so that both can be read as one
  std::size_t bytes = 0;     ///< of each; a multiple of 1 MiB
  std::size_t l2_bytes = 0;  ///< of the device
  void* h_pinned = nullptr;  ///< host memory that copy engines reach; only for PCIe
  std::size_t pinned_bytes = 0;
  void* d_peer = nullptr;  ///< memory of another GPU, which kernels of this one reach; only for NVLink
  std::size_t peer_bytes = 0;
};

/// In place of a number of blocks: as many as it takes for each to do one tile of the work.
inline constexpr int kOneBlockPerTile = 0;
/// In place of a number of blocks per SM: one block on the whole device.
inline constexpr int kOneBlock = -1;
/// In place of a number of blocks per SM: no blocks, a copy engine does the work.
inline constexpr int kCopyEngine = -2;

/// One launch shape to try.
struct CeilingShape {
  int blocks_per_sm = 0;  ///< or `kOneBlockPerTile`, `kOneBlock`, `kCopyEngine`
  int block = 0;

  /// Blocks on a device with this many SMs, or `kOneBlockPerTile`.
  int grid(int sm_count) const { return blocks_per_sm == kOneBlock ? 1 : blocks_per_sm * sm_count; }
};

/// Element type of a matrix product on Tensor Cores.
enum class MatrixType { f64, f16, f16_sums_in_f16, bf16, tf32, f8, i8 };

/// Counters that must confirm a benchmark: the sum of `keys`, times `scale`, is its amount.
struct CeilingCount {
  std::vector<std::string_view> keys;  ///< of `core/counters/counters.h`
  double scale = 1;
};

/// Which clock a unit of the chip runs at.
enum class ClockDomain { sm, l2 };

/// The theoretical ceiling: what all units of the device together complete per cycle, according to CUPTI,
/// times `factor`, times their clock.
struct CeilingPeak {
  /// Names of the same hardware metric (`….peak_sustained`) on different chips; the first that a chip has is
  /// used. Literals; ceilings that share a metric name the same ones.
  std::vector<std::string_view> metrics;
  double factor = 1;  ///< bytes or operations per unit of the metric
  ClockDomain clock = ClockDomain::sm;

  bool operator==(const CeilingPeak&) const = default;
};

struct CeilingBenchmark {
  std::string id;  ///< `dram_read`; also the name of its registration
  CeilingKind kind = CeilingKind::bandwidth;
  std::string subject;  ///< `dram`, `l2`, `pcie`, `nvlink`, `f32`; empty for a launch
  /// `read`, `write`, `copy`, `triad`, `mix`; `h2d`, `d2h`; `fma`, `add`, `tensor`; `latency`, `atomic`,
  /// `launch`; empty for the bandwidth of NVLink
  std::string operation;
  std::optional<TensorProducts> products;  ///< of a Tensor Core roof
  /// Cold where what a cache kept from the last launch would be mistaken for work of the next.
  CacheState cache = CacheState::warm;
  /// Nothing for latencies, for DRAM, PCIe and NVLink, whose bandwidths follow from the attributes of the
  /// device, and where CUPTI has no such figure.
  std::optional<CeilingPeak> peak;
  std::vector<CeilingShape> shapes;
  CeilingCount count;  ///< for bandwidths of the device's own memories, and for operations
  int minimum_sm = 75;
  /// The compute capabilities that there is code for (103 is 10.3); empty if it is all from `minimum_sm` on.
  std::vector<int> compute_capabilities;
  /// The id of another benchmark, in place of whose kernel this one's is launched where there is code for it.
  std::string stands_for;
  /// For a Tensor Core roof: where cuBLASLt is installed, its matrix product takes the place of `launch`.
  std::optional<MatrixType> matrix;
  /// What one launch does: bytes moved (bandwidth, transfer), operations (compute), or the number of
  /// consecutive latencies (latency): 1 for a launch.
  double (*amount)(const CeilingBuffers&, int grid, int block) = nullptr;
  /// Writes to the buffers what `launch` must find there; nothing where any data will do.
  void (*prepare)(const CeilingBuffers&, cudaStream_t) = nullptr;
  void (*launch)(const CeilingBuffers&, int grid, int block, cudaStream_t) = nullptr;
  const char* file = "";  ///< the source that registers it, which CeilingRegistration fills in
};

/// Whether there is code of it for a chip.
bool has_code_for(const CeilingBenchmark& benchmark, int compute_capability);

/// Sorted by id, without those that stand for others.
const std::vector<CeilingBenchmark>& all_ceiling_benchmarks();

/// Those that stand for others.
const std::vector<CeilingBenchmark>& stand_in_benchmarks();

/// The one whose kernel measures `benchmark` on a chip: itself, or one that stands for it.
const CeilingBenchmark& benchmark_on(const CeilingBenchmark& benchmark, int compute_capability);

/// Like `Registration` for variants.
struct CeilingRegistration {
  explicit CeilingRegistration(CeilingBenchmark benchmark, const char* file = __builtin_FILE());
};

}  // namespace rooflinectl::kernels
