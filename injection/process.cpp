// SPDX-License-Identifier: Apache-2.0
#include "injection/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <string_view>
#include <vector>

#include "collector/sampling/sampling_thread.h"
#include "injection/launches/nccl_messages.h"
#include "injection/this_process.h"

namespace rooflinectl::injection {

namespace {

/// What a program that ends without notice may lose.
constexpr auto kWritePeriod = std::chrono::milliseconds(300);
constexpr auto kLongestDelivery = std::chrono::seconds(2);

bool has_component(std::string_view path, std::string_view name) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (path.substr(0, end) == name) return true;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return false;
}

/// Far from those of other objects.
std::uint64_t first_change() {
  static std::atomic<std::uint64_t> objects{0};
  return ++objects << 40U;
}

std::size_t mixed(std::size_t hash, std::uint64_t value) {
  return (hash ^ value) * 0x9e3779b97f4a7c15U;
}

}  // namespace

thread_local bool OurOwnCall::is_own = false;

struct Process::Context {
  Handle handle = nullptr;
  int device = 0;
  std::unique_ptr<Gpu> gpu;
  std::unique_ptr<CountingSession> session;
};

/// The call that a thread is making, and what it remembers of earlier ones, as most are like one before.
struct Process::Call {
  CountingSession* session = nullptr;  // null if none is being made that a session knows of
  std::optional<LaunchGroup> group;
  std::shared_ptr<const GraphGroups> graph;     // that is launched as a whole
  std::optional<PathId> path_of_nodes;          // if it launches those of a graph one by one
  CountingSession* session_of_nodes = nullptr;  // if another thread does so for it
  bool is_counted = false;
  bool is_announced = false;
  std::uint32_t correlation = 0;

  // One context of each device, during a call that changes graphs. Not a vector: when a thread ends, graphs
  // may be destroyed after this object.
  static constexpr std::size_t kMostDevices = 64;
  std::array<Context*, kMostDevices> devices{};
  std::size_t n_devices = 0;

  static constexpr std::size_t kRemembered = 64;
  struct RememberedKernel {
    Handle function = nullptr;
    Kernel* kernel = nullptr;
  };
  struct RememberedGroup {
    LaunchGroups::Key key;
    LaunchGroup group;
  };
  std::uint64_t changes = 0;
  Handle context_handle = nullptr;
  Context* context = nullptr;
  std::array<RememberedKernel, kRemembered> kernels{};
  std::array<RememberedGroup, kRemembered> groups{};

  void forget_outdated(const Process& of) {
    const std::uint64_t now = of.changes_.load(std::memory_order_acquire);
    if (changes == now) return;
    changes = now;
    context_handle = nullptr;
    kernels = {};
    groups = {};
  }
  RememberedKernel& place_of(Handle function) {
    return kernels[mixed(0, reinterpret_cast<std::uintptr_t>(function)) >> 58U];
  }
  RememberedGroup& place_of(const LaunchGroups::Key& key) {
    std::size_t hash = mixed(reinterpret_cast<std::uintptr_t>(key.kernel), key.path);
    for (const auto& extent : {key.grid, key.block, key.cluster}) {
      for (const std::uint32_t size : extent) hash = mixed(hash, size);
    }
    hash = mixed(mixed(hash, key.dynamic_shared_bytes), key.message_bytes.value_or(0));
    return groups[hash >> 58U];
  }
};

Process::Call& Process::call_of_thread() {
  static thread_local Call call;
  return call;
}

Process::Process(ProfileSettings settings, std::size_t most_groups)
    : settings_(std::move(settings)),
      paths_(settings_.nvtx_scope),
      kernels_(sink()),
      groups_(settings_, paths_, sink(), most_groups),
      traced_launches_(kernels_, sink()),
      timelines_(
          settings_,
          [this](int device) {
            OurOwnCall::on_this_thread();
            return driver_->sampler(device, *settings_.timeline_interval_ns);
          },
          sink()),
      changes_(first_change()) {}

Process::~Process() {
  {
    const std::lock_guard lock(writer_mutex_);
    is_finished_ = true;
  }
  writer_wakes_.notify_all();
  if (writer_.joinable()) writer_.join();
}

void Process::observe(Driver& driver) {
  is_observed_ = true;
  driver_ = &driver;
  file_.emplace(record_path(settings_.records));
  file_->add(this_process());
  file_->flush();
}

void Process::problem(std::string_view what, const Error& error) {
  file_->add(record::Problem{
      .group = std::nullopt, .cause = fmt::format("{}: {}", what, error.what()), .hint = error.hint()});
}

void Process::see_nothing(const Error& error) {
  is_active_ = false;
  problem(record::kNothingSeen, error);
  file_->flush();
}

void Process::give_up(const std::exception& error) {
  if (!is_active_.exchange(false)) return;
  const auto* const known = dynamic_cast<const Error*>(&error);
  problem("from here on nothing was seen",
          known != nullptr ? *known : Error(ErrorKind::environment, error.what()));
}

void Process::after_fork_in_child() {
  paths_.after_fork_in_child();
  if (!is_observed_) return;
  is_child_ = true;
  is_active_ = false;
}

// -- calls of the program --

void Process::entered(const Launch& launch) {
  Call& call = call_of_thread();
  call.forget_outdated(*this);
  call.group.reset();
  const PathId path = call.path_of_nodes.value_or(paths_.current());
  Context& context = context_of(launch);
  driver_->has_stream(launch.context, context.device, launch.stream);
  start_writing();
  if (is_captured_by_plan(path)) {
    call.group = group_of(context, launch, path, call.path_of_nodes.has_value());
    if (!call.group) ++left_out_;
  }
  if (call.group)
    call.is_counted = context.session->before_launch(call.group->id, takes_turn());
  else
    context.session->before_other_work();
  call.session = context.session.get();
  call.is_announced = call.group && is_traced_;
  if (!call.is_announced) return;
  call.correlation = launch.correlation;
  // A node of a graph was launched unlike others, whether it was counted itself or not.
  traced_launches_.announce({.correlation = launch.correlation,
                             .group = *call.group,
                             .is_counted = call.is_counted || call.path_of_nodes.has_value(),
                             .is_graph = launch.graph != nullptr});
}

std::optional<PathId> Process::entered_graph(const Launch& launch,
                                             const std::shared_ptr<const GraphNodes>& nodes) {
  Call& call = call_of_thread();
  call.forget_outdated(*this);
  call.group.reset();
  const PathId path = paths_.current();
  Context& context = context_of(launch);
  driver_->has_stream(launch.context, context.device, launch.stream);
  start_writing();
  call.session = context.session.get();
  if (!is_captured_by_plan(path)) {
    context.session->before_other_work();
    return std::nullopt;
  }
  const PathId within = paths_.within(path, nodes->name);
  auto groups = groups_of(context, nodes, within);
  if (context.session->before_graph(groups->kernels(), graph_launches_.may_run_by_nodes(nodes->name, path))) {
    graph_launches_.runs_by_nodes(nodes->name, path);
    call.session = nullptr;
    call.session_of_nodes = context.session.get();
    return within;
  }
  left_out_ += groups->left_out();
  call.graph = std::move(groups);
  call.is_announced = is_traced_;
  if (!call.is_announced) return std::nullopt;
  call.correlation = launch.correlation;
  traced_launches_.announce({.correlation = launch.correlation, .is_graph = true, .kernels = call.graph});
  return std::nullopt;
}

void Process::begin_nodes(PathId path) {
  call_of_thread().path_of_nodes = path;
}

void Process::end_nodes() {
  call_of_thread().path_of_nodes.reset();
}

void Process::left_graph() {
  if (CountingSession* const session = std::exchange(call_of_thread().session_of_nodes, nullptr))
    session->after_nodes();
}

void Process::entered_other_work(Handle context) {
  Call& call = call_of_thread();
  call.forget_outdated(*this);
  call.group.reset();
  Context* const known = find_context(context);
  if (known == nullptr) return;
  known->session->before_other_work();
  call.session = known->session.get();
}

/// One session of each device is enough: they share its turn.
void Process::entered_graph_change() {
  Call& call = call_of_thread();
  const auto add = [&](Context* context) {
    for (std::size_t i = 0; i < call.n_devices; ++i) {
      if (call.devices[i]->device == context->device) return;
    }
    if (call.n_devices < Call::kMostDevices) call.devices[call.n_devices++] = context;
  };
  {
    const std::lock_guard lock(contexts_mutex_);
    for (const auto& [handle, context] : contexts_) add(context.get());
  }
  for (std::size_t i = 0; i < call.n_devices; ++i) call.devices[i]->session->before_other_work();
}

void Process::left(const char* error) {
  Call& call = call_of_thread();
  while (call.n_devices > 0) call.devices[--call.n_devices]->session->after_other_work();
  CountingSession* const session = std::exchange(call.session, nullptr);
  if (session == nullptr) return;
  const auto graph = std::exchange(call.graph, nullptr);
  if (!call.group) session->after_other_work();
  if (graph && (error != nullptr || !call.is_announced)) {
    if (call.is_announced) traced_launches_.retract(call.correlation);
    const std::lock_guard lock(tallies_mutex_);
    for (const GraphGroups::Member& member : graph->members()) {
      auto& launches = error == nullptr ? untraced_launches_[member.group.record]
                                        : failed_launches_[{member.group.record, error}];
      launches += member.kernels;
    }
  }
  if (!call.group) return;
  session->after_launch(call.group->id, std::exchange(call.is_counted, false), error != nullptr);
  if (error == nullptr && call.is_announced) return;
  if (error != nullptr && call.is_announced) traced_launches_.retract(call.correlation);
  const std::lock_guard lock(tallies_mutex_);
  if (error != nullptr)
    ++failed_launches_[{call.group->record, error}];
  else
    ++untraced_launches_[call.group->record];
}

Process::Context* Process::find_context(Handle context) {
  Call& call = call_of_thread();
  if (call.context_handle == context && context != nullptr) return call.context;
  const std::lock_guard lock(contexts_mutex_);
  const auto found = contexts_.find(context);
  if (found == contexts_.end()) return nullptr;
  call.context_handle = context;
  call.context = found->second.get();
  return call.context;
}

Process::Context& Process::context_of(const Launch& launch) {
  Context* const known = find_context(launch.context);
  return known != nullptr ? *known : make_context(launch.context);
}

Process::Context& Process::make_context(Handle context) {
  const record::Device device = driver_->device_of(context);
  auto made = std::make_unique<Context>();
  made->handle = context;
  made->device = device.device;
  made->gpu = driver_->gpu(context, device.device,
                           {.trace = [this, one = made.get()](bool on) { trace(*one, on); },
                            .deliver_trace = [this] { deliver_trace(); },
                            .begin_timeline = [this, id = device.device] { timelines_.begin(id); },
                            .is_sampled = [this, id = device.device] { return timelines_.is_sampled(id); }});
  const std::lock_guard lock(contexts_mutex_);
  const auto [place, is_new] = contexts_.try_emplace(context);
  if (!is_new) return *place->second;  // another thread was faster
  const auto [turn, is_new_device] = devices_.try_emplace(device.device);
  if (is_new_device) {
    turn->second.collectives = collectives_;
    file_->add(device);
  }
  made->session =
      std::make_unique<CountingSession>(*made->gpu, device.device, turn->second, sink(), settings_.samples,
                                        settings_.passes, CountingSession::Limits{});
  place->second = std::move(made);
  return *place->second;
}

/// Of the kernels of a graph, as if they were launched in a range of its name. Those beyond what a process
/// may have are left out.
std::shared_ptr<const GraphGroups> Process::groups_of(Context& context,
                                                      const std::shared_ptr<const GraphNodes>& nodes,
                                                      PathId path) {
  if (auto known = graph_launches_.find(nodes, context.handle, path)) return known;
  const auto groups = std::make_shared<GraphGroups>();
  for (const Launch& kernel : nodes->kernels) {
    if (const auto group = group_of(context, kernel, path, true))
      groups->add(kernel_of(kernel).symbol, kernel, *group);
    else
      groups->leave_out();
  }
  graph_launches_.add(nodes, context.handle, path, groups);
  return groups;
}

std::optional<LaunchGroup> Process::group_of(Context& context, const Launch& launch, PathId path,
                                             bool is_in_graph) {
  Kernel& kernel = kernel_of(launch);
  const auto place = is_in_graph ? std::nullopt : std::optional(++*kernel.launches);
  LaunchGroups::Key key = {.context = context.handle,
                           .kernel = &kernel,
                           .path = path,
                           .grid = launch.grid,
                           .block = launch.block,
                           .cluster = launch.cluster.value_or(record::Extent{}),
                           .dynamic_shared_bytes = launch.dynamic_shared_bytes,
                           .message_bytes = std::nullopt,
                           .is_in_graph = is_in_graph};
  NcclMessages& messages = nccl_messages();
  if (kernel.is_of_nccl && !messages.empty()) key.message_bytes = messages.take();
  Call::RememberedGroup& remembered = call_of_thread().place_of(key);
  if (remembered.key == key) return remembered.group;
  std::optional<LaunchGroup> group = groups_.find(key);
  if (!group) {
    group = groups_.add(key, *context.session, context.device, launch, driver_->blocks_per_sm(launch), place);
    if (group && !launch.obstacle.empty()) {
      file_->add(
          record::Problem{.group = group->record,
                          .cause = fmt::format("the kernels in it are not told apart: {}", launch.obstacle),
                          .hint = ""});
    }
  }
  if (group) remembered = {key, *group};
  return group;
}

Kernel& Process::kernel_of(const Launch& launch) {
  if (launch.graph != nullptr) return kernels_.graph(launch.graph);
  Call::RememberedKernel& remembered = call_of_thread().place_of(launch.function);
  if (remembered.function == launch.function && remembered.kernel != nullptr) return *remembered.kernel;
  Kernel* kernel = kernels_.find(launch.function);
  if (kernel == nullptr) kernel = &kernels_.add(launch.function, driver_->kernel(launch));
  remembered = {launch.function, kernel};
  return *kernel;
}

/// Whether the settings let the launch be traced.
bool Process::is_captured_by_plan(PathId path) const {
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

void Process::write_tallies() {
  decltype(untraced_launches_) untraced;
  decltype(failed_launches_) failed;
  {
    const std::lock_guard lock(tallies_mutex_);
    untraced.swap(untraced_launches_);
    failed.swap(failed_launches_);
  }
  for (const auto& [group, launches] : untraced) {
    file_->add(record::Untraced{.group = group, .launches = launches});
  }
  for (const auto& [what, launches] : failed) {
    file_->add(record::Failed{.group = what.first, .launches = launches, .error = what.second});
  }
}

void Process::graph_made(Handle executable, const std::string& name, std::uint64_t nodes) {
  kernels_.graph_made(executable, name, nodes);
}

void Process::graph_destroyed(Handle executable) {
  kernels_.graph_destroyed(executable);
}

void Process::graphs_are_unguarded() {
  file_->add(record::Problem{
      .group = std::nullopt,
      .cause = "calls that make or launch CUDA graphs took more than 1 s, so other threads no longer "
               "wait for them: CUPTI may crash",
      .hint = ""});
}

void Process::module_unloaded() {
  kernels_.module_unloaded();
  ++changes_;
}

void Process::context_ends(Handle context) {
  Context* ending = nullptr;
  bool is_last_of_device = false;
  {
    const std::lock_guard lock(contexts_mutex_);
    const auto found = contexts_.find(context);
    if (found == contexts_.end()) return;
    ending = found->second.get();
    is_last_of_device = !has_others(*ending);
  }
  finish(*ending);
  if (!is_last_of_device) return;
  timelines_.end(ending->device);
  timelines_.reap();
}

void Process::primary_context_ends(int device) {
  std::vector<Context*> of_device;
  {
    const std::lock_guard lock(contexts_mutex_);
    for (const auto& [handle, context] : contexts_) {
      if (context->device == device) of_device.push_back(context.get());
    }
  }
  for (Context* context : of_device) finish(*context);
}

bool Process::has_others(const Context& context) const {
  return std::ranges::any_of(contexts_, [&](const auto& other) {
    return other.second.get() != &context && other.second->device == context.device;
  });
}

void Process::context_destroyed(Handle context) {
  const Context* ended = nullptr;
  bool is_last_of_device = false;
  {
    const std::lock_guard lock(contexts_mutex_);
    const auto found = contexts_.find(context);
    if (found == contexts_.end()) return;
    ended = ended_.emplace_back(std::move(found->second)).get();
    contexts_.erase(found);
    is_last_of_device = !has_others(*ended);
    ++changes_;
  }
  groups_.forget(context);
  graph_launches_.forget(context);
  if (is_last_of_device) timelines_.end(ended->device);
}

void Process::in_profiler_range(bool is_inside) {
  is_in_profiler_range_ = is_inside;
  timelines_.capture(is_inside);
}

// -- the trace, and writing --

void Process::trace(const Context& context, bool on) {
  const std::lock_guard lock(trace_mutex_);
  if (on)
    untraced_.erase(&context);
  else
    untraced_.insert(&context);
  const bool is_wanted = untraced_.empty();
  if (is_wanted == is_traced_) return;
  try {
    if (!is_wanted) deliver_trace();
    driver_->trace(is_wanted);
    is_traced_ = is_wanted;
  } catch (const Error& error) {
    problem("launches were not traced", error);
  }
}

void Process::write() {
  traced_launches_.write();
  for (const record::Ranges& closed : paths_.take_closed()) file_->add(closed);
  write_tallies();
  file_->flush();
}

void Process::start_writing() {
  if (is_writing_.load(std::memory_order_relaxed) || is_writing_.exchange(true)) return;
  const std::lock_guard lock(writer_mutex_);
  if (is_finished_) return;
  writer_ = own_thread([this] {
    OurOwnCall::on_this_thread();
    std::unique_lock wait(writer_mutex_);
    auto next_write = std::chrono::steady_clock::now() + kWritePeriod;
    while (true) {
      writer_wakes_.wait_until(wait, next_write,
                               [this] { return is_finished_ || deliveries_ < wanted_deliveries_; });
      if (is_finished_) return;
      const std::uint64_t deliveries = wanted_deliveries_;
      wait.unlock();
      driver_->flush(false);
      if (const auto now = std::chrono::steady_clock::now(); now >= next_write) {
        write();
        timelines_.reap();
        next_write = now + kWritePeriod;
      }
      wait.lock();
      deliveries_ = deliveries;
      delivered_.notify_all();
    }
  });
}

/// By the thread that writes: CUPTI is to be asked for its records by a thread of its own.
void Process::deliver_trace() {
  std::unique_lock wait(writer_mutex_);
  const std::uint64_t wanted = ++wanted_deliveries_;
  writer_wakes_.notify_all();
  delivered_.wait_for(wait, kLongestDelivery, [&] { return deliveries_ >= wanted || is_finished_; });
}

void Process::finish(Context& context) {
  try {
    context.session->finish();
  } catch (const Error& error) {
    problem("what was counted last is lost", error);
  }
}

void Process::finish() {
  // A handler of a signal that came while this thread was in here may end the program: locks may be held.
  if (is_child_ || !is_observed_ || OurOwnCall::is_one()) return;
  if (!is_active_.exchange(false)) return file_->flush();
  const OurOwnCall own;
  {
    const std::lock_guard lock(writer_mutex_);
    is_finished_ = true;
  }
  writer_wakes_.notify_all();
  if (writer_.joinable()) writer_.join();
  std::vector<Context*> contexts;
  {
    const std::lock_guard lock(contexts_mutex_);
    for (const auto& [handle, context] : contexts_) contexts.push_back(context.get());
  }
  driver_->flush(false);  // how long the last launches took
  for (Context* context : contexts) finish(*context);
  timelines_.finish();
  driver_->flush(true);
  traced_launches_.end_graphs();
  write();
  traced_launches_.report_undelivered();
  if (const std::string other = driver_->other_cupti(); !other.empty()) {
    file_->add(record::Problem{
        .group = std::nullopt,
        .cause = fmt::format("the program has loaded a CUPTI of its own, {}, whose calls {} while it is "
                             "profiled: CUPTI serves one tool per process",
                             other, may_share_cupti() ? "may fail" : "fail"),
        .hint = "turn the program's own profiler off"});
  }
  if (paths_.has_left_out()) {
    file_->add(record::Problem{
        .group = std::nullopt,
        .cause =
            fmt::format("there are too many names of NVTX ranges: later ones are \"{}\"", RangeNames::kOther),
        .hint = "give ranges names that repeat, or that differ in numbers only"});
  }
  file_->add(record::End{.at_ns = now_ns(),
                         .lost_activities = lost_,
                         .lost_records = file_->lost_records(),
                         .left_out_launches = left_out_ + file_->left_out_launches()});
  file_->flush();
}

}  // namespace rooflinectl::injection
