// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan.h"
#include "core/run.h"

/// Micro-benchmarks that find the roofs of a device. One file each, registered like the variants.
namespace rooflinectl::kernels {

/// Device memory that a ceiling benchmark may use; both buffers hold `bytes` bytes, initialised to small
/// values.
struct CeilingBuffers {
  void* d_source = nullptr;
  void* d_target = nullptr;
  std::size_t bytes = 0;     ///< of each; a multiple of 1 MiB
  std::size_t l2_bytes = 0;  ///< of the device
};

/// In place of a number of blocks: as many as it takes for each to do one tile of the work.
inline constexpr int kOneBlockPerTile = 0;

/// One launch shape to try.
struct CeilingShape {
  int blocks_per_sm = 0;  ///< or `kOneBlockPerTile`; the grid is then `kOneBlockPerTile` too
  int block = 0;
};

/// Element type of a matrix product on tensor cores.
enum class MatrixType { f16, bf16, tf32, f8, i8 };

/// Counters that must confirm a benchmark: the sum of `keys`, times `scale`, is its amount.
struct CeilingCount {
  std::vector<std::string_view> keys;  ///< of `core/counters.h`
  double scale = 1;
};

struct CeilingBenchmark {
  std::string id;  ///< `dram_read`; the file is `ceiling_dram_read.cu`
  CeilingKind kind = CeilingKind::bandwidth;
  std::string subject;    ///< `dram`, `l2`, `f32`; empty for a latency
  std::string operation;  ///< `read`, `write`, `copy`, `triad`; `fma`, `add`, `tensor`
  /// Cold where what a cache kept of the last launch would be taken for the work of the next.
  CacheState cache = CacheState::warm;
  std::vector<CeilingShape> shapes;
  CeilingCount count;
  int minimum_sm = 75;
  /// A tensor-core roof: where cuBLASLt is installed, its matrix product takes the place of `launch`.
  std::optional<MatrixType> matrix;
  /// Bytes moved (bandwidth), operations done (compute) or 1 (latency) by one launch.
  double (*amount)(const CeilingBuffers&, int grid, int block) = nullptr;
  void (*launch)(const CeilingBuffers&, int grid, int block, cudaStream_t) = nullptr;
};

/// Sorted by id.
const std::vector<CeilingBenchmark>& all_ceiling_benchmarks();

struct CeilingRegistration {
  explicit CeilingRegistration(CeilingBenchmark benchmark);
};

}  // namespace rooflinectl::kernels
