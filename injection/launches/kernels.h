// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/counters/counters.h"
#include "core/program/profile_record.h"
#include "injection/launch.h"
#include "injection/lock_order.h"

namespace rooflinectl::injection {

/// A kernel or graph of the process: its place in order of appearance.
using KernelId = std::uint64_t;

/// What a process launches. It stays where it is until the process ends.
struct Kernel {
  KernelId id = 0;
  std::string symbol;
  bool is_collective = false;
  bool is_graph = false;
  bool is_of_nccl = false;
  std::atomic<std::uint64_t>* launches = nullptr;  ///< so far, of all kernels with that symbol
  bool is_left_out = false;                        ///< stands for all beyond what a process may have
  std::optional<DecodedTensor> tensor;
};

/// The kernels that a process launches, by their code, and its graphs, by what is in them. Each is written
/// down when it is first seen. Member functions may be called from any thread.
class Kernels {
 public:
  using Sink = std::function<void(const ProfileRecord&)>;

  /// Kernels and graphs of a process; launches of later ones are left out.
  static constexpr std::size_t kMostKernels = 32'768;

  explicit Kernels(Sink sink, std::size_t most_kernels = kMostKernels);
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  /// The kernel behind a handle of the driver; null if it was not added since its module was loaded.
  Kernel* find(Handle function);
  /// `kernel`: what the driver knows about the function.
  Kernel& add(Handle function, const record::Kernel& kernel);
  /// A kernel of which only the symbol is known: it ran in a graph.
  Kernel& in_graph(std::string_view symbol);

  /// The graph behind an executable one, even if its making was not seen.
  Kernel& graph(Handle executable);
  /// An executable graph was made; graphs with one name are the same.
  void graph_made(Handle executable, const std::string& name, std::uint64_t nodes);
  void graph_destroyed(Handle executable);
  /// Handles may mean other kernels from now on.
  void module_unloaded();

 private:
  /// What tells kernels apart: two modules may have different kernels with one symbol.
  using Identity = std::tuple<std::string, int, std::uint64_t, std::uint64_t, std::optional<std::uint64_t>,
                              std::optional<std::vector<TensorInstruction>>>;
  struct HashIdentity {
    std::size_t operator()(const Identity& identity) const {
      return std::hash<std::string>()(std::get<0>(identity));
    }
  };

  Kernel& known(record::Kernel kernel);

  const Sink sink_;
  const std::size_t most_kernels_;
  OrderedMutex<LockOrder::kernels> mutex_;
  std::unordered_map<Handle, Kernel*> of_function_;
  std::unordered_map<Handle, Kernel*> of_graph_;
  std::unordered_map<Identity, Kernel*, HashIdentity> of_identity_;
  std::unordered_map<std::string, Kernel*> of_symbol_;  // the first with that symbol
  std::deque<Kernel> kernels_;
  std::deque<std::atomic<std::uint64_t>> launches_;
  std::uint64_t unknown_graphs_ = 0;
  Kernel left_out_;
  std::atomic<std::uint64_t> left_out_launches_ = 0;
  bool is_full_ = false;
};

}  // namespace rooflinectl::injection
