// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"

namespace rooflinectl {

/// What the counters of a profiled program are set to: what the hardware can count at once. A change takes
/// more than half a second.
enum class Pass {
  memory,      ///< bytes, instructions, occupancy: hardware counters
  operations,  ///< operations by type: instrumented code, without the activity trace
  tensor,      ///< whether the Tensor Cores worked, and the operations of whole warpgroups: hardware counters
  // Tensor Core operations by type, where warpgroups did none. Where both give a counter, the value from
  // these passes counts.
  tensor_bf16,
  tensor_f16,
  tensor_tf32,
  tensor_i8,
  tensor_f64,
  // Last, so that they take no launches from the others.
  stalls,  ///< why warps wait: hardware counters
  pipes,   ///< instructions of each arithmetic pipe: hardware counters
};
inline constexpr auto kPasses = kEnumerators<Pass>;

/// Which NVTX ranges a launch belongs to if its thread has no ranges of its own.
enum class NvtxScope {
  process,  ///< those of the thread that opened a range last: PyTorch's backward pass has threads of its own
  thread,   ///< none
};

/// When the program is traced and counted.
enum class Capture {
  all,
  cuda_profiler,  ///< from cudaProfilerStart() to cudaProfilerStop(), as often as they come
  nvtx,           ///< while an NVTX range of a certain name is open in the process
};

std::string_view to_string(Capture capture);

/// When to capture, and the name of the range for `Capture::nvtx`.
struct CaptureChoice {
  Capture capture = Capture::all;
  std::string range;

  bool operator==(const CaptureChoice&) const = default;
};

/// Reads `all`, `cuda-profiler` or `nvtx:NAME`; nothing if it is another text.
std::optional<CaptureChoice> capture_from(std::string_view text);

/// What `rooflinectl profile` tells the library that it loads into a program. `capture` decides which
/// launches are traced; of these, the ones that `kernel`, `nvtx`, `skip` and `limit` select (`LaunchFilter`)
/// are counted, as many as `samples` allows.
struct ProfileSettings {
  std::string records;  ///< folder, absolute, in which each process makes a file of its own: `<name>.jsonl`
  std::string cupti;    ///< file of the library, absolute; empty where there is none
  int samples = 3;      ///< launches that are counted of each group in each pass
  std::string kernel;   ///< POSIX extended regular expression, searched in the symbol; empty for all
  std::string nvtx;     ///< glob that the name of a range around the launch matches; empty for all
  NvtxScope nvtx_scope = NvtxScope::process;
  Capture capture = Capture::all;
  std::string capture_range;           ///< the name of the range of `Capture::nvtx`
  std::uint64_t skip = 0;              ///< how many selected launches of a process pass before any is counted
  std::optional<std::uint64_t> limit;  ///< how many selected launches after them may be counted
  /// Whether CUDA graphs are groups, rather than the kernels in them, which are counted by launching them one
  /// by one in place of some launches of the graph.
  bool whole_graphs = false;
  std::vector<Pass> passes = {kPasses.begin(), kPasses.end()};
  /// Symbols of the kernels that are counted; empty for all that `kernel` selects. Where `passes` lacks
  /// memory, an earlier run has shown that these end by themselves.
  std::vector<std::string> only;
  /// What the longest launch of these took in an earlier run, by symbol, in seconds.
  std::map<std::string, double> known_s;
  /// Time between two samples of the devices, which are taken once counting is over; nothing for no samples.
  std::optional<std::uint64_t> timeline_interval_ns;

  bool operator==(const ProfileSettings&) const = default;
};

}  // namespace rooflinectl
