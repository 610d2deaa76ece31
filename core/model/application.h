// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A program that was profiled while it ran, as a whole. What its kernels did is in `Run::measurements`.
namespace rooflinectl {

/// Times in which nothing ran on a device, between one piece of work (a kernel, a copy, a set) and the next,
/// of one length.
struct IdleGaps {
  std::optional<double> below_s;  ///< the first length that is too long; nothing for the longest
  std::uint64_t count = 0;
  double total_s = 0;

  bool operator==(const IdleGaps&) const = default;
};

/// What the trace saw of a device while nothing was counted: counting holds a program, and makes it idle.
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
  /// Of that, while the trace was off: nothing is known of it, and it is in no time below.
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
  pageable_to_device,  ///< from memory that the driver first copies to some that is pinned
  device_to_host,
  device_to_pageable,
  device_to_device,
  peer_to_peer,
  set,    ///< memory set to a value
  other,  ///< host to host, arrays, managed memory
};

std::string_view to_string(TransferKind kind);

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

struct Application {
  std::vector<std::string> command_line;
  std::string folder;          ///< in which it was started; empty in older runs
  int exit_code = 0;           ///< 128 + N after signal N, as a shell has it
  double wall_s = 0;           ///< from the program's start to its end, profiled
  int runs = 1;                ///< how often it was run
  std::vector<int> processes;  ///< ids of those that used CUDA, in the order of their starts
  std::uint64_t launches = 0;  ///< of kernels and graphs, over all processes
  std::uint64_t untraced = 0;  ///< those of them without a time: the trace was off, or did not deliver them
  std::uint64_t lost = 0;      ///< records of launches that CUPTI had no room for
  std::vector<DeviceUse> devices;
  std::vector<TransferUse> transfers;
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

/// What is known of all launches of a point that a program launched, where `Measurement::time` has samples.
struct LaunchStatistics {
  std::string symbol;  ///< of the kernel, as its module has it; empty for CUDA graphs
  /// Which launch of its kernel the point's first one was in its process, from 1. Nothing of CUDA graphs.
  std::optional<std::uint64_t> first;
  std::uint64_t count = 0;   ///< seen, traced or not
  std::uint64_t traced = 0;  ///< those with a time
  double total_s = 0;        ///< sum of the times of the traced ones
  double p95_s = 0;          ///< 95th percentile of these times
  /// Sum of the times during which another kernel ran on the device too.
  double overlapped_s = 0;
  std::uint64_t gaps_before = 0;              ///< of `UndisturbedUse::gaps`, those that ended with a launch
  double idle_before_s = 0;                   ///< their sum
  std::uint64_t counted = 0;                  ///< launches with counters
  std::optional<std::uint64_t> graph_nodes;   ///< where the point is a CUDA graph: how many it has
  std::vector<GraphKernelUse> graph_kernels;  ///< of a CUDA graph, the longest total first

  bool operator==(const LaunchStatistics&) const = default;
};

}  // namespace rooflinectl
