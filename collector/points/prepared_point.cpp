// SPDX-License-Identifier: Apache-2.0
#include "collector/points/prepared_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <type_traits>
#include <vector>

#include "collector/device/device.h"
#include "core/error.h"
#include "kernels/cuda_check.h"
#include "kernels/data.h"

namespace rooflinectl {

namespace {

constexpr int kMostLaunches = 64;
/// A graph takes about this long, or is one launch: two events around it cost about 3 µs on an H200.
constexpr double kGraphSeconds = 200e-6;
/// If the device does not report how fast its memory is: a typical value.
constexpr double kUnknownBytesPerSecond = 1e12;

}  // namespace

LaunchPlan launch_plan(const LaunchNeeds& needs, const DeviceInfo& device) {
  if (needs.must_be_plain) return {LaunchMode::plain, 1, 1};
  // As many launches as the fastest pass over the input allows in that time; for a small input, which may fit
  // into L2, as many as a graph may have. Their inputs take little more memory than the device reads in that
  // time.
  const double speed =
      dram_bytes_per_second(device) > 0 ? dram_bytes_per_second(device) : kUnknownBytesPerSecond;
  const double wanted = std::ceil(kGraphSeconds * speed / static_cast<double>(needs.input_bytes));
  LaunchPlan plan;
  plan.launches_per_graph = static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(kMostLaunches)));
  plan.inputs = plan.launches_per_graph;
  if (needs.cache == CacheState::cold) return plan;
  plan.inputs = 1;
  if (needs.changes_inputs) {
    // Inputs that were just restored are warm as long as all of them fit into half of L2.
    const std::size_t most = std::max<std::size_t>(device.l2_bytes / 2 / needs.input_bytes, 1);
    plan.inputs = static_cast<int>(std::min(most, static_cast<std::size_t>(plan.launches_per_graph)));
    plan.launches_per_graph = plan.inputs;
  }
  return plan;
}

TimedWork timed_launches(const PointId& id, const LaunchPlan& plan, int copies,
                         std::function<void(int copy)> launch) {
  TimedWork work;
  work.range_name = range_name(id);
  work.cache = cache_of(id).value_or(CacheState::cold);
  work.mode = plan.mode;
  work.launches_per_graph = plan.launches_per_graph;
  work.launch = [copies, launch = std::move(launch)](int number) { launch(number % copies); };
  return work;
}

void place_inputs(std::span<const std::size_t> bytes, Workbench& bench) {
  constexpr std::size_t kForTheRest = std::size_t{1} << 30;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  kernels::check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  std::size_t most = 0;
  for (const std::size_t of_point : bytes) {
    if (of_point + kForTheRest <= free_bytes) most = std::max(most, of_point);
  }
  bench.inputs.require(most);
}

namespace {

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;

/// What `launch` enqueues; null if it cannot be captured.
Graph captured(const std::function<void()>& launch, cudaStream_t stream) {
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return nullptr;
  try {
    launch();
  } catch (const std::exception&) {
    // Then the capture is invalid, and ending it returns the error.
  }
  cudaGraph_t graph = nullptr;
  return Graph(cudaStreamEndCapture(stream, &graph) == cudaSuccess ? graph : nullptr);
}

std::uint64_t volume(dim3 size) {
  return std::uint64_t{size.x} * size.y * size.z;
}

/// The kernel of the graph that has the most threads.
std::optional<cudaKernelNodeParams> main_kernel(cudaGraph_t graph) {
  std::size_t count = 0;
  if (cudaGraphGetNodes(graph, nullptr, &count) != cudaSuccess) return std::nullopt;
  std::vector<cudaGraphNode_t> nodes(count);
  if (cudaGraphGetNodes(graph, nodes.data(), &count) != cudaSuccess) return std::nullopt;
  std::optional<cudaKernelNodeParams> largest;
  std::uint64_t most_threads = 0;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    cudaKernelNodeParams kernel{};
    if (cudaGraphNodeGetType(node, &type) != cudaSuccess || type != cudaGraphNodeTypeKernel) continue;
    if (cudaGraphKernelNodeGetParams(node, &kernel) != cudaSuccess) continue;
    const std::uint64_t threads = volume(kernel.gridDim) * volume(kernel.blockDim);
    if (threads <= most_threads) continue;
    most_threads = threads;
    largest = kernel;
  }
  return largest;
}

int attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&value, which, device);
  return value;
}

/// Registers are allocated to warps in units of 256, on each of the four quarters of an SM. Source: CUDA
/// occupancy calculator (`cuda_occupancy.h`).
int blocks_by_registers(int registers_per_thread, int block) {
  constexpr int kLanes = 32;
  constexpr int kUnit = 256;
  constexpr int kQuarters = 4;
  const int warps = (block + kLanes - 1) / kLanes;
  const int of_warp = (registers_per_thread * kLanes + kUnit - 1) / kUnit * kUnit;
  if (of_warp == 0 || warps == 0) return 0;
  const int of_quarter = attribute(cudaDevAttrMaxRegistersPerMultiprocessor) / kQuarters;
  return of_quarter / of_warp * kQuarters / warps;
}

}  // namespace

std::optional<KernelResources> resources_of_kernel(const void* kernel, int block, std::size_t shared_bytes) {
  cudaFuncAttributes attributes{};
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) return std::nullopt;
  KernelResources resources;
  resources.registers_per_thread = attributes.numRegs;
  resources.shared_bytes_per_block = static_cast<int>(attributes.sharedSizeBytes + shared_bytes);
  resources.blocks_per_sm_by_registers = blocks_by_registers(attributes.numRegs, block);
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resources.blocks_per_sm, kernel, block, shared_bytes) !=
      cudaSuccess) {
    return std::nullopt;
  }
  return resources;
}

std::optional<KernelResources> kernel_resources(const std::function<void()>& launch, cudaStream_t stream) {
  const Graph graph = captured(launch, stream);
  const auto kernel = graph ? main_kernel(graph.get()) : std::nullopt;
  const auto resources = kernel
                             ? resources_of_kernel(kernel->func, static_cast<int>(volume(kernel->blockDim)),
                                                   kernel->sharedMemBytes)
                             : std::nullopt;
  cudaGetLastError();
  return resources;
}

namespace {

/// Bytes of one input, with room behind it for the poison that shows an over-read.
std::size_t input_stride(const Reduction& reduction) {
  return align_up(reduction.n_elements * size_bytes(reduction.dtype)) + kAlignment;
}

const kernels::Variant* require_variant(const std::string& id) {
  const kernels::Variant* variant = kernels::find_variant(id);
  if (variant == nullptr) throw Error(ErrorKind::usage, fmt::format("there is no variant '{}'", id));
  return variant;
}

}  // namespace

LaunchPlan launch_plan(const PointId& id, const DeviceInfo& device) {
  const kernels::Variant* variant = require_variant(id.subject);
  const Reduction reduction = reduction_of(id);
  return launch_plan(
      {.input_bytes = input_stride(reduction),
       .cache = reduction.cache,
       .changes_inputs = variant->info.destroys_input,
       .must_be_plain = variant->waits_for_device || reduction.launch_mode == LaunchMode::plain},
      device);
}

std::size_t variant_input_bytes(const PointId& id, int copies) {
  return input_stride(reduction_of(id)) * static_cast<std::size_t>(copies);
}

VariantPoint::VariantPoint(const PointId& id, Workbench& bench, const Stream& stream, int copies)
    : PreparedPoint(id),
      reduction_(reduction_of(id)),
      variant_(require_variant(id.subject)),
      problem_{reduction_.dtype, reduction_.n_elements, reduction_.block_size,
               reduction_.elements_per_thread.value_or(0)},
      bench_(bench),
      stream_(stream),
      copies_(copies),
      input_stride_bytes_(input_stride(reduction_)),
      output_bytes_(kernels::output_count(*variant_, problem_) * size_bytes(accumulator(reduction_.dtype))),
      workspace_bytes_(kernels::workspace_bytes(*variant_, problem_)) {
  bench_.inputs.require(input_stride_bytes_ * static_cast<std::size_t>(copies));
  bench_.output.require(align_up(output_bytes_) + kAlignment);
  bench_.workspace.require(std::max(workspace_bytes_, kAlignment));
}

kernels::Buffers VariantPoint::buffers(int copy) const {
  auto* first = static_cast<std::byte*>(bench_.inputs.data());
  return {first + static_cast<std::size_t>(copy) * input_stride_bytes_, bench_.output.data(),
          bench_.workspace.data()};
}

std::optional<KernelResources> VariantPoint::resources() {
  if (variant_->waits_for_device) return std::nullopt;
  return kernel_resources([this] { launch(0); }, stream_);
}

void VariantPoint::fill_inputs() {
  for (int copy = 0; copy < copies_; ++copy) {
    kernels::fill(kTimedData, problem_.dtype, buffers(copy).d_input, problem_.n, stream_);
  }
  kernels::check(cudaMemsetAsync(bench_.workspace.data(), 0, bench_.workspace.bytes(), stream_),
                 "cudaMemsetAsync");
}

VerificationMemory VariantPoint::memory() const {
  return {.input = {buffers(0).d_input, input_stride_bytes_},
          .output = {bench_.output.data(), bench_.output.bytes()},
          .workspace = {bench_.workspace.data(), bench_.workspace.bytes()}};
}

void VariantPoint::launch(int copy) {
  variant_->launch(problem_, buffers(copy), stream_);
}

std::optional<Verification> VariantPoint::verify() {
  return rooflinectl::verify(*variant_, problem_, memory(), bench_.references, stream_);
}

TimedWork VariantPoint::timed_work(const LaunchPlan& plan) {
  fill_inputs();
  TimedWork work = timed_launches(id(), plan, copies_, [this](int copy) { launch(copy); });
  if (variant_->info.destroys_input) work.prepare = [this] { fill_inputs(); };
  return work;
}

void VariantPoint::poison_output() {
  kernels::poison(bench_.output.data(), output_bytes_, stream_);
}

ResultCheck VariantPoint::check_output() {
  return compare_output(*variant_, problem_, kTimedData, memory(), bench_.references, stream_);
}

}  // namespace rooflinectl
