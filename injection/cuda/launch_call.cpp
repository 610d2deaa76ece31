// SPDX-License-Identifier: Apache-2.0
#include "injection/cuda/launch_call.h"

#include <cuda.h>
#include <cupti.h>

#include <algorithm>

namespace rooflinectl::injection {

namespace {

/// The same stream by a handle that means the same wherever it is used.
CUstream own_handle(CUstream stream, bool has_stream_per_thread) {
  if (stream != nullptr) return stream;
  return has_stream_per_thread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
}

template <typename Parameters>
Launch of_kernel(const void* parameters, bool has_stream_per_thread) {
  const auto& call = *static_cast<const Parameters*>(parameters);
  return {.function = call.f,
          .stream = own_handle(call.hStream, has_stream_per_thread),
          .grid = {call.gridDimX, call.gridDimY, call.gridDimZ},
          .block = {call.blockDimX, call.blockDimY, call.blockDimZ},
          .dynamic_shared_bytes = call.sharedMemBytes};
}

template <typename Parameters>
Launch of_kernel_with_attributes(const void* parameters, bool has_stream_per_thread) {
  const auto& call = *static_cast<const Parameters*>(parameters);
  const CUlaunchConfig& config = *call.config;
  return {.function = call.f,
          .stream = own_handle(config.hStream, has_stream_per_thread),
          .grid = {config.gridDimX, config.gridDimY, config.gridDimZ},
          .block = {config.blockDimX, config.blockDimY, config.blockDimZ},
          .cluster = cluster_of({config.attrs, config.numAttrs}),
          .dynamic_shared_bytes = config.sharedMemBytes};
}

// CUPTI's header names the field of one of them `hGraph`.
CUgraphExec executable(const cuGraphLaunch_params& call) {
  return call.hGraph;
}
CUgraphExec executable(const cuGraphLaunch_ptsz_params& call) {
  return call.hGraphExec;
}

CUgraphExec& executable(cuGraphLaunch_params& call) {
  return call.hGraph;
}
CUgraphExec& executable(cuGraphLaunch_ptsz_params& call) {
  return call.hGraphExec;
}

template <typename Parameters>
Launch of_graph(const void* parameters, bool has_stream_per_thread) {
  const auto& call = *static_cast<const Parameters*>(parameters);
  return {.graph = executable(call), .stream = own_handle(call.hStream, has_stream_per_thread)};
}

/// Functions of CUDA's first versions, for which an earlier call set the block shape.
Launch of_old_launch(CUfunction function, int width, int height, CUstream stream) {
  return {.function = function,
          .stream = own_handle(stream, false),
          .grid = {static_cast<unsigned int>(width), static_cast<unsigned int>(height), 1}};
}

}  // namespace

const std::vector<CUpti_CallbackId>& launching_functions() {
  static const std::vector<CUpti_CallbackId> functions = {
      CUPTI_DRIVER_TRACE_CBID_cuLaunch,
      CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid,
      CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync,
      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
      CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
      CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
      CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice,
      CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
      CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
  };
  return functions;
}

bool is_graph_launch(CUpti_CallbackId function) {
  return function == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch ||
         function == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz;
}

std::optional<Launch> launch_call(CUpti_CallbackId function, const void* parameters) {
  switch (function) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunch:
      return of_old_launch(static_cast<const cuLaunch_params*>(parameters)->f, 1, 1, nullptr);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid: {
      const auto& call = *static_cast<const cuLaunchGrid_params*>(parameters);
      return of_old_launch(call.f, call.grid_width, call.grid_height, nullptr);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync: {
      const auto& call = *static_cast<const cuLaunchGridAsync_params*>(parameters);
      return of_old_launch(call.f, call.grid_width, call.grid_height, call.hStream);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
      return of_kernel<cuLaunchKernel_params>(parameters, false);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
      return of_kernel<cuLaunchKernel_ptsz_params>(parameters, true);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
      return of_kernel_with_attributes<cuLaunchKernelEx_params>(parameters, false);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
      return of_kernel_with_attributes<cuLaunchKernelEx_ptsz_params>(parameters, true);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
      return of_kernel<cuLaunchCooperativeKernel_params>(parameters, false);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
      return of_kernel<cuLaunchCooperativeKernel_ptsz_params>(parameters, true);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
      return of_graph<cuGraphLaunch_params>(parameters, false);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz:
      return of_graph<cuGraphLaunch_ptsz_params>(parameters, true);
    default:
      return std::nullopt;
  }
}

std::optional<record::Extent> cluster_of(std::span<const CUlaunchAttribute> attributes) {
  std::optional<record::Extent> found;
  for (const CUlaunchAttribute& attribute : attributes) {
    if (attribute.id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
    const auto& cluster = attribute.value.clusterDim;
    found = record::Extent{cluster.x, cluster.y, cluster.z};
  }
  return found;
}

/// CUPTI hands over the place where the driver reads the arguments. `GraphCopies` tests whether it still
/// does. A graph without nodes in place of the program's would not do: CUPTI has prepared the trace of the
/// program's nodes by now, and the GPU writes to wrong places.
bool refuse_graph_launch(CUpti_CallbackId function, const CUpti_CallbackData& call) {
  auto* const arguments = const_cast<void*>(call.functionParams);
  switch (function) {
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
      executable(*static_cast<cuGraphLaunch_params*>(arguments)) = nullptr;
      return true;
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz:
      executable(*static_cast<cuGraphLaunch_ptsz_params*>(arguments)) = nullptr;
      return true;
    default:
      return false;
  }
}

void pretend(const CUpti_CallbackData& call, CUresult result) {
  *static_cast<CUresult*>(call.functionReturnValue) = result;
}

}  // namespace rooflinectl::injection
