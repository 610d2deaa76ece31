// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/counters/counters.h"
#include "core/machine_code/machine_code.h"
#include "core/model/run.h"
#include "core/program/application.h"

/// What the library that `rooflinectl profile` loads into a program writes about the process that it is in:
/// one file per process, one record per line, in the order in which things became known. Whatever a process
/// wrote before it crashed can be read. Times are nanoseconds of the system's monotonic clock.
namespace rooflinectl::record {

/// The first record of each file.
struct Process {
  static constexpr const char* kType = "process";
  int process = 0;  ///< its id
  int parent = 0;
  std::optional<int> rank;   ///< among those that a launcher (mpirun, torchrun, srun) started together
  std::optional<int> ranks;  ///< how many these are
  std::string host;          ///< that it runs on
  std::string boot_id;       ///< of that host's system, as in `ProgramHost`
  std::vector<std::string> command_line;
  std::uint64_t start_ns = 0;

  bool operator==(const Process&) const = default;
};

/// A GPU that the process uses.
struct Device {
  static constexpr const char* kType = "device";
  int device = 0;  ///< as the process counts them
  std::string uuid;
  std::string chip;  ///< CUPTI's name
  std::optional<int> cupti_version;

  bool operator==(const Device&) const = default;
};

/// A kernel, as its module has it, or a CUDA graph.
struct Kernel {
  static constexpr const char* kType = "kernel";
  std::uint64_t kernel = 0;  ///< place in order of appearance, from 0; likewise below
  std::string symbol;        ///< mangled as the compiler left it; for a graph, what tells it from others
  std::optional<std::uint64_t> graph_nodes;  ///< of a graph: how many nodes it has
  int registers_per_thread = 0;
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t local_bytes_per_thread = 0;
  /// A digest of the module that has its code, which tells kernels with one symbol apart; nothing if it is
  /// not known.
  std::optional<std::uint64_t> code;
  /// The kinds of instructions with which it may use the Tensor Cores, from its machine code; nothing if that
  /// could not be read.
  std::optional<std::vector<TensorInstruction>> tensor_instructions;
  /// Whether it may do arithmetic on FP16 or BF16 outside of the Tensor Cores; nothing likewise.
  std::optional<bool> has_half_arithmetic;

  bool operator==(const Kernel&) const = default;
};

using Extent = std::array<std::uint32_t, 3>;

/// Of a launch.
inline double warps_of(const Extent& grid, const Extent& block) {
  constexpr double kLanes = 32;
  const auto count = [](const Extent& extent) {
    return static_cast<double>(extent[0]) * extent[1] * extent[2];
  };
  return count(grid) * std::ceil(count(block) / kLanes);
}

/// Warp instructions that a launch of the same work may execute beyond the program's while the hardware
/// counts it. The activity trace, which is on then, adds some to each warp: 8 on an H200 with CUPTI 13.0.
inline constexpr double kMostTraceInstructions = 16;
/// CUPTI has up to 144 of its own in each range.
inline constexpr double kOwnInstructions = 200;
/// Hardware and instrumentation agree within 0.3 % on kernels that wait for each other, exactly on others:
/// launches that differ by a larger part do not do the same.
inline constexpr double kMostDifference = 0.05;
/// Warps that wait in a loop for others, or for a copy into shared memory, may execute so many times what
/// they do at another speed.
inline constexpr double kMostPolling = 1.5;

/// Whether launches of one kernel and shape did the same, by the warp instructions and the execution
/// efficiency that the hardware counted.
inline bool is_same_work(double instructions, double efficiency, double other_instructions,
                         double other_efficiency) {
  constexpr double kOtherEfficiency = 1e-4;
  return std::abs(instructions - other_instructions) <= kOwnInstructions &&
         std::abs(efficiency - other_efficiency) <= kOtherEfficiency * efficiency;
}

/// Whether they nearly did, by the warp instructions that the hardware counted.
inline bool is_similar_work(double instructions, double other_instructions) {
  return std::abs(instructions - other_instructions) <= kMostDifference * other_instructions;
}

/// Launches of one kernel, or CUDA graph, of one shape under the same NVTX ranges.
struct Group {
  static constexpr const char* kType = "group";
  std::uint64_t group = 0;
  int device = 0;
  std::uint64_t kernel = 0;
  Extent grid{};
  Extent block{};
  std::optional<Extent> cluster;
  std::uint64_t dynamic_shared_bytes = 0;
  std::optional<int> blocks_per_sm;  ///< that fit at once
  /// Which launch of its kernel the group's first one was in this process, counted from 1. Not for graphs.
  std::optional<std::uint64_t> first_launch;
  std::string path;  ///< names of the NVTX ranges, from the outermost, joined by `/`
  /// For a collective, the bytes of one message, as `CollectiveKernel` has them. Nothing where they are
  /// unknown.
  std::optional<std::uint64_t> message_bytes;

  bool operator==(const Group&) const = default;
};

/// What one launch of a group took, as the activity trace has it.
struct Launch {
  std::uint64_t group = 0;
  std::uint64_t stream = 0;
  std::uint64_t start_ns = 0;
  std::uint64_t duration_ns = 0;
  bool is_counted = false;  ///< the program was held around it, and its counters were read

  bool operator==(const Launch&) const = default;
};

/// Launches that the trace delivered together.
struct Launches {
  static constexpr const char* kType = "launches";
  std::vector<Launch> launches;

  bool operator==(const Launches&) const = default;
};

/// What ran inside one launch of a CUDA graph.
struct GraphKernel {
  std::uint64_t group = 0;  ///< of the graph's launch
  std::uint64_t kernel = 0;
  std::uint64_t launches = 0;
  std::uint64_t duration_ns = 0;  ///< of all of them

  bool operator==(const GraphKernel&) const = default;
};

/// Kernels inside of graphs that the trace delivered together; to be added to earlier ones of the same graph.
struct GraphKernels {
  static constexpr const char* kType = "graph_kernels";
  std::vector<GraphKernel> kernels;

  bool operator==(const GraphKernels&) const = default;
};

/// A copy, or a set, of memory.
struct Transfer {
  TransferKind kind = TransferKind::other;
  int device = 0;
  std::uint64_t bytes = 0;
  std::uint64_t start_ns = 0;
  std::uint64_t duration_ns = 0;

  bool operator==(const Transfer&) const = default;
};

/// Transfers that the trace delivered together.
struct Transfers {
  static constexpr const char* kType = "transfers";
  std::vector<Transfer> transfers;

  bool operator==(const Transfers&) const = default;
};

/// Counters of one launch.
struct Counted {
  static constexpr const char* kType = "counted";
  std::uint64_t group = 0;
  std::string pass;           ///< what was counted together: `memory`, `operations`, `tensor_bf16`, …
  std::uint64_t ordinal = 0;  ///< which launch of its group it was, from 1
  Counters counters;

  bool operator==(const Counted&) const = default;
};

/// Launches of a group that the trace did not see, because it was off while they ran.
struct Untraced {
  static constexpr const char* kType = "untraced";
  std::uint64_t group = 0;
  std::uint64_t launches = 0;

  bool operator==(const Untraced&) const = default;
};

/// Launches of a group that the driver refused: nothing ran.
struct Failed {
  static constexpr const char* kType = "failed";
  std::uint64_t group = 0;
  std::uint64_t launches = 0;
  std::string error;  ///< the driver's name for it: `CUDA_ERROR_INVALID_VALUE`

  bool operator==(const Failed&) const = default;
};

/// One passage of the program through an NVTX range, from its opening to its closing.
struct Range {
  std::uint64_t start_ns = 0;
  std::uint64_t duration_ns = 0;

  bool operator==(const Range&) const = default;
};

/// Ranges of one path that were closed, within which something was launched.
struct Ranges {
  static constexpr const char* kType = "ranges";
  std::string path;  ///< as `Group::path`, this range being the innermost
  std::vector<Range> ranges;

  bool operator==(const Ranges&) const = default;
};

/// From here on, until the next record of this kind, the counters are set to a pass, and the activity trace
/// is on or off.
struct PassBegun {
  static constexpr const char* kType = "pass";
  std::string pass;  ///< empty where nothing is counted
  bool is_traced = false;
  std::uint64_t at_ns = 0;

  bool operator==(const PassBegun&) const = default;
};

/// Times, ascending, during which the process's launches on a device waited for a launch to be counted, or
/// for the pass to change.
struct Held {
  static constexpr const char* kType = "held";
  int device = 0;
  std::vector<Range> spans;

  bool operator==(const Held&) const = default;
};

/// From here on a device is sampled.
struct SamplingBegun {
  static constexpr const char* kType = "sampling";
  int device = 0;
  std::uint64_t interval_ns = 0;
  std::uint64_t at_ns = 0;
  std::vector<std::string> keys;                ///< of what is sampled
  std::map<std::string, std::string> metrics;   ///< key → the hardware metric that it comes from
  std::map<std::string, std::string> left_out;  ///< key → why it is not sampled

  bool operator==(const SamplingBegun&) const = default;
};

/// What the device counted in a span of time.
struct Sample {
  std::uint64_t start_ns = 0;
  std::uint64_t duration_ns = 0;
  std::vector<double> values;  ///< parallel to `SamplingBegun::keys`

  bool operator==(const Sample&) const = default;
};

/// Samples that were read together, ascending.
struct Samples {
  static constexpr const char* kType = "samples";
  int device = 0;
  std::vector<Sample> samples;

  bool operator==(const Samples&) const = default;
};

/// In which lines of its source the warps of a kernel were, in all of its launches on a device for a while.
struct SampledKernel {
  static constexpr const char* kType = "sampled_kernel";
  int device = 0;
  std::string symbol;  ///< as `Kernel::symbol`
  SampledLines sampled;

  bool operator==(const SampledKernel&) const = default;
};

/// What the board of a device drew at a moment.
struct PowerReading {
  std::uint64_t at_ns = 0;
  double watts = 0;

  bool operator==(const PowerReading&) const = default;
};

/// Readings that were taken together, ascending.
struct Power {
  static constexpr const char* kType = "power";
  int device = 0;
  std::vector<PowerReading> readings;

  bool operator==(const Power&) const = default;
};

/// How the cause begins where a process is not profiled at all.
inline constexpr std::string_view kNothingSeen = "nothing of this process was seen";

/// How the cause of a problem that concerns a whole pass begins, after the name of the pass.
inline constexpr std::string_view kNotCounted = "could not be counted";

/// How the cause begins where no more launches of a group are counted, since they may wait for others.
inline constexpr std::string_view kLeftAlone =
    "its launches did not finish while the program was held for them";

/// How the cause begins where a launch of a group took longer than the program may be held for it. Later ones
/// may be counted, as may those of a run that knows how long they take.
inline constexpr std::string_view kHeldTooShort = "a launch took longer than the program may be held for it";

/// Something that could not be measured, and why.
struct Problem {
  static constexpr const char* kType = "problem";
  std::optional<std::uint64_t> group;  ///< nothing where it concerns the process
  std::string cause;
  std::string hint;

  bool operator==(const Problem&) const = default;
};

/// The last record of a file, unless the process ended without notice.
struct End {
  static constexpr const char* kType = "end";
  std::uint64_t at_ns = 0;
  std::uint64_t lost_activities = 0;    ///< that CUPTI had no room for
  std::uint64_t lost_records = 0;       ///< that could not be written
  std::uint64_t left_out_launches = 0;  ///< of groups, or in records, beyond what a process may write

  bool operator==(const End&) const = default;
};

}  // namespace rooflinectl::record

namespace rooflinectl {

using ProfileRecord =
    std::variant<record::Process, record::Device, record::Kernel, record::Group, record::Launches,
                 record::GraphKernels, record::Transfers, record::Counted, record::Untraced, record::Failed,
                 record::Ranges, record::PassBegun, record::Held, record::SamplingBegun, record::Samples,
                 record::SampledKernel, record::Power, record::Problem, record::End>;

}  // namespace rooflinectl
