// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <vector>

#include "core/run.h"

/// Micro-benchmarks that find the roofs of a device. One file each, registered like the variants.
namespace rooflinectl::kernels {

/// Device memory that a ceiling benchmark may use; both buffers hold `bytes` bytes, initialised to small
/// values.
struct CeilingBuffers {
  void* d_source = nullptr;
  void* d_target = nullptr;
  std::size_t bytes = 0;  ///< of each; a multiple of 1 MiB
};

/// In place of a number of blocks: as many as it takes for each to do one tile of the work.
inline constexpr int kOneBlockPerTile = 0;

/// One launch shape to try.
struct CeilingShape {
  int blocks_per_sm = 0;  ///< or `kOneBlockPerTile`; the grid is then `kOneBlockPerTile` too
  int block = 0;
};

struct CeilingBenchmark {
  std::string id;  ///< `dram_read`; the file is `ceiling_dram_read.cu`
  CeilingKind kind = CeilingKind::bandwidth;
  std::string subject;    ///< `dram`, `f32`; empty for a latency
  std::string operation;  ///< `read`, `write`, `copy`, `fma`, `add`
  std::vector<CeilingShape> shapes;
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
