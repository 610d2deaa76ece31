// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine/ranks.h"
#include "core/machine_code/machine_code.h"

/// A program that was profiled while it ran, as a whole. What its kernels did is in `Run::measurements`.
namespace rooflinectl {

/// Times in which nothing ran on a device, from one piece of work (a kernel, a copy, a set) to the next, in
/// one range of lengths.
struct IdleGaps {
  std::optional<double> below_s;  ///< end of the range, excluded; nothing for the longest
  std::uint64_t count = 0;
  double total_s = 0;

  bool operator==(const IdleGaps&) const = default;
};

/// What the trace saw of a device while nothing was counted: counting holds the program up, and so leaves the
/// device idle.
struct UndisturbedUse {
  double busy_s = 0;           ///< while anything ran
  std::vector<IdleGaps> gaps;  ///< by length, the shortest first

  double idle_s() const;
  bool operator==(const UndisturbedUse&) const = default;
};

/// What a device was used for while the program ran, over all of its processes.
struct DeviceUse {
  std::size_t device = 0;  ///< its place in `Run::devices`
  /// From the first start to the last end of anything that the trace saw on it.
  double span_s = 0;
  /// The part of it in which the trace was off, or nothing but collectives ran that waited for a rank that
  /// was held: nothing is known about it, and no time below includes it.
  double untraced_s = 0;
  /// While at least one kernel ran: the union of their intervals.
  double kernel_busy_s = 0;
  /// While anything ran: kernels, copies and sets.
  double busy_s = 0;
  /// Sum of the times of all kernels; larger than `kernel_busy_s` where they overlap.
  double kernel_s = 0;
  std::optional<UndisturbedUse> undisturbed;  ///< nothing where something was counted all the time

  bool operator==(const DeviceUse&) const = default;
};

enum class TransferKind {
  host_to_device,      ///< from pinned memory
  pageable_to_device,  ///< from pageable memory, which the driver first copies to pinned memory
  device_to_host,
  device_to_pageable,
  device_to_device,
  peer_to_peer,
  set,    ///< memory set to a value
  other,  ///< host to host, arrays, managed memory
};

/// All copies, or sets, of one kind on one device.
struct TransferUse {
  std::size_t device = 0;
  TransferKind kind = TransferKind::other;
  std::uint64_t count = 0;
  double bytes = 0;
  double total_s = 0;
  std::uint64_t gaps_before = 0;  ///< of `UndisturbedUse::gaps`, those that ended with one of these
  double idle_before_s = 0;       ///< their sum

  bool operator==(const TransferUse&) const = default;
};

/// Something that could not be measured, and why.
struct ApplicationProblem {
  std::string cause;
  std::string hint;            ///< empty where there is none
  std::optional<int> process;  ///< nothing where it concerns all of them
  std::string subject;         ///< the kernel that it concerns; empty where it is the process

  bool operator==(const ApplicationProblem&) const = default;
};

/// What the counters of a process's devices were set to for a time. Times are since the start of the first
/// traced launch of the run.
struct PassUse {
  int process = 0;   ///< its id
  std::string pass;  ///< what was counted, as in `kPasses`
  bool is_traced = false;
  double start_s = 0;  ///< 0 where it began before that launch
  double end_s = 0;
  /// When the last launch that was delayed for counting ended. For a pass without a trace, the end of the
  /// pass; for a traced pass that counted nothing, its start. Nothing in older runs.
  std::optional<double> counted_until_s;

  bool operator==(const PassUse&) const = default;
};

/// How often a program went through an NVTX range within which it launched something, over all processes, and
/// how long that took the host. The kernels launched there may run later: their times are not included.
struct RangeTimes {
  std::string path;         ///< as that of the points
  std::uint64_t count = 0;  ///< ranges that were closed
  /// Those of them during which nothing was counted, since counting holds the program up. The times are
  /// theirs; in a merged run, the medians of the runs' times, and the largest 95th percentile.
  std::uint64_t undisturbed = 0;
  std::optional<double> median_s;  ///< from opening to closing; nothing where each was disturbed
  std::optional<double> p95_s;
  /// Median from the opening of one to the opening of the process's next one; nothing where there is no such
  /// pair, or several are open at a time.
  std::optional<double> interval_s;

  bool operator==(const RangeTimes&) const = default;
};

/// The process of `processes` with this id; null where it is not among them.
const ProgramProcess* find_process(const std::vector<ProgramProcess>& processes, int id);

struct Application {
  std::vector<std::string> command_line;
  std::string folder;  ///< in which it was started; empty in older runs
  /// 128 + N after signal N, as a shell has it; nothing where rooflinectl was killed before the program
  /// ended.
  std::optional<int> exit_code;
  std::optional<double> wall_s;    ///< from the start of the profiled program to its end; likewise
  int runs = 1;                    ///< how often it was run
  std::vector<ProgramHost> hosts;  ///< empty in older runs
  /// Those that used CUDA, in the order of their starts. Older runs have only their ids.
  std::vector<ProgramProcess> processes;
  std::vector<CollectiveKernel> collectives;  ///< whose launches are in `ProgramProcess::collectives`
  std::uint64_t launches = 0;                 ///< of kernels and graphs, over all processes
  std::uint64_t untraced = 0;  ///< those of them without a time: the trace was off, or did not deliver them
  std::uint64_t lost = 0;      ///< records of launches that CUPTI had no room for
  std::vector<DeviceUse> devices;
  std::vector<TransferUse> transfers;
  std::vector<PassUse> passes;         ///< of the first run, by their starts; empty in older runs
  std::vector<RangeTimes> ranges;      ///< of the first run, by path; empty in older runs
  std::vector<RankGroup> other_ranks;  ///< of a merged run: what its measurements leave out
  std::vector<ApplicationProblem> problems;

  bool operator==(const Application&) const = default;
};

/// A kernel that ran inside of the launches of a CUDA graph.
struct GraphKernelUse {
  std::string kernel;          ///< its name, as `PointId::subject` has it
  std::uint64_t launches = 0;  ///< in all traced launches of the graph together
  double total_s = 0;          ///< sum of their times

  bool operator==(const GraphKernelUse&) const = default;
};

/// The most `LaunchTimes` of a point: `kMostLaunchTimes` for the `kDetailedPoints` points that took longest,
/// `kFewLaunchTimes` for all others. Thousands of points would otherwise make a run too long.
inline constexpr std::size_t kMostLaunchTimes = 128;
inline constexpr std::size_t kFewLaunchTimes = 8;
inline constexpr std::size_t kDetailedPoints = 400;

/// Consecutive traced launches of a point: a single one or, where there are many, those of a part of the run.
struct LaunchTimes {
  double start_s = 0;          ///< of the first one, since the start of the run's first traced launch
  std::uint64_t launches = 0;  ///< at least one
  std::uint64_t counted = 0;   ///< those of them that were held to be counted
  double min_s = 0;            ///< of their times
  double median_s = 0;
  double max_s = 0;

  bool operator==(const LaunchTimes&) const = default;
};

/// A command line as one text, its words joined by blanks.
std::string command_text(const std::vector<std::string>& words);

/// Whether the kernel with this symbol, mangled or not, is one of NCCL's.
bool is_of_nccl(std::string_view symbol);

/// Whether it waits for kernels of other devices: one of NCCL's, or of the other libraries that
/// `core/program/collective_kernels.cpp` lists.
bool is_collective(std::string_view symbol);

/// Launches that do about the same work.
struct WorkCluster {
  double share = 0;  ///< of the launches
  double mean = 0;   ///< of the counter that tells the clusters apart

  bool operator==(const WorkCluster&) const = default;
};

/// How the work of the launches that were counted falls into clusters, the least work first.
struct WorkClusters {
  std::string counter;
  std::vector<WorkCluster> parts;  ///< at least two

  bool operator==(const WorkClusters&) const = default;
};

/// A line of a kernel's source.
struct SampledLine {
  std::string file;  ///< as the compiler was given it
  int line = 0;      ///< from 1
  std::string text;  ///< of the line, without its indentation; empty if the file could not be read
  std::uint64_t samples = 0;
  /// What warps did there most often: the id of a `StallReason` for which they waited, or `selected`: they
  /// issued an instruction.
  std::string stall;
  std::uint64_t stalled = 0;  ///< in how many samples they did

  bool operator==(const SampledLine&) const = default;
};

/// Where the warps of a kernel were, in all of its launches while the device was sampled at fixed times.
struct SampledLines {
  std::uint64_t samples = 0;       ///< at all of its instructions, those without a line too
  std::vector<SampledLine> lines;  ///< the most samples first; in a run no more than `kMostSampledLines`

  bool operator==(const SampledLines&) const = default;
};

inline constexpr std::size_t kMostSampledLines = 5;

/// What is known about all launches of a point that a program launched; `Measurement::time` has samples of
/// them.
struct LaunchStatistics {
  std::string symbol;  ///< of the kernel, as its module has it; empty for CUDA graphs
  /// Which launch of its kernel the point's first one was in its process, counted from 1. Nothing for CUDA
  /// graphs.
  std::optional<std::uint64_t> first;
  std::uint64_t count = 0;   ///< seen, traced or not
  std::uint64_t traced = 0;  ///< those with a time
  double total_s = 0;        ///< sum of the times of the traced ones
  /// Of a collective: launches that waited for a rank that was held to be counted. They are in none of the
  /// times, nor in `traced`.
  std::uint64_t held = 0;
  double held_s = 0;  ///< sum of their times
  double p95_s = 0;   ///< 95th percentile of these times
  /// Sum of the times during which another kernel ran on the device too; for a collective, a kernel that is
  /// not one.
  double overlapped_s = 0;
  std::uint64_t gaps_before = 0;  ///< of `UndisturbedUse::gaps`, those that ended with a launch
  double idle_before_s = 0;       ///< their sum
  std::uint64_t counted = 0;      ///< launches with counters
  /// If the launches differ, and their times repeat after so many: then each of these was counted, and counts
  /// the same in the means of the counters. Nothing if they are alike, or the counters are plain means.
  std::optional<std::uint64_t> period;
  /// If the launches differ without such a period: what the means of counters were multiplied by, as the mean
  /// time of all launches is that of the counted ones times this; of several passes, what is furthest from 1.
  std::optional<double> counters_scale;
  /// Nothing if the launches that were counted do about the same work.
  std::optional<WorkClusters> clusters;
  /// If the operations of the Tensor Cores were not counted, but follow from the machine code and the number
  /// of tensor instructions: those of a warp in one of these; else 0.
  double operations_per_tensor_instruction = 0;
  /// If no launch was instrumented, but the hardware counted the same work as in launches of the same kernel
  /// and shape under another NVTX path: that path, whose operations these are.
  std::optional<std::string> operations_path;
  /// Whether the machine code has arithmetic on FP16 or BF16 outside of the Tensor Cores; nothing if that is
  /// not known.
  std::optional<bool> has_half_arithmetic;
  /// Whether the machine code multiplies sparse matrices (2 of 4 values) on the Tensor Cores, whose
  /// operations are counted with those on the zeros; nothing if that is not known.
  std::optional<bool> has_sparse_products;
  /// What its tensor instructions multiply; nothing if they differ, or that is not known.
  std::optional<TensorProducts> products;
  /// Of all launches of its kernel, under whichever path and of whichever shape; nothing if its code does not
  /// tell its lines, or it was not sampled.
  std::optional<SampledLines> sampled;
  std::optional<std::uint64_t> graph_nodes;   ///< where the point is a CUDA graph: how many it has
  std::vector<GraphKernelUse> graph_kernels;  ///< of a CUDA graph, the longest total first
  std::vector<LaunchTimes> over_time;         ///< by their starts; empty in older runs

  bool operator==(const LaunchStatistics&) const = default;
};

/// A file of another tool from which a run was made, and how that tool got its numbers. Texts are empty where
/// the file does not have them.
struct ImportedFile {
  std::string name;    ///< without its folder
  std::string format;  ///< `Nsight Compute report`, `Nsight Compute CSV`, `Nsight Systems export`, …
  std::string tool_version;
  std::string recorded_utc;   ///< ISO 8601
  std::string command_line;   ///< that the tool was called with
  std::string replay;         ///< `kernel`, `application`, `range`, … as the option --replay-mode has it
  std::string clock_control;  ///< `base`: locked to the base clock; `none`
  std::string cache_control;  ///< `all`: flushed before each pass; `none`
  std::vector<std::string> sections;  ///< sets, sections and metrics that were asked for
  std::vector<std::string> problems;  ///< what is missing from the file, and why

  bool operator==(const ImportedFile&) const = default;
};

}  // namespace rooflinectl
