// SPDX-License-Identifier: Apache-2.0
#include "collector/injection/process.h"

#include <cupti.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <utility>

#include "collector/cupti/call.h"
#include "collector/injection/cupti_gpu.h"
#include "collector/injection/nccl_messages.h"
#include "collector/injection/this_process.h"
#include "collector/sampling/device_sampler.h"
#include "collector/sampling/own_thread.h"
#include "core/model/application.h"
#include "core/model/uuid_text.h"
#include "core/text/characters.h"

namespace rooflinectl::injection {

namespace {

/// What a program that ends without notice may lose.
constexpr auto kWritePeriod = std::chrono::milliseconds(300);

/// Stands for the messages of all sizes.
constexpr std::uint64_t kAnySize = std::numeric_limits<std::uint64_t>::max();

constexpr CUpti_CallbackId kChanges[] = {
    CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, CUPTI_CBID_RESOURCE_STREAM_CREATED,
    CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING,  CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
    CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED,        CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING};

/// What this thread is doing on our behalf launches nothing of the program's.
thread_local bool is_our_own_call = false;
/// Whether the launch that this thread is making is counted, and by whom.
thread_local Session* counting = nullptr;

class OurOwnCall {
 public:
  OurOwnCall() { is_our_own_call = true; }
  ~OurOwnCall() { is_our_own_call = false; }
  OurOwnCall(const OurOwnCall&) = delete;
  OurOwnCall& operator=(const OurOwnCall&) = delete;
};

void CUPTIAPI on_callback(void* process, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (is_our_own_call) return;
  const OurOwnCall own;
  auto& self = *static_cast<Process*>(process);
  try {
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
      self.called(id, *static_cast<const CUpti_CallbackData*>(data));
    } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
      self.changed(id, *static_cast<const CUpti_ResourceData*>(data));
    }
  } catch (const std::exception& error) {
    self.give_up(error);  // and the program continues
  }
}

std::string uuid_of(CUdevice device) {
  CUuuid id{};
  if (cuDeviceGetUuid_v2(&id, device) != CUDA_SUCCESS) return "";
  return uuid_text(id.bytes);
}

std::optional<int> blocks_per_sm(const LaunchCall& launch) {
  const auto threads = launch.block[0] * launch.block[1] * launch.block[2];
  int blocks = 0;
  const bool is_known = launch.function != nullptr && threads > 0 &&
                        cuOccupancyMaxActiveBlocksPerMultiprocessor(
                            &blocks, loaded_function(launch.function), static_cast<int>(threads),
                            launch.dynamic_shared_bytes) == CUDA_SUCCESS;
  return is_known ? std::optional(blocks) : std::nullopt;
}

std::string_view symbol_of(const CUpti_CallbackData& call) {
  return call.symbolName == nullptr ? "" : call.symbolName;
}

/// CUPTI launches a kernel of its own in a range around a graph.
bool is_of_cupti(std::string_view symbol) {
  return symbol == "WaitNs";
}

/// `step #` of `step 17`.
std::string without_numbers(std::string_view path) {
  std::string pattern;
  for (const char character : path) {
    if (!is_digit(character))
      pattern += character;
    else if (!pattern.ends_with('#'))
      pattern += '#';
  }
  return pattern;
}

bool has_component(std::string_view path, std::string_view name) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (path.substr(0, end) == name) return true;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return false;
}

}  // namespace

struct Process::Context {
  CUcontext context = nullptr;
  int device = 0;
  std::unique_ptr<CuptiGpu> gpu;
  std::unique_ptr<Session> session;
  std::mutex mutex;                    // guards the list
  std::vector<std::uint64_t> records;  // ids in the file of the session's groups
};

struct Process::GroupKey {
  CUcontext context = nullptr;
  KernelId kernel = 0;
  PathId path = 0;
  record::Extent grid{};
  record::Extent block{};
  record::Extent cluster{};
  std::uint64_t dynamic_shared_bytes = 0;
  /// Of a collective, if known. Launches with messages of all sizes are sampled together.
  std::optional<std::uint64_t> message_bytes;

  auto operator<=>(const GroupKey&) const = default;  // NOLINT(modernize-use-nullptr): there is no null
};

Process::Process(ProfileSettings settings)
    : settings_(std::move(settings)),
      filter_(settings_.kernel, settings_.nvtx),
      only_(settings_.only.begin(), settings_.only.end()),
      paths_(settings_.nvtx_scope),
      kernels_([this](const ProfileRecord& record) { file_->add(record); }),
      traced_launches_(kernels_, paths_, [this](const ProfileRecord& record) { file_->add(record); }) {}

Process::~Process() = default;

void Process::observe() {
  file_.emplace(record_path(settings_.records));
  file_->add(this_process());
  try {
    ROOFLINECTL_CUPTI(cuptiSubscribe, &subscriber_, on_callback, this);
    for (const CUpti_CallbackId function : launching_functions()) {
      ROOFLINECTL_CUPTI(cuptiEnableCallback, 1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, function);
    }
    for (const CUpti_CallbackId function :
         {CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop}) {
      ROOFLINECTL_CUPTI(cuptiEnableCallback, 1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, function);
    }
    for (const CUpti_CallbackId change : kChanges) {
      ROOFLINECTL_CUPTI(cuptiEnableCallback, 1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, change);
    }
    activities::set_listener(*this);
  } catch (const Error& error) {
    is_active_ = false;
    problem("nothing of this process was seen", error);
  }
  file_->flush();
}

void Process::give_up(const std::exception& error) {
  if (!is_active_.exchange(false)) return;
  const auto* const known = dynamic_cast<const Error*>(&error);
  problem("from here on nothing was seen",
          known != nullptr ? *known : Error(ErrorKind::environment, error.what()));
  file_->flush();
}

void Process::called(CUpti_CallbackId function, const CUpti_CallbackData& call) {
  if (!is_active_) return;
  if (function == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart ||
      function == CUPTI_DRIVER_TRACE_CBID_cuProfilerStop) {
    in_profiler_range(function == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
  } else if (call.callbackSite == CUPTI_API_ENTER) {
    before(function, call);
  } else if (Session* const session = std::exchange(counting, nullptr)) {
    session->after_launch();
  }
}

void Process::before(CUpti_CallbackId function, const CUpti_CallbackData& call) {
  const auto launch = launch_call(function, call.functionParams);
  if (launch && (is_captured(launch->stream) || is_of_cupti(symbol_of(call)))) return;
  const PathId path = paths_.current();
  Context* context = nullptr;
  std::optional<LaunchGroup> group;
  bool may_be_counted = false;
  {
    const std::lock_guard lock(mutex_);
    context = &context_of(call);
    if (launch && is_captured_by_plan(path)) {
      streams_.add(call.context, launch->stream);
      group = group_of(*context, *launch, call, path);
      may_be_counted = takes_turn();
    }
  }
  start_writing();
  if (!group) return context->session->before_other_launch();
  const bool is_counted = context->session->before_launch(group->id, may_be_counted);
  if (is_counted) counting = context->session.get();
  if (!is_traced_) return;
  traced_launches_.announce({.correlation = call.correlationId,
                             .group = *group,
                             .is_counted = is_counted,
                             .is_graph = launch->graph != nullptr});
}

Process::Context& Process::context_of(const CUpti_CallbackData& call) {
  std::unique_ptr<Context>& context = contexts_[call.context];
  if (context) return *context;
  context = std::make_unique<Context>();
  Context& made = *context;
  made.context = call.context;
  CUdevice device = 0;
  cuCtxGetDevice(&device);
  made.device = device;
  if (devices_.insert(device).second) {
    file_->add(record::Device{
        .device = device, .uuid = uuid_of(device), .chip = "", .cupti_version = cupti::cupti_version()});
  }
  streams_.add(call.context, CU_STREAM_LEGACY);
  made.gpu = std::make_unique<CuptiGpu>(
      call.context, device, streams_, [this, &made](bool on) { trace(made, on); },
      [this, device] { begin_timeline(device); }, [this, device] { return is_sampled(device); });
  const auto write = [this, &made](const ProfileRecord& record) {
    ProfileRecord translated = record;
    const auto translate = [&](std::uint64_t& group) {
      const std::lock_guard lock(made.mutex);
      group = made.records.at(group);
    };
    if (auto* counted = std::get_if<record::Counted>(&translated)) translate(counted->group);
    if (auto* untraced = std::get_if<record::Untraced>(&translated)) translate(untraced->group);
    if (auto* problem = std::get_if<record::Problem>(&translated); problem != nullptr && problem->group) {
      translate(*problem->group);
    }
    file_->add(translated);
  };
  made.session =
      std::make_unique<Session>(*made.gpu, write, settings_.samples, settings_.passes, Session::Limits{});
  return made;
}

LaunchGroup Process::group_of(Context& context, const LaunchCall& launch, const CUpti_CallbackData& call,
                              PathId path) {
  const KernelId kernel =
      launch.graph != nullptr ? kernels_.of(launch.graph) : kernels_.of(launch.function, call.symbolName);
  if (kernel >= launches_of_kernels_.size()) launches_of_kernels_.resize(kernel + 1);
  const std::uint64_t place = ++launches_of_kernels_[kernel];
  const GroupKey key = {.context = context.context,
                        .kernel = kernel,
                        .path = path,
                        .grid = launch.grid,
                        .block = launch.block,
                        .cluster = launch.cluster.value_or(record::Extent{}),
                        .dynamic_shared_bytes = launch.dynamic_shared_bytes,
                        .message_bytes = message_bytes(kernel)};
  const auto known = groups_.find(key);
  if (known != groups_.end()) return known->second;

  LaunchGroup group = {.session = context.session.get(), .record = group_count_++};
  GroupKey sampled = key;
  sampled.path = path_to_sample(path);
  if (sampled.message_bytes) sampled.message_bytes = kAnySize;
  const auto same = groups_.find(sampled);
  group.id = same != groups_.end() ? same->second.id : add_to_session(context, group, kernel, path);
  file_->add(record::Group{.group = group.record,
                           .device = context.device,
                           .kernel = kernel,
                           .grid = launch.grid,
                           .block = launch.block,
                           .cluster = launch.cluster,
                           .dynamic_shared_bytes = launch.dynamic_shared_bytes,
                           .blocks_per_sm = blocks_per_sm(launch),
                           .first_launch = launch.graph == nullptr ? std::optional(place) : std::nullopt,
                           .path = paths_.text(path),
                           .message_bytes = key.message_bytes});
  groups_.emplace(key, group);
  groups_.emplace(sampled, group);
  return group;
}

/// Of the collective that the calling thread called, if the kernel is NCCL's.
std::optional<std::uint64_t> Process::message_bytes(KernelId kernel) const {
  NcclMessages& messages = nccl_messages();
  if (messages.empty() || !is_collective(kernels_.symbol(kernel))) return std::nullopt;
  return messages.take();
}

/// Ranges such as `step 17` come with ever new numbers: after some, their launches are sampled together.
PathId Process::path_to_sample(PathId path) {
  constexpr int kMostNumbers = 8;
  const auto known = sampled_paths_.find(path);
  if (known != sampled_paths_.end()) return known->second;
  PathPattern& pattern =
      path_patterns_.try_emplace(without_numbers(paths_.text(path)), PathPattern{path}).first->second;
  return sampled_paths_[path] = ++pattern.paths > kMostNumbers ? pattern.first : path;
}

GroupId Process::add_to_session(Context& context, const LaunchGroup& group, KernelId kernel, PathId path) {
  const std::string symbol = kernels_.symbol(kernel);
  if (is_collective(symbol)) context.session->launches_collectives();
  const bool is_counted = filter_.selects_kernel(symbol) && filter_.selects_path(paths_.text(path)) &&
                          (only_.empty() || only_.contains(symbol));
  const std::lock_guard lock(context.mutex);
  context.records.push_back(group.record);
  return context.session->add_group(
      {.kernel = kernel, .is_counted = is_counted, .is_known_to_end = is_counted && !only_.empty()});
}

/// Whether the settings let the launch be traced.
bool Process::is_captured_by_plan(PathId path) {
  switch (settings_.capture) {
    case Capture::all:
      return true;
    case Capture::cuda_profiler:
      return is_in_profiler_range_;
    case Capture::nvtx:
      return has_component(paths_.text(path), settings_.capture_range);
  }
  return true;
}

/// Whether the launch is one of those, in order, that may be counted.
bool Process::takes_turn() {
  const std::uint64_t turn = selected_launches_++;
  return turn >= settings_.skip && (!settings_.limit || turn - settings_.skip < *settings_.limit);
}

void Process::trace(const Context& context, bool on) {
  const std::lock_guard lock(trace_mutex_);
  if (on)
    untraced_.erase(&context);
  else
    untraced_.insert(&context);
  const bool is_wanted = untraced_.empty();
  if (is_wanted == is_traced_) return;
  try {
    if (!is_wanted) activities::flush(false);
    activities::enable(is_wanted);
    is_traced_ = is_wanted;
  } catch (const Error& error) {
    problem("launches were not traced", error);
  }
}

void Process::changed(CUpti_CallbackId change, const CUpti_ResourceData& resource) {
  if (!is_active_) return;
  const auto* const graph = static_cast<const CUpti_GraphData*>(resource.resourceDescriptor);
  switch (change) {
    case CUPTI_CBID_RESOURCE_STREAM_CREATED:
      streams_.add(resource.context, resource.resourceHandle.stream);
      break;
    case CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING:
      streams_.remove(resource.context, resource.resourceHandle.stream);
      break;
    case CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
      kernels_.module_unloaded();
      break;
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED:
      kernels_.graph_made(graph->graphExec, graph->graph);
      break;
    case CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING:
      kernels_.graph_destroyed(graph->graphExec);
      break;
    case CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING: {
      const std::lock_guard lock(mutex_);
      const auto found = contexts_.find(resource.context);
      if (found == contexts_.end()) break;
      finish(*found->second);
      const int device = found->second->device;
      const bool is_last = std::none_of(contexts_.begin(), contexts_.end(), [&](const auto& other) {
        return other.first != resource.context && other.second->device == device;
      });
      if (is_last) end_timeline(device);
      std::erase_if(groups_, [&](const auto& entry) { return entry.first.context == resource.context; });
      static_cast<void>(found->second.release());  // launches that are still awaited point to it
      contexts_.erase(found);
      streams_.remove(resource.context);
      break;
    }
    default:
      break;
  }
}

void Process::traced(const activities::Kernel& kernel) {
  if (!is_of_cupti(kernel.symbol)) traced_launches_.add(kernel);
}

void Process::delivered() {
  traced_launches_.write();
  file_->flush();
}

void Process::start_writing() {
  const std::lock_guard lock(writer_mutex_);
  if (writer_.joinable() || is_finished_) return;
  writer_ = own_thread([this] {
    is_our_own_call = true;
    std::unique_lock wait(writer_mutex_);
    while (!writer_wakes_.wait_for(wait, kWritePeriod, [this] { return is_finished_; })) {
      wait.unlock();
      activities::flush(false);
      file_->flush();
      wait.lock();
    }
  });
}

std::unique_ptr<SamplingThread> Process::sampling_thread(int device) {
  const auto open = [this, device]() -> std::unique_ptr<Sampler> {
    is_our_own_call = true;
    return std::make_unique<DeviceSampler>(device, uuid_of(device), *settings_.timeline_interval_ns);
  };
  return std::make_unique<SamplingThread>(
      open, *settings_.timeline_interval_ns, [this](const ProfileRecord& record) { file_->add(record); },
      now_ns);
}

/// Outside of a captured part, the device awaits the next one.
void Process::begin_timeline(int device) {
  if (!settings_.timeline_interval_ns) return;
  const std::lock_guard lock(timelines_mutex_);
  std::unique_ptr<SamplingThread>& timeline = timelines_[device];
  const bool is_captured = settings_.capture != Capture::cuda_profiler || is_in_profiler_range_;
  if (!timeline && is_captured) timeline = sampling_thread(device);
}

bool Process::is_sampled(int device) {
  const std::lock_guard lock(timelines_mutex_);
  const auto found = timelines_.find(device);
  return found != timelines_.end() && (!found->second || !found->second->has_failed());
}

void Process::in_profiler_range(bool is_inside) {
  if (is_in_profiler_range_.exchange(is_inside) == is_inside || settings_.capture != Capture::cuda_profiler)
    return;
  const std::lock_guard lock(timelines_mutex_);
  for (auto& [device, timeline] : timelines_) {
    if (is_inside && !timeline) timeline = sampling_thread(device);
    if (!is_inside && timeline && !timeline->has_failed()) timeline.reset();
  }
}

/// The device is no longer sampled: its last context is about to be destroyed. Another context may begin
/// anew.
void Process::end_timeline(int device) {
  const std::lock_guard lock(timelines_mutex_);
  timelines_.erase(device);
}

void Process::finish(Context& context) {
  try {
    context.session->finish();
  } catch (const Error& error) {
    problem("what was counted last is lost", error);
  }
}

void Process::finish() {
  if (is_child_) return;
  if (!is_active_.exchange(false)) return file_->flush();
  const OurOwnCall own;
  {
    const std::lock_guard lock(writer_mutex_);
    is_finished_ = true;
  }
  writer_wakes_.notify_all();
  if (writer_.joinable()) writer_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, context] : contexts_) finish(*context);
  }
  {
    const std::lock_guard lock(timelines_mutex_);
    timelines_.clear();
  }
  activities::flush(true);
  traced_launches_.end_graphs();
  delivered();
  traced_launches_.report_undelivered();
  file_->add(record::End{.at_ns = now_ns(), .lost_activities = lost_, .lost_records = file_->lost_records()});
  file_->flush();
}

void Process::problem(const char* what, const Error& error) {
  file_->add(record::Problem{
      .group = std::nullopt, .cause = fmt::format("{}: {}", what, error.what()), .hint = error.hint()});
}

}  // namespace rooflinectl::injection
