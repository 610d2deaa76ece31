// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>

#include "collector/device/device.h"
#include "collector/points/prepared_point.h"
#include "collector/points/several_gpus.h"
#include "core/error.h"
#include "kernels/cuda_check.h"
#include "kernels/data.h"
#include "kernels/multi/multi_sum.h"

namespace rooflinectl {

namespace {

/// Behind each input, for the poison that shows accesses out of bounds.
constexpr std::size_t kInputSlackBytes = 1024;

}  // namespace

GpuShare::GpuShare(const kernels::Problem& all, int gpu, const kernels::Variant& variant, int copies)
    : share_(kernels::share_of(all, gpu)), problem_(all) {
  problem_.n = share_.n;
  problem_.gpus = 1;
  input_stride_bytes_ = align_up(problem_.n * size_bytes(problem_.dtype)) + kInputSlackBytes;
  inputs_ = DeviceBuffer(input_stride_bytes_ * static_cast<std::size_t>(copies));
  partial_ = DeviceBuffer(kAlignment);
  workspace_ = DeviceBuffer(std::max(kernels::workspace_bytes(variant, problem_), kAlignment));
}

void GpuShare::fill(kernels::DataSet data_set, int copies, cudaStream_t stream) const {
  const std::size_t bytes = share_.n * size_bytes(problem_.dtype);
  for (int copy = 0; copy < copies; ++copy) {
    kernels::fill(data_set, problem_.dtype, input(copy), share_.n, stream, share_.begin);
    kernels::poison(input(copy) + bytes, input_stride_bytes_ - bytes, stream);
  }
  kernels::check(cudaMemsetAsync(workspace_.data(), 0, workspace_.bytes(), stream), "cudaMemsetAsync");
}

void GpuShare::launch(const kernels::Variant& variant, int copy, void* d_sum, cudaStream_t stream) const {
  variant.launch(problem_, {input(copy), d_sum, workspace_.data()}, stream);
}

void GpuShare::poison_partial(cudaStream_t stream) const {
  kernels::poison(partial_.data(), partial_.bytes(), stream);
}

kernels::Problem problem_of(const Reduction& reduction) {
  return {.dtype = reduction.dtype,
          .n = reduction.n_elements,
          .block_size = reduction.block_size,
          .elements_per_thread = reduction.elements_per_thread.value_or(0),
          .gpus = reduction.gpus.value_or(1)};
}

nccl::Type nccl_type(Dtype accumulator) {
  switch (accumulator) {
    case Dtype::f64:
      return nccl::Type::f64;
    case Dtype::i32:
      return nccl::Type::i32;
    case Dtype::i64:
      return nccl::Type::i64;
    default:
      return nccl::Type::f32;
  }
}

namespace {

using kernels::check;
using kernels::DataSet;

/// Behind the output, for the poison that shows accesses out of bounds.
constexpr std::size_t kSlackBytes = 1024;
/// Until everything is enqueued, for each GPU.
constexpr std::uint64_t kDelayNsPerGpu = 40'000;

}  // namespace

// ---- Teammates ----

Teammates::Teammates(const DeviceInfo& first) : devices_{first} {
  const std::vector<DeviceInfo> visible = all_devices();
  visible_ = visible.size();
  for (const DeviceInfo& device : visible) {
    if (device.uuid != first.uuid && device.name == first.name) devices_.push_back(device);
  }
}

std::optional<std::string> Teammates::obstacle(int gpus, const kernels::Gathering& gathering) {
  const auto wanted = static_cast<std::size_t>(gpus);
  if (gpus > kernels::kMostGpus) {
    return fmt::format("needs {} GPUs; the most that can share a sum are {}", gpus, kernels::kMostGpus);
  }
  if (wanted > visible_) {
    return fmt::format("needs {} GPUs; {} {} visible here", gpus, visible_, visible_ == 1 ? "is" : "are");
  }
  if (wanted > devices_.size()) {
    return fmt::format("needs {} GPUs of one model; {} of the {} here {} {}", gpus, devices_.size(), visible_,
                       devices_.size() == 1 ? "is" : "are", devices_.front().name);
  }
  if (gpus == 1) return std::nullopt;
  if (gathering.needs_nccl) return obstacle_to_nccl(gpus);
  return gathering.needs_peer_access ? obstacle_to_peers(wanted) : std::nullopt;
}

std::optional<std::string> Teammates::obstacle_to_peers(std::size_t gpus) const {
  const int first = devices_.front().index;
  for (std::size_t i = 1; i < gpus; ++i) {
    const int other = devices_[i].index;
    const bool is_reached = reach(other, first);
    if (!reach(first, other) || !is_reached) {
      return fmt::format("there is no peer access between GPU {} and GPU {}", first, other);
    }
  }
  return std::nullopt;
}

std::optional<std::string> Teammates::obstacle_to_nccl(int gpus) {
  std::optional<std::string> obstacle;
  try {
    communicators(gpus);
  } catch (const Error& error) {
    obstacle = error.what();
  }
  check(cudaSetDevice(devices_.front().index), "cudaSetDevice");
  return obstacle;
}

const nccl::Communicators& Teammates::communicators(int gpus) {
  std::unique_ptr<nccl::Communicators>& communicators = communicators_[gpus];
  if (!communicators) {
    std::vector<int> devices;
    for (std::size_t i = 0; i < static_cast<std::size_t>(gpus); ++i) devices.push_back(devices_[i].index);
    communicators = std::make_unique<nccl::Communicators>(devices);
  }
  return *communicators;
}

// ---- TeamPoint ----

/// One GPU with its share.
struct TeamPoint::Mate {
  /// The device is the current one.
  Mate(const DeviceInfo& which, const kernels::Problem& all, int gpu, const kernels::Variant& variant,
       int copies)
      : device(which.index), part(all, gpu, variant, copies) {
    if (gpu > 0) {  // the first one works on the stream of all points, and its caches are flushed with them
      stream = std::make_unique<Stream>();
      flush = std::make_unique<CacheFlush>(which.l2_bytes);
    }
    check(cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming), "cudaEventCreate");
  }
  ~Mate() { cudaEventDestroy(arrived); }
  Mate(const Mate&) = delete;
  Mate& operator=(const Mate&) = delete;

  void select() const { check(cudaSetDevice(device), "cudaSetDevice"); }

  int device;
  GpuShare part;
  std::unique_ptr<Stream> stream;  ///< null for the first one, likewise below
  std::unique_ptr<CacheFlush> flush;
  cudaEvent_t arrived = nullptr;
};

TeamPoint::TeamPoint(const PointId& id, Teammates& teammates, const Stream& stream, int copies)
    : id_(id),
      reduction_(reduction_of(id)),
      variant_(kernels::find_variant(id.subject)),
      problem_(problem_of(reduction_)),
      stream_(stream),
      copies_(copies),
      output_(kSlackBytes),
      slots_(kernels::kMostGpus * sizeof(double)),
      flags_(kernels::kMostGpus * sizeof(kernels::ArrivalFlag)),
      host_slots_(kernels::kMostGpus * sizeof(double)) {
  check(cudaEventCreateWithFlags(&begins_, cudaEventDisableTiming), "cudaEventCreate");
  for (int gpu = 0; gpu < problem_.gpus; ++gpu) {
    const DeviceInfo& device = teammates.devices()[static_cast<std::size_t>(gpu)];
    check(cudaSetDevice(device.index), "cudaSetDevice");
    mates_.push_back(std::make_unique<Mate>(device, problem_, gpu, *variant_, copies));
    const Mate& mate = *mates_.back();
    void* const d_slot = static_cast<std::byte*>(slots_.data()) +
                         static_cast<std::size_t>(gpu) * size_bytes(accumulator(problem_.dtype));
    // One GPU has nothing to gather.
    void* const d_partial = problem_.gpus == 1                ? output_.data()
                            : variant_->gathering->into_slots ? d_slot
                                                              : mate.part.partial();
    members_.push_back({.device = mate.device,
                        .stream = gpu == 0 ? cudaStream_t(stream_) : cudaStream_t(*mate.stream),
                        .arrived = mate.arrived,
                        .d_partial = d_partial});
  }
  first().select();
  check(cudaMemset(flags_.data(), 0, flags_.bytes()), "cudaMemset");
  team_ = {.members = members_,
           .d_output = output_.data(),
           .d_slots = slots_.data(),
           .h_slots = host_slots_.data(),
           .d_flags = static_cast<kernels::ArrivalFlag*>(flags_.data()),
           .all_reduce = {}};
  if (variant_->gathering->needs_nccl && problem_.gpus > 1) {
    team_.all_reduce = all_reduce(teammates.communicators(problem_.gpus));
  }
}

/// In place, of a single number.
std::function<void()> TeamPoint::all_reduce(const nccl::Communicators& communicators) const {
  std::vector<nccl::Rank> ranks;
  for (const kernels::Member& member : members_) {
    ranks.push_back({.d_input = member.d_partial, .d_output = member.d_partial, .stream = member.stream});
  }
  const nccl::Type type = nccl_type(accumulator(problem_.dtype));
  return [this, &communicators, ranks, type] {
    communicators.all_reduce(ranks, 1, type);
    first().select();
  };
}

TeamPoint::~TeamPoint() {
  cudaEventDestroy(begins_);
}

/// Waits for all of it.
void TeamPoint::fill_inputs(DataSet data_set, int copies) {
  for (std::size_t gpu = 0; gpu < mates_.size(); ++gpu) {
    mates_[gpu]->select();
    mates_[gpu]->part.fill(data_set, copies, members_[gpu].stream);
  }
  first().select();
  synchronize();
}

void TeamPoint::synchronize() const {
  for (const kernels::Member& member : members_) {
    check(cudaSetDevice(member.device), "cudaSetDevice");
    check(cudaStreamSynchronize(member.stream), variant_->info.id);
  }
  first().select();
}

/// The others begin when the first one's stream has come this far.
void TeamPoint::fork() {
  check(cudaEventRecord(begins_, stream_), "cudaEventRecord");
  for (std::size_t gpu = 1; gpu < mates_.size(); ++gpu) {
    mates_[gpu]->select();
    check(cudaStreamWaitEvent(members_[gpu].stream, begins_), "cudaStreamWaitEvent");
  }
  first().select();
}

void TeamPoint::launch(int copy) {
  fork();
  for (std::size_t gpu = 0; gpu < mates_.size(); ++gpu) {
    const Mate& mate = *mates_[gpu];
    mate.select();
    mate.part.launch(*variant_, copy, members_[gpu].d_partial, members_[gpu].stream);
  }
  first().select();
  if (mates_.size() > 1) variant_->gathering->enqueue(team_, problem_.dtype);
}

VerificationMemory TeamPoint::memory() const {
  return {.input = {}, .output = {output_.data(), output_.bytes()}, .workspace = {}};
}

Verification TeamPoint::verify(kernels::ReferenceSums& references) {
  return verify_launches(*variant_, problem_, memory(), references, stream_, kUsualDataSets,
                         [this](DataSet data_set) {
                           fill_inputs(data_set, 1);
                           poison_output();
                           launch(0);
                         });
}

/// The caches of the first GPU are flushed with every sample; those of the others here, before it begins.
void TeamPoint::flush_others() {
  fork();
  for (std::size_t gpu = 1; gpu < mates_.size(); ++gpu) {
    mates_[gpu]->select();
    mates_[gpu]->flush->enqueue(members_[gpu].stream);
  }
  kernels::wait_for_members(team_);
}

/// So that all GPUs have their work when the first one begins.
void TeamPoint::delay_start() {
  enqueue_delay(kDelayNsPerGpu * static_cast<std::uint64_t>(problem_.gpus), stream_);
}

TimedWork TeamPoint::timed_work(const LaunchPlan& plan) {
  fill_inputs(kTimedData, copies_);
  TimedWork work = timed_launches(id_, plan, copies_, [this](int copy) { launch(copy); });
  work.prepare = [this] {
    delay_start();
    if (reduction_.cache == CacheState::cold) flush_others();
  };
  return work;
}

/// The sums of the members too: those of an earlier launch would be right.
void TeamPoint::poison_output() {
  for (std::size_t gpu = 0; gpu < mates_.size(); ++gpu) {
    mates_[gpu]->select();
    mates_[gpu]->part.poison_partial(members_[gpu].stream);
  }
  first().select();
  kernels::poison(slots_.data(), slots_.bytes(), stream_);
  kernels::poison(output_.data(), output_.bytes(), stream_);
  synchronize();
}

ResultCheck TeamPoint::check_output(kernels::ReferenceSums& references) const {
  return compare_output(*variant_, problem_, kTimedData, memory(), references, stream_);
}

PointId share_of_one(PointId id) {
  const auto gpus = static_cast<std::uint64_t>(gpus_of(id));
  id.axes.set(axis::kSize, (size_of(id).value_or(0) + gpus - 1) / gpus);
  return id;
}

}  // namespace rooflinectl
