// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a trace of `torch.profiler` has about kernels and what launched them. Other events are left out.
/// Times are microseconds since whatever the trace counts from. Names are places in `TorchTrace::names`;
/// threads are numbered from 0 in the order in which they first appear.
namespace rooflinectl {

enum class TorchSpanKind {
  operation,   ///< an operator of PyTorch, forward or backward
  module,      ///< the call of a module
  annotation,  ///< `record_function`, a step of an optimizer
};

/// Something that a thread did for a time.
struct TorchSpan {
  TorchSpanKind kind = TorchSpanKind::operation;
  std::size_t name = 0;
  std::size_t thread = 0;
  double start_us = 0;
  double end_us = 0;
  std::optional<std::uint64_t> id;  ///< `External id` of an operator
  /// Of an operator that autograd tracks: its backward operator has the same one.
  std::optional<std::uint64_t> sequence;
  bool is_backward = false;

  bool operator==(const TorchSpan&) const = default;
};

/// A call of the CUDA runtime or driver.
struct TorchCall {
  std::uint64_t correlation = 0;
  std::size_t thread = 0;
  double start_us = 0;
  bool is_graph = false;  ///< it launches a CUDA graph

  bool operator==(const TorchCall&) const = default;
};

/// A kernel that ran. Versions of PyTorch differ in what they write about it.
struct TorchKernel {
  using Extent = std::array<std::uint64_t, 3>;

  std::size_t name = 0;
  double start_us = 0;
  double duration_us = 0;
  std::optional<Extent> grid;
  std::optional<Extent> block;
  std::optional<std::uint64_t> shared_bytes;  ///< static and dynamic
  std::optional<std::uint64_t> device;        ///< as PyTorch counts them
  std::optional<std::uint64_t> correlation;   ///< with the call that launched it
  std::optional<std::uint64_t> id;            ///< of the operator that did

  bool operator==(const TorchKernel&) const = default;
};

struct TorchTrace {
  std::vector<std::string> names;  ///< each once, printable
  std::vector<TorchSpan> spans;
  std::vector<TorchCall> calls;
  std::vector<TorchKernel> kernels;

  bool operator==(const TorchTrace&) const = default;
};

/// The most spans, calls and kernels together that are read from a trace: about 3 GiB of text.
inline constexpr std::size_t kMostTorchEvents = 10'000'000;

}  // namespace rooflinectl
