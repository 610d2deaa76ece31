// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cupti_callbacks.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "injection/cuda/stand_in.h"
#include "injection/cuda/streams.h"
#include "injection/graph_gate.h"
#include "injection/launches/graph_launches.h"
#include "injection/lock_order.h"

namespace rooflinectl::injection {

struct DestroyExecutableGraph {
  void operator()(CUgraphExec executable) const { cuGraphExecDestroy(executable); }
};
/// An executable graph of ours. It may be destroyed while it runs.
using GraphPart = std::unique_ptr<CUgraphExec_st, DestroyExecutableGraph>;

/// What an executable CUDA graph does, in a form in which its nodes can be launched one by one: a program
/// may destroy or change the graph that it was made from. Whatever the program does to the executable graph
/// afterwards must be done to the copy, too. As with the graph itself, one thread at a time may use it.
class GraphCopy {
 public:
  /// Of a graph that was just made executable in the current context.
  GraphCopy(CUgraph graph, CUgraphExec executable);
  ~GraphCopy();
  GraphCopy(const GraphCopy&) = delete;
  GraphCopy& operator=(const GraphCopy&) = delete;

  /// Why its nodes cannot be launched one by one; empty if they can.
  const std::string& obstacle() const { return obstacle_; }
  std::size_t nodes() const { return nodes_.size(); }
  CUcontext context() const { return context_; }
  CUdevice device() const { return device_; }
  /// What it launches, once it is known to have no obstacle.
  const std::shared_ptr<const GraphNodes>& kernels();

  // What was done to the executable graph.
  void set(CUgraphNode original, const CUDA_KERNEL_NODE_PARAMS& parameters);
  void set(CUgraphNode original, const CUDA_MEMCPY3D& parameters);
  void set(CUgraphNode original, const CUDA_MEMSET_NODE_PARAMS& parameters);
  void set(CUgraphNode original, CUgraph child);
  void set(CUgraphNode original, const CUgraphNodeParams& parameters);
  void set_enabled(CUgraphNode original, bool is_enabled);
  void replace(CUgraph graph);
  void miss(const char* change);

  /// Launches after which it is asked whether they are done: the driver takes 1,022 before it waits for the
  /// GPU.
  static constexpr std::size_t kMostAhead = 512;

  /// What follows the first `kMostAhead` nodes, as executable graphs of that many, ready to be launched. To
  /// be called before `run`: while the GPU waits for the program, making them may wait for the GPU. Empty if
  /// there is none, or if the driver does not make one.
  std::vector<GraphPart> make_parts(CUstream stream) const;
  /// Launches the nodes, each in a stream in which it follows those that it depends on, and lets `stream`
  /// wait for all of them. The launches are the program's. If nodes are not done in time, and so may wait for
  /// the program, the others are launched as `parts`. Returns the error of the launch that the driver
  /// refused.
  CUresult run(CUstream stream, Streams& streams, const std::vector<GraphPart>& parts);
  /// The context is destroyed, and everything in it.
  void let_go();

 private:
  struct Node {
    CUgraphNode node = nullptr;
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    std::vector<std::size_t> after;  // nodes that it depends on
    std::size_t lane = 0;            // of parallel branches; the first is the stream of the launch
    bool is_awaited = false;         // in another lane
  };
  /// What an update of a kernel may change beside its arguments.
  struct KernelShape {
    KernelShape() = default;
    explicit KernelShape(const CUDA_KERNEL_NODE_PARAMS& kernel);
    bool operator==(const KernelShape&) const = default;

    CUfunction function = nullptr;
    record::Extent grid{};
    record::Extent block{};
    unsigned int dynamic_shared_bytes = 0;
  };
  using Parents = std::vector<std::size_t>;
  class Branches;

  void take(CUgraph graph);
  Parents add(CUgraph graph, const Parents& before);
  Parents add(CUgraphNode node, const Parents& after);
  void assign_lanes();
  void find_obstacles();
  std::string obstacle_of_kinds(CUgraph graph) const;
  std::string obstacle_of(const Node& node) const;
  Launch launch_of(CUgraphNode node) const;
  std::string name() const;
  CUgraphNode copy_of(CUgraphNode original);
  template <typename Parameters>
  void set_original(CUgraphNode original, const Parameters& parameters);
  void set_copy(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS& parameters);
  void set_copy(CUgraphNode node, const CUDA_MEMCPY3D& parameters);
  void set_copy(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS& parameters);
  void set_within(CUgraph copy, CUgraph graph);
  CUresult launch(std::size_t place, CUstream stream) const;
  CUresult launch_as_graph(std::size_t place, CUstream stream) const;
  GraphPart make_part(std::size_t first, std::size_t last) const;
  CUresult add_to(CUgraph graph, const Node& node, const std::vector<CUgraphNode>& after,
                  CUgraphNode& added) const;
  void release();

  const CUgraphExec executable_;
  CUcontext context_ = nullptr;
  CUdevice device_ = 0;
  CUgraph copy_ = nullptr;
  std::vector<CUgraph> graphs_;                          // the copy, and those within
  std::unordered_map<CUgraphNode, CUgraphNode> copies_;  // of nodes that the program has updated
  std::unordered_map<CUgraphNode, KernelShape> shapes_;  // that it gave copies last
  std::vector<Node> nodes_;                              // each after those that it depends on
  std::size_t lanes_ = 1;
  std::set<CUgraphNode> disabled_;
  std::string obstacle_;
  std::string name_;
  std::shared_ptr<const GraphNodes> kernels_;  // null once they have changed
};

/// The copies of the executable graphs of the process. Member functions may be called from any thread.
class GraphCopies {
 public:
  /// Nodes of all copies: graphs that are made later are launched as a whole.
  static constexpr std::size_t kMostNodes = 200'000;

  /// The executable graph was made.
  void made(CUgraphExec executable, CUgraph graph);
  /// It is about to be destroyed.
  void destroyed(CUgraphExec executable);
  void context_destroyed(CUcontext context);
  /// Its copy; null if there is none.
  std::shared_ptr<GraphCopy> find(CUgraphExec executable);

  /// Whether a callback can let the driver refuse a launch, and the program believe that it was made, which
  /// CUPTI does not promise; nothing before it was tested.
  std::optional<bool> can_replace_launches() const;
  /// Finds it out, with graphs of our own, unless another thread has.
  bool test_replacing();
  /// For calls that launch executable graphs, make or change them.
  GraphGate& gate() { return gate_; }
  /// For launching the nodes of graphs on a device.
  StandIn& stand_in(CUdevice device);
  /// To be called for each callback in our own calls.
  static void in_own_call(CUpti_CallbackId function, const CUpti_CallbackData& call);

 private:
  static bool can_replace();

  GraphGate gate_;
  OrderedMutex<LockOrder::graphs> mutex_;  // guards what follows
  std::map<CUdevice, StandIn> stand_ins_;
  std::unordered_map<CUgraphExec, std::shared_ptr<GraphCopy>> copies_;
  std::size_t nodes_ = 0;
  std::once_flag tested_;
  std::atomic<bool> is_tested_ = false;
  bool can_replace_ = false;
};

}  // namespace rooflinectl::injection
