// SPDX-License-Identifier: Apache-2.0
#include "injection/cuda/graph_copies.h"

#include <cupti.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/program/application.h"
#include "injection/cuda/graph_nodes.h"
#include "injection/cuda/launch_call.h"
#include "injection/launches/loaded_code.h"
#include "injection/process.h"

namespace rooflinectl::injection {

namespace {

constexpr std::size_t kMostLanes = 16;
/// Until `GraphCopy::kMostAhead` nodes are done. Once the program has been held for as long as it may be to
/// count one of them, a kernel that waits for the program, and gives up after 2 s, still does not do so.
constexpr auto kLongestWait = std::chrono::milliseconds(500);
constexpr const char* kUnknownNodes = "its nodes could not be read";

/// What kernels of a graph are launched with, beside their shape.
std::vector<CUlaunchAttribute> attributes_of(CUgraphNode node) {
  std::vector<CUlaunchAttribute> attributes;
  const auto add_if = [&](CUlaunchAttributeID id, auto is_set) {
    CUlaunchAttribute attribute{};
    attribute.id = id;
    if (cuGraphKernelNodeGetAttribute(node, id, &attribute.value) == CUDA_SUCCESS && is_set(attribute.value))
      attributes.push_back(attribute);
  };
  using Value = CUlaunchAttributeValue;
  add_if(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
         [](const Value& value) { return value.accessPolicyWindow.num_bytes > 0; });
  add_if(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, [](const Value& value) { return value.cooperative != 0; });
  add_if(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, [](const Value& value) { return value.clusterDim.x > 0; });
  add_if(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, [](const Value& value) {
    return value.clusterSchedulingPolicyPreference != CU_CLUSTER_SCHEDULING_POLICY_DEFAULT;
  });
  add_if(CU_LAUNCH_ATTRIBUTE_PRIORITY, [](const Value& value) { return value.priority != 0; });
  bool is_remote = false;
  add_if(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, [&](const Value& value) {
    return is_remote = value.memSyncDomain != CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT;
  });
  add_if(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, [&](const Value&) { return is_remote; });
  add_if(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
         [](const Value& value) { return value.preferredClusterDim.x > 0; });
  add_if(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
         [](const Value& value) { return value.sharedMemCarveout > 0; });
  return attributes;
}

bool is_device_updatable(CUgraphNode node) {
  CUlaunchAttributeValue value{};
  return cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &value) ==
             CUDA_SUCCESS &&
         value.deviceUpdatableKernelNode.deviceUpdatable != 0;
}

CUfunction function_of(const CUDA_KERNEL_NODE_PARAMS& kernel) {
  return kernel.func != nullptr ? kernel.func : reinterpret_cast<CUfunction>(kernel.kern);
}

/// Copies of pageable memory read or write it when they are called, or wait for the GPU.
bool is_pageable(CUmemorytype type, const void* host, CUdeviceptr device) {
  if (type != CU_MEMORYTYPE_HOST && type != CU_MEMORYTYPE_UNIFIED) return false;
  const CUdeviceptr address = type == CU_MEMORYTYPE_HOST ? reinterpret_cast<CUdeviceptr>(host) : device;
  unsigned int memory = 0;
  return cuPointerGetAttribute(&memory, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) != CUDA_SUCCESS;
}

CUresult set_memory(const CUDA_MEMSET_NODE_PARAMS& set, CUstream stream) {
  const auto value = set.value;
  switch (set.elementSize) {
    case 1:
      return set.height <= 1 ? cuMemsetD8Async(set.dst, static_cast<unsigned char>(value), set.width, stream)
                             : cuMemsetD2D8Async(set.dst, set.pitch, static_cast<unsigned char>(value),
                                                 set.width, set.height, stream);
    case 2:
      return set.height <= 1
                 ? cuMemsetD16Async(set.dst, static_cast<unsigned short>(value), set.width, stream)
                 : cuMemsetD2D16Async(set.dst, set.pitch, static_cast<unsigned short>(value), set.width,
                                      set.height, stream);
    default:
      return set.height <= 1 ? cuMemsetD32Async(set.dst, value, set.width, stream)
                             : cuMemsetD2D32Async(set.dst, set.pitch, value, set.width, set.height, stream);
  }
}

/// Why nodes of that type are not launched one by one; empty if they may be.
const char* obstacle_of_kind(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
    case CU_GRAPH_NODE_TYPE_MEMCPY:
    case CU_GRAPH_NODE_TYPE_MEMSET:
    case CU_GRAPH_NODE_TYPE_GRAPH:
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return "";
    case CU_GRAPH_NODE_TYPE_HOST:
      return "it calls host functions";
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return "it has conditional nodes";
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return "it allocates or frees memory";
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return "it waits for events or records them";
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
      return "it uses external semaphores";
    default:
      return "it has nodes of an unknown kind";
  }
}

/// In letters, so that nobody takes it for a number that counts.
std::string letters(std::uint64_t value) {
  constexpr int kLetters = 6;
  std::string text;
  for (int i = 0; i < kLetters; ++i, value /= 26) text += static_cast<char>('a' + value % 26);
  return text;
}

/// The next launch of a graph in this thread, which is not to be made.
enum class Tested { none, to_be_refused, refused };
thread_local Tested tested_launch = Tested::none;

}  // namespace

// -- one graph --

GraphCopy::KernelShape::KernelShape(const CUDA_KERNEL_NODE_PARAMS& kernel)
    : function(function_of(kernel)),
      grid{kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ},
      block{kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ},
      dynamic_shared_bytes(kernel.sharedMemBytes) {}

GraphCopy::GraphCopy(CUgraph graph, CUgraphExec executable) : executable_(executable) {
  cuCtxGetCurrent(&context_);
  cuCtxGetDevice(&device_);
  take(graph);
}

GraphCopy::~GraphCopy() {
  release();
}

void GraphCopy::release() {
  if (copy_ != nullptr) cuGraphDestroy(copy_);
  copy_ = nullptr;
  graphs_.clear();
  copies_.clear();
  shapes_.clear();
  nodes_.clear();
  disabled_.clear();
  kernels_ = nullptr;
}

void GraphCopy::let_go() {
  copy_ = nullptr;
  obstacle_ = "its context was destroyed";
}

void GraphCopy::take(CUgraph graph) {
  obstacle_.clear();
  cuuint64_t flags = 0;
  if (cuGraphExecGetFlags(executable_, &flags) != CUDA_SUCCESS ||
      (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0) {
    obstacle_ = "it can be launched from the device";
    return;
  }
  obstacle_ = obstacle_of_kinds(graph);
  if (!obstacle_.empty()) return;
  if (cuGraphClone(&copy_, graph) != CUDA_SUCCESS) {
    copy_ = nullptr;
    obstacle_ = "it could not be copied";
    return;
  }
  add(copy_, {});
  if (obstacle_.empty()) assign_lanes();
  if (obstacle_.empty()) find_obstacles();
  if (obstacle_.empty() && name_.empty()) name_ = name();
  if (!obstacle_.empty()) release();
}

/// Adds the nodes of a graph, which come after those before it. Returns those after which nothing of it
/// comes.
GraphCopy::Parents GraphCopy::add(CUgraph graph, const Parents& before) {
  graphs_.push_back(graph);
  const auto nodes = nodes_of(graph);
  std::size_t edge_count = 0;
  bool is_known = nodes && cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &edge_count) == CUDA_SUCCESS;
  std::vector<CUgraphNode> from(edge_count);
  std::vector<CUgraphNode> to(edge_count);
  std::vector<CUgraphEdgeData> edges(edge_count);
  is_known = is_known && (edge_count == 0 || cuGraphGetEdges(graph, from.data(), to.data(), edges.data(),
                                                             &edge_count) == CUDA_SUCCESS);
  if (!is_known) {
    obstacle_ = kUnknownNodes;
    return {};
  }
  struct Waiting {
    std::size_t parents = 0;  // that were not added yet
    std::vector<CUgraphNode> children;
    Parents after;
  };
  std::unordered_map<CUgraphNode, Waiting> waiting;
  for (CUgraphNode node : *nodes) waiting[node];
  for (std::size_t i = 0; i < edge_count; ++i) {
    waiting[from[i]].children.push_back(to[i]);
    ++waiting[to[i]].parents;
  }
  std::vector<CUgraphNode> ready;
  for (CUgraphNode node : *nodes) {
    if (waiting[node].parents > 0) continue;
    waiting[node].after = before;
    ready.push_back(node);
  }
  Parents last;
  for (std::size_t i = 0; i < ready.size() && obstacle_.empty(); ++i) {
    Waiting& current = waiting[ready[i]];
    const Parents ends = add(ready[i], current.after);
    if (current.children.empty()) last.insert(last.end(), ends.begin(), ends.end());
    for (CUgraphNode child : current.children) {
      Waiting& following = waiting[child];
      following.after.insert(following.after.end(), ends.begin(), ends.end());
      if (--following.parents == 0) ready.push_back(child);
    }
  }
  return nodes->empty() ? before : last;
}

GraphCopy::Parents GraphCopy::add(CUgraphNode node, const Parents& after) {
  Node added = {.node = node, .after = after};
  if (cuGraphNodeGetType(node, &added.type) != CUDA_SUCCESS || nodes_.size() >= GraphCopies::kMostNodes) {
    obstacle_ = kUnknownNodes;
    return {};
  }
  if (added.type == CU_GRAPH_NODE_TYPE_EMPTY) return after;
  CUgraph within = nullptr;
  if (added.type == CU_GRAPH_NODE_TYPE_GRAPH) {
    if (cuGraphChildGraphNodeGetGraph(node, &within) == CUDA_SUCCESS) return add(within, after);
    obstacle_ = kUnknownNodes;
    return {};
  }
  std::ranges::sort(added.after);
  added.after.erase(std::unique(added.after.begin(), added.after.end()), added.after.end());
  nodes_.push_back(std::move(added));
  return {nodes_.size() - 1};
}

void GraphCopy::assign_lanes() {
  std::vector<std::size_t> last;  // of each lane
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    const auto continued = std::ranges::find_if(
        node.after, [&](std::size_t parent) { return last[nodes_[parent].lane] == parent; });
    node.lane = continued == node.after.end() ? last.size() : nodes_[*continued].lane;
    if (node.lane == last.size()) last.push_back(i);
    last[node.lane] = i;
    for (const std::size_t parent : node.after) {
      if (nodes_[parent].lane != node.lane) nodes_[parent].is_awaited = true;
    }
  }
  lanes_ = std::max(last.size(), std::size_t{1});
  if (lanes_ > kMostLanes) obstacle_ = fmt::format("it has more than {} parallel branches", kMostLanes);
}

void GraphCopy::find_obstacles() {
  for (const Node& node : nodes_) {
    obstacle_ = obstacle_of(node);
    if (!obstacle_.empty()) return;
  }
}

std::string GraphCopy::obstacle_of(const Node& node) const {
  switch (node.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      CUDA_KERNEL_NODE_PARAMS kernel{};
      if (cuGraphKernelNodeGetParams(node.node, &kernel) != CUDA_SUCCESS)
        return "the arguments of its kernels could not be read";
      if (is_collective(kernel_symbol(kernel))) return "it has collectives";
      if (is_device_updatable(node.node)) return "its kernels can be updated from the device";
      if (kernel.func == nullptr && kernel.ctx != nullptr && kernel.ctx != context_)
        return "it has kernels in several contexts";
      return "";
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY: {
      CUDA_MEMCPY3D copy{};
      if (cuGraphMemcpyNodeGetParams(node.node, &copy) != CUDA_SUCCESS)
        return "its memory copies could not be read";
      if (is_pageable(copy.srcMemoryType, copy.srcHost, copy.srcDevice) ||
          is_pageable(copy.dstMemoryType, copy.dstHost, copy.dstDevice))
        return "it copies pageable host memory";
      return "";
    }
    default:
      return "";
  }
}

std::string GraphCopy::obstacle_of_kinds(CUgraph graph) const {
  const auto nodes = nodes_of(graph);
  if (!nodes) return kUnknownNodes;
  for (CUgraphNode node : *nodes) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    CUgraph within = nullptr;
    if (cuGraphNodeGetType(node, &type) != CUDA_SUCCESS) return kUnknownNodes;
    std::string obstacle = obstacle_of_kind(type);
    const bool has_graph = type == CU_GRAPH_NODE_TYPE_GRAPH;
    if (has_graph && cuGraphChildGraphNodeGetGraph(node, &within) != CUDA_SUCCESS) return kUnknownNodes;
    if (has_graph) obstacle = obstacle_of_kinds(within);
    if (!obstacle.empty()) return obstacle;
  }
  return "";
}

Launch GraphCopy::launch_of(CUgraphNode node) const {
  CUDA_KERNEL_NODE_PARAMS kernel{};
  cuGraphKernelNodeGetParams(node, &kernel);
  return {.context = context_,
          .function = function_of(kernel),
          .symbol = kernel_symbol(kernel),
          .grid = {kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ},
          .block = {kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ},
          .cluster = cluster_of(attributes_of(node)),
          .dynamic_shared_bytes = kernel.sharedMemBytes};
}

/// The same for graphs that do the same.
std::string GraphCopy::name() const {
  Digest digest;
  for (const Node& node : nodes_) {
    if (node.type != CU_GRAPH_NODE_TYPE_KERNEL) {
      digest.add(std::to_string(static_cast<int>(node.type)));
      continue;
    }
    const Launch launch = launch_of(node.node);
    digest.add(launch.symbol);
    for (const auto& extent : {launch.grid, launch.block}) {
      for (const std::uint32_t size : extent) digest.add(std::to_string(size));
    }
  }
  return fmt::format("CUDA graph of {} nodes ({})", nodes_.size(), letters(digest.value()));
}

const std::shared_ptr<const GraphNodes>& GraphCopy::kernels() {
  if (kernels_) return kernels_;
  auto made = std::make_shared<GraphNodes>();
  made->name = name_;
  for (const Node& node : nodes_) {
    const bool runs = node.type == CU_GRAPH_NODE_TYPE_KERNEL && !disabled_.contains(node.node);
    if (runs) made->kernels.push_back(launch_of(node.node));
  }
  return kernels_ = made;
}

// -- changes --

/// Null, and an obstacle, if it is not known. There are programs that update hundreds of nodes before each
/// launch.
CUgraphNode GraphCopy::copy_of(CUgraphNode original) {
  if (const auto known = copies_.find(original); known != copies_.end()) return known->second;
  for (CUgraph graph : graphs_) {
    CUgraphNode node = nullptr;
    if (cuGraphNodeFindInClone(&node, original, graph) == CUDA_SUCCESS) return copies_[original] = node;
  }
  miss("an updated node was not found in the copy of it");
  return nullptr;
}

void GraphCopy::miss(const char* change) {
  if (obstacle_.empty()) obstacle_ = change;
}

template <typename Parameters>
void GraphCopy::set_original(CUgraphNode original, const Parameters& parameters) {
  if (!obstacle_.empty()) return;
  CUgraphNode node = copy_of(original);
  if (node != nullptr) set_copy(node, parameters);
}

void GraphCopy::set(CUgraphNode original, const CUDA_KERNEL_NODE_PARAMS& parameters) {
  set_original(original, parameters);
}
void GraphCopy::set(CUgraphNode original, const CUDA_MEMCPY3D& parameters) {
  set_original(original, parameters);
}
void GraphCopy::set(CUgraphNode original, const CUDA_MEMSET_NODE_PARAMS& parameters) {
  set_original(original, parameters);
}

/// Most updates give a kernel other arguments only.
void GraphCopy::set_copy(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS& parameters) {
  const auto given = shapes_.try_emplace(node).first;
  const KernelShape shape(parameters);
  const bool may_differ = given->second != shape;
  const Launch before = may_differ ? launch_of(node) : Launch{};
  if (cuGraphKernelNodeSetParams(node, &parameters) != CUDA_SUCCESS)
    return miss("an update of a kernel could not be followed");
  if (may_differ && !before.is_like(launch_of(node))) kernels_ = nullptr;
  given->second = shape;
}

void GraphCopy::set_copy(CUgraphNode node, const CUDA_MEMCPY3D& parameters) {
  if (cuGraphMemcpyNodeSetParams(node, &parameters) != CUDA_SUCCESS)
    return miss("an update of a memory copy could not be followed");
  obstacle_ = obstacle_of({.node = node, .type = CU_GRAPH_NODE_TYPE_MEMCPY});
}

void GraphCopy::set_copy(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS& parameters) {
  if (cuGraphMemsetNodeSetParams(node, &parameters) != CUDA_SUCCESS)
    miss("an update of a memset could not be followed");
}

/// The program may replace a graph within by one whose nodes differ in their parameters only, and were added
/// in the same order.
void GraphCopy::set(CUgraphNode original, CUgraph child) {
  if (!obstacle_.empty()) return;
  CUgraphNode node = copy_of(original);
  CUgraph copy = nullptr;
  if (node == nullptr) return;
  if (cuGraphChildGraphNodeGetGraph(node, &copy) != CUDA_SUCCESS) return miss(kUnknownNodes);
  set_within(copy, child);
}

void GraphCopy::set_within(CUgraph copy, CUgraph graph) {
  constexpr const char* kChange = "an update of a child graph could not be followed";
  const auto all_copies = nodes_of(copy);
  const auto all_nodes = nodes_of(graph);
  if (!all_copies || !all_nodes || all_copies->size() != all_nodes->size()) return miss(kChange);
  const std::vector<CUgraphNode>& copies = *all_copies;
  const std::vector<CUgraphNode>& nodes = *all_nodes;
  for (std::size_t i = 0; i < nodes.size() && obstacle_.empty(); ++i) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    CUgraphNodeType type_of_copy = CU_GRAPH_NODE_TYPE_EMPTY;
    if (cuGraphNodeGetType(nodes[i], &type) != CUDA_SUCCESS ||
        cuGraphNodeGetType(copies[i], &type_of_copy) != CUDA_SUCCESS || type != type_of_copy)
      return miss(kChange);
    CUDA_KERNEL_NODE_PARAMS kernel{};
    CUDA_MEMCPY3D memory_copy{};
    CUDA_MEMSET_NODE_PARAMS memset{};
    CUgraph within = nullptr;
    CUgraph copy_within = nullptr;
    switch (type) {
      case CU_GRAPH_NODE_TYPE_KERNEL:
        if (cuGraphKernelNodeGetParams(nodes[i], &kernel) != CUDA_SUCCESS) return miss(kChange);
        set_copy(copies[i], kernel);
        break;
      case CU_GRAPH_NODE_TYPE_MEMCPY:
        if (cuGraphMemcpyNodeGetParams(nodes[i], &memory_copy) != CUDA_SUCCESS) return miss(kChange);
        set_copy(copies[i], memory_copy);
        break;
      case CU_GRAPH_NODE_TYPE_MEMSET:
        if (cuGraphMemsetNodeGetParams(nodes[i], &memset) != CUDA_SUCCESS) return miss(kChange);
        set_copy(copies[i], memset);
        break;
      case CU_GRAPH_NODE_TYPE_GRAPH:
        if (cuGraphChildGraphNodeGetGraph(nodes[i], &within) != CUDA_SUCCESS ||
            cuGraphChildGraphNodeGetGraph(copies[i], &copy_within) != CUDA_SUCCESS)
          return miss(kChange);
        set_within(copy_within, within);
        break;
      default:
        break;
    }
  }
}

void GraphCopy::set(CUgraphNode original, const CUgraphNodeParams& parameters) {
  switch (parameters.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      const CUDA_KERNEL_NODE_PARAMS_v3& kernel = parameters.kernel;
      return set(original, CUDA_KERNEL_NODE_PARAMS{.func = kernel.func,
                                                   .gridDimX = kernel.gridDimX,
                                                   .gridDimY = kernel.gridDimY,
                                                   .gridDimZ = kernel.gridDimZ,
                                                   .blockDimX = kernel.blockDimX,
                                                   .blockDimY = kernel.blockDimY,
                                                   .blockDimZ = kernel.blockDimZ,
                                                   .sharedMemBytes = kernel.sharedMemBytes,
                                                   .kernelParams = kernel.kernelParams,
                                                   .extra = kernel.extra,
                                                   .kern = kernel.kern,
                                                   .ctx = kernel.ctx});
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return set(original, parameters.memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return set(original, CUDA_MEMSET_NODE_PARAMS{.dst = parameters.memset.dst,
                                                   .pitch = parameters.memset.pitch,
                                                   .value = parameters.memset.value,
                                                   .elementSize = parameters.memset.elementSize,
                                                   .width = parameters.memset.width,
                                                   .height = parameters.memset.height});
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return set(original, parameters.graph.graph);
    default:
      return miss(obstacle_of_kind(parameters.type));
  }
}

void GraphCopy::set_enabled(CUgraphNode original, bool is_enabled) {
  if (!obstacle_.empty()) return;
  CUgraphNode node = copy_of(original);
  if (node == nullptr) return;
  if (is_enabled)
    disabled_.erase(node);
  else
    disabled_.insert(node);
  kernels_ = nullptr;
}

/// The program changes nodes by their handles in the first graph: after a change to the whole, these are
/// other ones.
void GraphCopy::replace(CUgraph graph) {
  release();
  take(graph);
}

// -- launches --

/// The streams of a launch by nodes, of which each has a branch, and the events by which they wait for each
/// other. Where these cannot be made, all nodes follow each other in the stream of the launch.
class GraphCopy::Branches {
 public:
  Branches(const GraphCopy& copy, CUstream stream, Streams& streams)
      : streams_(streams), lanes_{stream}, events_(copy.nodes_.size()) {
    if (copy.lanes_ == 1 || !make(copy)) return;
    for (CUstream lane : lanes_) streams.add(copy.context_, Streams::kUnknownDevice, lane);
    cuEventRecord(begin_, stream);
    for (std::size_t lane = 1; lane < lanes_.size(); ++lane) cuStreamWaitEvent(lanes_[lane], begin_, 0);
  }
  ~Branches() {
    for (const CUevent event : events_) destroy(event);
    destroy(begin_);
    if (lanes_.size() == 1) return;
    const Streams::Closing nobody_asks(streams_);
    for (std::size_t lane = 1; lane < lanes_.size(); ++lane) {
      streams_.remove(lanes_[lane]);
      cuStreamDestroy(lanes_[lane]);  // once its work is done
    }
  }
  Branches(const Branches&) = delete;
  Branches& operator=(const Branches&) = delete;

  CUstream of(const Node& node) const { return lanes_[node.lane < lanes_.size() ? node.lane : 0]; }
  void before(const Node& node) {
    for (const std::size_t parent : node.after) {
      if (events_[parent] != nullptr) cuStreamWaitEvent(of(node), events_[parent], 0);
    }
  }
  void after(std::size_t place, const Node& node) {
    if (events_[place] != nullptr) cuEventRecord(events_[place], of(node));
  }
  /// The stream of the launch waits for all of them.
  void join() {
    for (std::size_t lane = 1; lane < lanes_.size(); ++lane) {
      cuEventRecord(begin_, lanes_[lane]);
      cuStreamWaitEvent(lanes_[0], begin_, 0);
    }
  }
  /// Whether the GPU does what was launched within a limited time.
  bool are_done() const {
    const auto end = std::chrono::steady_clock::now() + kLongestWait;
    const auto is_busy = [](CUstream lane) { return cuStreamQuery(lane) == CUDA_ERROR_NOT_READY; };
    while (std::ranges::any_of(lanes_, is_busy)) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    return true;
  }

 private:
  static void destroy(CUevent event) {
    if (event != nullptr) cuEventDestroy(event);
  }
  static bool make_event(CUevent& event) {
    return cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS;
  }
  bool make(const GraphCopy& copy) {
    bool is_made = make_event(begin_);
    for (std::size_t i = 0; i < copy.nodes_.size() && is_made; ++i)
      is_made = !copy.nodes_[i].is_awaited || make_event(events_[i]);
    while (is_made && lanes_.size() < copy.lanes_) {
      CUstream lane = nullptr;
      is_made = cuStreamCreate(&lane, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS;
      if (is_made) lanes_.push_back(lane);
    }
    if (is_made) return true;
    for (; lanes_.size() > 1; lanes_.pop_back()) cuStreamDestroy(lanes_.back());
    for (CUevent& event : events_) destroy(std::exchange(event, nullptr));
    return false;
  }

  Streams& streams_;
  std::vector<CUstream> lanes_;
  CUevent begin_ = nullptr;
  std::vector<CUevent> events_;  // of nodes that others await
};

std::vector<GraphPart> GraphCopy::make_parts(CUstream stream) const {
  const RelaxedCapture relaxed;
  std::vector<GraphPart> parts;
  for (std::size_t first = kMostAhead; first < nodes_.size(); first += kMostAhead) {
    parts.push_back(make_part(first, std::min(first + kMostAhead, nodes_.size())));
    if (!parts.back() || cuGraphUpload(parts.back().get(), stream) != CUDA_SUCCESS) return {};
  }
  return parts;
}

CUresult GraphCopy::run(CUstream stream, Streams& streams, const std::vector<GraphPart>& parts) {
  const RelaxedCapture relaxed;
  const OurOwnCall own;
  Branches branches(*this, stream, streams);
  const auto as_programs = [](auto launch) {
    const ProgramsCall program;
    return launch();
  };
  CUresult result = CUDA_SUCCESS;
  std::size_t place = 0;
  for (; place < nodes_.size() && result == CUDA_SUCCESS; ++place) {
    const bool begins_part = place > 0 && place % kMostAhead == 0 && !parts.empty();
    if (begins_part && !branches.are_done()) break;
    const Node& node = nodes_[place];
    branches.before(node);
    if (!disabled_.contains(node.node))
      result = as_programs([&] { return launch(place, branches.of(node)); });
    branches.after(place, node);
  }
  branches.join();
  if (result == CUDA_SUCCESS && place < nodes_.size()) {
    miss("its nodes may wait for what the program does later");
    for (std::size_t i = place / kMostAhead - 1; i < parts.size() && result == CUDA_SUCCESS; ++i)
      result = as_programs([&] { return cuGraphLaunch(parts[i].get(), stream); });
  }
  if (result != CUDA_SUCCESS) miss("the driver refused to launch one of its nodes");
  return result;
}

GraphPart GraphCopy::make_part(std::size_t first, std::size_t last) const {
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  std::vector<CUgraphNode> added(last - first);
  CUresult result = cuGraphCreate(&graph, 0);
  for (std::size_t i = first; i < last && result == CUDA_SUCCESS; ++i) {
    std::vector<CUgraphNode> after;
    for (const std::size_t parent : nodes_[i].after) {
      if (parent >= first) after.push_back(added[parent - first]);
    }
    result = add_to(graph, nodes_[i], after, added[i - first]);
  }
  if (result == CUDA_SUCCESS) result = cuGraphInstantiateWithFlags(&executable, graph, 0);
  if (graph != nullptr) cuGraphDestroy(graph);
  return GraphPart(executable);
}

CUresult GraphCopy::add_to(CUgraph graph, const Node& node, const std::vector<CUgraphNode>& after,
                           CUgraphNode& added) const {
  if (disabled_.contains(node.node)) return cuGraphAddEmptyNode(&added, graph, after.data(), after.size());
  CUDA_KERNEL_NODE_PARAMS kernel{};
  CUDA_MEMCPY3D copy{};
  CUDA_MEMSET_NODE_PARAMS set{};
  CUresult result = CUDA_SUCCESS;
  switch (node.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      result = cuGraphKernelNodeGetParams(node.node, &kernel);
      if (result == CUDA_SUCCESS)
        result = cuGraphAddKernelNode(&added, graph, after.data(), after.size(), &kernel);
      return result == CUDA_SUCCESS ? cuGraphKernelNodeCopyAttributes(added, node.node) : result;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      result = cuGraphMemcpyNodeGetParams(node.node, &copy);
      return result == CUDA_SUCCESS
                 ? cuGraphAddMemcpyNode(&added, graph, after.data(), after.size(), &copy, context_)
                 : result;
    case CU_GRAPH_NODE_TYPE_MEMSET:
      result = cuGraphMemsetNodeGetParams(node.node, &set);
      return result == CUDA_SUCCESS
                 ? cuGraphAddMemsetNode(&added, graph, after.data(), after.size(), &set, context_)
                 : result;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

/// What no other call launches.
CUresult GraphCopy::launch_as_graph(std::size_t place, CUstream stream) const {
  const OurOwnCall own;
  const GraphPart part = make_part(place, place + 1);
  if (!part) return CUDA_ERROR_NOT_SUPPORTED;
  const ProgramsCall program;
  return cuGraphLaunch(part.get(), stream);
}

CUresult GraphCopy::launch(std::size_t place, CUstream stream) const {
  const Node& node = nodes_[place];
  switch (node.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      CUDA_KERNEL_NODE_PARAMS kernel{};
      cuGraphKernelNodeGetParams(node.node, &kernel);
      std::vector<CUlaunchAttribute> attributes = attributes_of(node.node);
      const CUlaunchConfig config = {.gridDimX = kernel.gridDimX,
                                     .gridDimY = kernel.gridDimY,
                                     .gridDimZ = kernel.gridDimZ,
                                     .blockDimX = kernel.blockDimX,
                                     .blockDimY = kernel.blockDimY,
                                     .blockDimZ = kernel.blockDimZ,
                                     .sharedMemBytes = kernel.sharedMemBytes,
                                     .hStream = stream,
                                     .attrs = attributes.data(),
                                     .numAttrs = static_cast<unsigned int>(attributes.size())};
      const CUresult result =
          cuLaunchKernelEx(&config, function_of(kernel), kernel.kernelParams, kernel.extra);
      return result == CUDA_SUCCESS ? result : launch_as_graph(place, stream);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY: {
      CUDA_MEMCPY3D copy{};
      cuGraphMemcpyNodeGetParams(node.node, &copy);
      return cuMemcpy3DAsync(&copy, stream);
    }
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      CUDA_MEMSET_NODE_PARAMS set{};
      cuGraphMemsetNodeGetParams(node.node, &set);
      return set_memory(set, stream);
    }
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

// -- all graphs --

void GraphCopies::made(CUgraphExec executable, CUgraph graph) {
  const RelaxedCapture relaxed;
  auto copy = std::make_shared<GraphCopy>(graph, executable);
  std::shared_ptr<GraphCopy> before;
  const std::lock_guard lock(mutex_);
  if (nodes_ + copy->nodes() > kMostNodes) copy->miss("there are too many graphs");
  nodes_ += copy->nodes();
  before = std::exchange(copies_[executable], std::move(copy));
}

void GraphCopies::destroyed(CUgraphExec executable) {
  const std::shared_ptr<GraphCopy> copy = find(executable);
  if (!copy) return;
  const std::lock_guard lock(mutex_);
  nodes_ -= std::min(nodes_, copy->nodes());
  copies_.erase(executable);
}

void GraphCopies::context_destroyed(CUcontext context) {
  const std::lock_guard lock(mutex_);
  const auto is_of_it = [&](const std::shared_ptr<GraphCopy>& copy) {
    if (copy->context() != context) return false;
    copy->let_go();
    return true;
  };
  std::erase_if(copies_, [&](const auto& entry) { return is_of_it(entry.second); });
}

std::shared_ptr<GraphCopy> GraphCopies::find(CUgraphExec executable) {
  const std::lock_guard lock(mutex_);
  const auto found = copies_.find(executable);
  return found == copies_.end() ? nullptr : found->second;
}

StandIn& GraphCopies::stand_in(CUdevice device) {
  const std::lock_guard lock(mutex_);
  return stand_ins_[device];
}

std::optional<bool> GraphCopies::can_replace_launches() const {
  return is_tested_ ? std::optional(can_replace_) : std::nullopt;
}

bool GraphCopies::test_replacing() {
  std::call_once(tested_, [this] {
    can_replace_ = can_replace();
    is_tested_ = true;
  });
  return can_replace_;
}

/// Of two launches of a graph that calls a function of ours, one is not made.
bool GraphCopies::can_replace() {
  const OurOwnCall own;
  const RelaxedCapture relaxed;
  static std::atomic<int> calls{0};
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  CUgraphNode node = nullptr;
  CUstream stream = nullptr;
  const CUDA_HOST_NODE_PARAMS call = {.fn = [](void*) { ++calls; }, .userData = nullptr};
  const bool is_made = cuGraphCreate(&graph, 0) == CUDA_SUCCESS &&
                       cuGraphAddHostNode(&node, graph, nullptr, 0, &call) == CUDA_SUCCESS &&
                       cuGraphInstantiateWithFlags(&executable, graph, 0) == CUDA_SUCCESS &&
                       cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS;
  if (!is_made) return false;
  tested_launch = Tested::to_be_refused;
  bool is_launched = cuGraphLaunch(executable, stream) == CUDA_SUCCESS;
  const bool was_replaced = std::exchange(tested_launch, Tested::none) == Tested::refused;
  is_launched = is_launched && cuGraphLaunch(executable, stream) == CUDA_SUCCESS;
  // What is left if the GPU does not come to it stays: it may still be used.
  constexpr auto kLimit = std::chrono::seconds(1);
  const auto end = std::chrono::steady_clock::now() + kLimit;
  while (is_launched && cuStreamQuery(stream) == CUDA_ERROR_NOT_READY) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  cuStreamDestroy(stream);
  cuGraphExecDestroy(executable);
  cuGraphDestroy(graph);
  return was_replaced && is_launched && calls == 1;
}

void GraphCopies::in_own_call(CUpti_CallbackId function, const CUpti_CallbackData& call) {
  if (tested_launch == Tested::to_be_refused && call.callbackSite == CUPTI_API_ENTER) {
    if (refuse_graph_launch(function, call)) tested_launch = Tested::refused;
  } else if (tested_launch == Tested::refused && call.callbackSite == CUPTI_API_EXIT) {
    pretend(call, CUDA_SUCCESS);
  }
}

}  // namespace rooflinectl::injection
