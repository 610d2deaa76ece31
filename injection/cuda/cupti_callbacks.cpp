// SPDX-License-Identifier: Apache-2.0
#include "injection/cuda/cupti_callbacks.h"

#include <cupti.h>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/cupti/call.h"
#include "injection/cuda/activities.h"
#include "injection/cuda/graph_copies.h"
#include "injection/cuda/graph_nodes.h"
#include "injection/cuda/launch_call.h"
#include "injection/cuda/streams.h"
#include "injection/cuda/subscription.h"

namespace rooflinectl::injection {

namespace {

constexpr CUpti_CallbackId kChanges[] = {
    CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,  CUPTI_CBID_RESOURCE_STREAM_CREATED,
    CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING,   CUPTI_CBID_RESOURCE_MODULE_LOADED,
    CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,    CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED,
    CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING};

/// Calls that are neither launches nor give the device work.
constexpr CUpti_CallbackId kOtherCalls[] = {CUPTI_DRIVER_TRACE_CBID_cuProfilerStart,
                                            CUPTI_DRIVER_TRACE_CBID_cuProfilerStop,
                                            CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy,
                                            CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2,
                                            CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy,
                                            CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2,
                                            CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxRelease,
                                            CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxRelease_v2,
                                            CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset,
                                            CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2,
                                            CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
                                            CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx,
                                            CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary,
                                            CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData};

/// Calls that make executable graphs or destroy them.
constexpr CUpti_CallbackId kGraphLives[] = {CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate,
                                            CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate_v2,
                                            CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags,
                                            CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams,
                                            CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams_ptsz,
                                            CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy};

/// Calls that change an executable graph. The arguments of all of them begin with it.
constexpr CUpti_CallbackId kGraphChanges[] = {
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2,
    CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemcpyNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemsetNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecHostNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecEventRecordNodeSetEvent,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecEventWaitNodeSetEvent,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecExternalSemaphoresSignalNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecExternalSemaphoresWaitNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecBatchMemOpNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams};

/// Work that is no launch but would be counted with one. The beginning of a capture is among it since CUPTI's
/// own calls, while the counters are changed, would spoil the capture.
constexpr std::string_view kOtherWork[] = {"cuMemcpy", "cuMemset", "cuStreamBeginCapture", "cuGraphUpload"};

Process* process = nullptr;
CudaDriver* driver = nullptr;

/// Calls within a call have its number.
struct CallId {
  CUpti_CallbackId function = 0;
  std::uint32_t correlation = 0;
  bool operator==(const CallId&) const = default;
};
/// The call of this thread that `Process::entered…` was told of.
thread_local std::optional<CallId> call_in_progress;
/// The call of this thread that has entered `GraphGate`.
struct CallInGate {
  CallId call;
  GraphGate::Passage passage;
};
thread_local std::optional<CallInGate> call_in_gate;
/// Of the nodes of the graph that it launches, which were launched in place of it.
thread_local std::optional<CUresult> result_of_nodes;
/// While the call of this thread destroys streams.
thread_local std::optional<Streams::Closing> closing;

std::string_view symbol_of(const CUpti_CallbackData& call) {
  return call.symbolName == nullptr ? "" : call.symbolName;
}

template <typename Parameters>
const Parameters& parameters_of(const CUpti_CallbackData& call) {
  return *static_cast<const Parameters*>(call.functionParams);
}

bool is_among(const auto& functions, CUpti_CallbackId function) {
  return std::find(std::begin(functions), std::end(functions), function) != std::end(functions);
}

bool is_launch(CUpti_CallbackId function) {
  return is_among(launching_functions(), function);
}

// Most calls are launches.
bool is_other_call(CUpti_CallbackId function) {
  return !is_launch(function) && is_among(kOtherCalls, function);
}

/// Whether the call makes an executable graph, destroys it or changes it.
bool is_graph_call(CUpti_CallbackId function) {
  return !is_launch(function) && (is_among(kGraphLives, function) || is_among(kGraphChanges, function));
}

/// The test is work of the device, too.
bool can_replace_launches(Handle context) {
  if (const auto known = driver->graphs().can_replace_launches()) return *known;
  process->entered_other_work(context);
  const bool result = driver->graphs().test_replacing();
  process->left(nullptr);
  return result;
}

/// For graphs of ours, as for the program's.
void while_graphs_may_change(const auto& change) {
  process->entered_graph_change();
  change();
  process->left(nullptr);
}

/// Launches the graph's nodes one by one, if its kernels are to be counted, and lets the call launch nothing.
void enter_graph_launch(CUpti_CallbackId function, const CUpti_CallbackData& call, Launch launch,
                        CUstream stream) {
  const auto copy = driver->graphs().find(static_cast<CUgraphExec>(const_cast<void*>(launch.graph)));
  if (!copy) return process->entered(launch);
  launch.obstacle = copy->obstacle();
  if (copy->context() != call.context) launch.obstacle = "it is launched in a context other than its own";
  if (stream == CU_STREAM_PER_THREAD) launch.obstacle = "it is launched in a thread's default stream";
  if (launch.obstacle.empty() && !can_replace_launches(call.context))
    launch.obstacle = "this version of CUPTI does not let launches be replaced";
  if (!launch.obstacle.empty()) return process->entered(launch);
  const auto path = process->entered_graph(launch, copy->kernels());
  if (!path) return;
  CUresult result = CUDA_SUCCESS;
  driver->graphs().stand_in(copy->device()).run([&] {
    cuCtxSetCurrent(copy->context());
    std::vector<GraphPart> parts;
    const bool has_parts = copy->nodes() > GraphCopy::kMostAhead;
    if (has_parts) while_graphs_may_change([&] { parts = copy->make_parts(stream); });
    process->begin_nodes(*path);
    {
      const ProgramsCall program;
      result = copy->run(stream, driver->streams(), parts);
    }
    process->end_nodes();
    if (has_parts) while_graphs_may_change([&] { parts.clear(); });
  });
  process->left_graph();
  process->entered_other_work(call.context);
  if (refuse_graph_launch(function, call)) result_of_nodes = result;
}

void enter_launch(CUpti_CallbackId function, const CUpti_CallbackData& call) {
  auto launch = launch_call(function, call.functionParams);
  if (!launch) return process->entered_other_work(call.context);
  auto* const stream = static_cast<CUstream>(const_cast<void*>(launch->stream));
  if (is_captured(stream) || symbol_of(call) == activities::kKernelOfCupti) return;
  launch->context = call.context;
  launch->symbol = call.symbolName;
  launch->correlation = call.correlationId;
  if (launch->graph != nullptr && process->counts_graph_kernels())
    return enter_graph_launch(function, call, *launch, stream);
  process->entered(*launch);
}

void destroy_stream(CUstream stream) {
  const Streams::Closing nobody_asks(driver->streams());
  driver->streams().remove(stream);
}

/// Calls `change` with the copy of the graph that the call changes, if there is one.
template <typename Parameters>
void change_graph(const CUpti_CallbackData& call, const auto& change) {
  const auto& parameters = parameters_of<Parameters>(call);
  const auto copy = driver->graphs().find(parameters.hGraphExec);
  if (copy) change(*copy, parameters);
}

/// The same for any of these calls.
void change_any_graph(const CUpti_CallbackData& call, const auto& change) {
  change_graph<cuGraphExecDestroy_params>(call, [&](GraphCopy& copy, const auto&) { change(copy); });
}

void enter_other_call(CUpti_CallbackId function, const CUpti_CallbackData& call) {
  switch (function) {
    case CUPTI_DRIVER_TRACE_CBID_cuProfilerStart:
    case CUPTI_DRIVER_TRACE_CBID_cuProfilerStop:
      return process->in_profiler_range(function == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
    case CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy:
      return destroy_stream(parameters_of<cuStreamDestroy_params>(call).hStream);
    case CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2:
      return destroy_stream(parameters_of<cuStreamDestroy_v2_params>(call).hStream);
    case CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy:
      process->context_ends(parameters_of<cuCtxDestroy_params>(call).ctx);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2:
      process->context_ends(parameters_of<cuCtxDestroy_v2_params>(call).ctx);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxRelease:
      process->primary_context_ends(parameters_of<cuDevicePrimaryCtxRelease_params>(call).dev);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxRelease_v2:
      process->primary_context_ends(parameters_of<cuDevicePrimaryCtxRelease_v2_params>(call).dev);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset:
      process->primary_context_ends(parameters_of<cuDevicePrimaryCtxReset_params>(call).dev);
      break;
    case CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2:
      process->primary_context_ends(parameters_of<cuDevicePrimaryCtxReset_v2_params>(call).dev);
      break;
    default:
      return;
  }
  closing.emplace(driver->streams());
}

template <typename Parameters>
void made_graph(const CUpti_CallbackData& call) {
  const auto& made = parameters_of<Parameters>(call);
  driver->graphs().made(*made.phGraphExec, made.hGraph);
}

template <typename Parameters>
void replace_graph(const CUpti_CallbackData& call) {
  change_graph<Parameters>(
      call, [](GraphCopy& copy, const Parameters& parameters) { copy.replace(parameters.hGraph); });
}

template <typename Parameters>
void set_node(const CUpti_CallbackData& call) {
  change_graph<Parameters>(call, [](GraphCopy& copy, const Parameters& parameters) {
    copy.set(parameters.hNode, *parameters.nodeParams);
  });
}

bool has_succeeded(const CUpti_CallbackData& call) {
  return *static_cast<const CUresult*>(call.functionReturnValue) == CUDA_SUCCESS;
}

void leave_graph_call(CUpti_CallbackId function, const CUpti_CallbackData& call) {
  if (!has_succeeded(call) || !process->counts_graph_kernels()) return;
  switch (function) {
    case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate:
      return made_graph<cuGraphInstantiate_params>(call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate_v2:
      return made_graph<cuGraphInstantiate_v2_params>(call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags:
      return made_graph<cuGraphInstantiateWithFlags_params>(call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams:
      return made_graph<cuGraphInstantiateWithParams_params>(call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams_ptsz:
      return made_graph<cuGraphInstantiateWithParams_ptsz_params>(call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate:
      return replace_graph<cuGraphExecUpdate_params>(call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2:
      return replace_graph<cuGraphExecUpdate_v2_params>(call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled:
      return change_graph<cuGraphNodeSetEnabled_params>(call, [](GraphCopy& copy, const auto& parameters) {
        copy.set_enabled(parameters.hNode, parameters.isEnabled != 0);
      });
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2:
      return set_node<cuGraphExecKernelNodeSetParams_v2_params>(call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemcpyNodeSetParams:
      return change_graph<cuGraphExecMemcpyNodeSetParams_params>(
          call, [](GraphCopy& copy, const auto& parameters) {
            copy.set(parameters.hNode, *parameters.copyParams);
          });
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemsetNodeSetParams:
      return change_graph<cuGraphExecMemsetNodeSetParams_params>(
          call, [](GraphCopy& copy, const auto& parameters) {
            copy.set(parameters.hNode, *parameters.memsetParams);
          });
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams:
      return change_graph<cuGraphExecChildGraphNodeSetParams_params>(
          call,
          [](GraphCopy& copy, const auto& parameters) { copy.set(parameters.hNode, parameters.childGraph); });
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams:
      return set_node<cuGraphExecNodeSetParams_params>(call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy:
      return;
    default:
      return change_any_graph(
          call, [](GraphCopy& copy) { copy.miss("an update of it is of a kind that is not followed"); });
  }
}

/// `handle` and `code`: of the call's parameters, those of the module or library and of its code.
template <typename Parameters, typename Handle, typename Code>
void loaded_by(const CUpti_CallbackData& call, Handle* Parameters::*handle, Code Parameters::*code) {
  const auto& parameters = parameters_of<Parameters>(call);
  driver->loaded(*(parameters.*handle), parameters.*code);
}

/// Modules are known once they are loaded.
void leave_other_call(CUpti_CallbackId function, const CUpti_CallbackData& call) {
  closing.reset();
  if (!has_succeeded(call)) return;
  switch (function) {
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData:
      return loaded_by(call, &cuModuleLoadData_params::module, &cuModuleLoadData_params::image);
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx:
      return loaded_by(call, &cuModuleLoadDataEx_params::module, &cuModuleLoadDataEx_params::image);
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary:
      return loaded_by(call, &cuModuleLoadFatBinary_params::module, &cuModuleLoadFatBinary_params::fatCubin);
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData:
      return loaded_by(call, &cuLibraryLoadData_params::library, &cuLibraryLoadData_params::code);
    default:
      return;
  }
}

/// A call within another one of the same thread is part of that one. While a pass begins or ends, no
/// executable graph may be made or changed: CUPTI (2025.3.1) switches its instrumentation then, and kernels
/// of such a graph would read and write wrong addresses.
void enter(CUpti_CallbackId function, const CUpti_CallbackData& call) {
  if (!process->is_active()) return;
  if (is_other_call(function)) return enter_other_call(function, call);
  if (function == CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy)
    driver->graphs().destroyed(parameters_of<cuGraphExecDestroy_params>(call).hGraphExec);
  if (call_in_progress) return;
  call_in_progress = {.function = function, .correlation = call.correlationId};
  if (is_launch(function))
    enter_launch(function, call);
  else if (is_graph_call(function))
    process->entered_graph_change();
  else
    process->entered_other_work(call.context);
}

void leave(CUpti_CallbackId function, const CUpti_CallbackData& call) {
  if (is_other_call(function)) return leave_other_call(function, call);
  if (is_graph_call(function)) leave_graph_call(function, call);
  if (call_in_progress != CallId{function, call.correlationId}) return;
  call_in_progress.reset();
  if (const auto result = std::exchange(result_of_nodes, std::nullopt)) pretend(call, *result);
  const CUresult result = *static_cast<const CUresult*>(call.functionReturnValue);
  const char* error = nullptr;
  if (result != CUDA_SUCCESS && (cuGetErrorName(result, &error) != CUDA_SUCCESS || error == nullptr))
    error = "an unknown error";
  process->left(error);
}

void changed(CUpti_CallbackId change, const CUpti_ResourceData& resource) {
  if (!process->is_active()) return;
  const auto* const graph = static_cast<const CUpti_GraphData*>(resource.resourceDescriptor);
  switch (change) {
    case CUPTI_CBID_RESOURCE_STREAM_CREATED:
      return driver->streams().add(resource.context, Streams::kUnknownDevice, resource.resourceHandle.stream);
    case CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING:
      return driver->streams().remove(resource.resourceHandle.stream);
    case CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
      return process->module_unloaded();
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED:
      if (const auto identity = identity_of(graph->graph))
        process->graph_made(graph->graphExec, identity->name, identity->nodes);
      return;
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING:
      return process->graph_destroyed(graph->graphExec);
    case CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
      process->context_destroyed(resource.context);
      driver->graphs().context_destroyed(resource.context);
      return driver->streams().remove(resource.context);
    default:
      return;
  }
}

/// Functions are loaded lazily, in calls of ours too.
void loaded(const CUpti_ResourceData& resource) {
  if (!process->is_active()) return;
  const auto& module = *static_cast<const CUpti_ModuleResourceData*>(resource.resourceDescriptor);
  if (module.pCubin != nullptr) driver->loaded({module.pCubin, module.cubinSize});
}

/// How the call uses what CUPTI knows of executable graphs; nothing if it does not. CUPTI forgets nothing
/// when one is destroyed.
std::optional<GraphGate::Call> use_of_graphs(CUpti_CallbackId function) {
  if (is_graph_launch(function)) return GraphGate::Call::launch;
  if (function == CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy || !is_graph_call(function)) return std::nullopt;
  return GraphGate::Call::change;
}

/// The program's calls and ours: the last thing that is done on entering a call.
void enter_gate(CUpti_CallbackId function, const CUpti_CallbackData& call) {
  const auto use = use_of_graphs(function);
  if (!use || call_in_gate) return;
  GraphGate& gate = driver->graphs().gate();
  call_in_gate = {.call = {function, call.correlationId}, .passage = gate.enter(*use)};
  if (gate.has_given_up()) process->graphs_are_unguarded();
}

/// The first thing on leaving it.
void leave_gate(CUpti_CallbackId function, const CUpti_CallbackData& call) {
  if (call_in_gate && call_in_gate->call == CallId{function, call.correlationId})
    driver->graphs().gate().leave(std::exchange(call_in_gate, std::nullopt)->passage);
}

void on_resource(CUpti_CallbackId change, const CUpti_ResourceData& resource) {
  const bool is_loaded = change == CUPTI_CBID_RESOURCE_MODULE_LOADED;
  if (OurOwnCall::is_one() && !is_loaded) return;
  const OurOwnCall own;
  if (is_loaded)
    loaded(resource);
  else
    changed(change, resource);
}

void on_call(CUpti_CallbackId function, const CUpti_CallbackData& call) {
  const bool begins = call.callbackSite == CUPTI_API_ENTER;
  if (!begins) leave_gate(function, call);
  if (OurOwnCall::is_one()) {
    GraphCopies::in_own_call(function, call);
  } else {
    const OurOwnCall own;
    if (begins)
      enter(function, call);
    else
      leave(function, call);
  }
  if (begins) enter_gate(function, call);
}

void CUPTIAPI on_callback(void* /*user*/, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                          const void* data) {
  if (process->is_child()) return;
  try {
    if (domain == CUPTI_CB_DOMAIN_RESOURCE)
      on_resource(id, *static_cast<const CUpti_ResourceData*>(data));
    else
      on_call(id, *static_cast<const CUpti_CallbackData*>(data));
  } catch (const std::exception& error) {
    process->give_up(error);  // and the program continues
  }
}

/// The driver's functions whose names begin so.
std::vector<CUpti_CallbackId> functions_of_other_work() {
  std::vector<CUpti_CallbackId> functions;
  for (CUpti_CallbackId function = 1; function < CUPTI_DRIVER_TRACE_CBID_SIZE; ++function) {
    const char* name = nullptr;
    if (cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, function, &name) != CUPTI_SUCCESS || name == nullptr)
      continue;
    const bool is_one =
        std::any_of(std::begin(kOtherWork), std::end(kOtherWork),
                    [&](std::string_view begin) { return std::string_view(name).starts_with(begin); });
    if (is_one) functions.push_back(function);
  }
  return functions;
}

void listen() {
  const auto shared = process->may_share_cupti() ? shared_functions() : std::nullopt;
  const Subscription subscription = subscribe(on_callback, shared, activities::shared_buffers());
  const auto enable = [&](CUpti_CallbackDomain domain, const auto& functions) {
    for (const CUpti_CallbackId function : functions)
      ROOFLINECTL_CUPTI(cuptiEnableCallback, 1, subscription.handle, domain, function);
  };
  enable(CUPTI_CB_DOMAIN_DRIVER_API, launching_functions());
  enable(CUPTI_CB_DOMAIN_DRIVER_API, functions_of_other_work());
  enable(CUPTI_CB_DOMAIN_DRIVER_API, kOtherCalls);
  enable(CUPTI_CB_DOMAIN_DRIVER_API, kGraphLives);
  enable(CUPTI_CB_DOMAIN_DRIVER_API, kGraphChanges);
  enable(CUPTI_CB_DOMAIN_RESOURCE, kChanges);
  activities::set_listener(*process, subscription);
  if (process->may_sample_lines()) driver->sample_lines();
}

}  // namespace

void watch(Process& told, CudaDriver& of) {
  process = &told;
  driver = &of;
  try {
    listen();
  } catch (const Error& error) {
    told.see_nothing(error);
  }
}

}  // namespace rooflinectl::injection
