// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "collector/points/several_gpus.h"
#include "core/error.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

using kernels::check;

/// As many as a batch of samples has.
constexpr std::size_t kMostValues = 64;

}  // namespace

// ---- RankCommunicator ----

RankCommunicator::RankCommunicator(std::unique_ptr<nccl::Communicators> communicators, int rank, int ranks,
                                   const Stream& stream)
    : rank_(rank),
      ranks_(ranks),
      stream_(stream),
      communicators_(std::move(communicators)),
      meeting_(sizeof(float)),
      values_(kMostValues * sizeof(double)) {
  check(cudaMemset(meeting_.data(), 0, meeting_.bytes()), "cudaMemset");
}

void RankCommunicator::all_reduce(void* d_value, nccl::Type type) const {
  communicators_->all_reduce({{.d_input = d_value, .d_output = d_value, .stream = stream_}}, 1, type);
}

std::optional<int> RankCommunicator::first_wrong(bool is_wrong) {
  std::vector<double> values = {is_wrong ? static_cast<double>(ranks_ - rank_) : 0.0};
  take_largest(values);
  const int from_the_end = static_cast<int>(values.front());
  return from_the_end == 0 ? std::nullopt : std::optional(ranks_ - from_the_end);
}

bool RankCommunicator::is_same(const std::string& text) {
  constexpr std::size_t kExactValues = std::size_t{1} << 48;  // of a double
  const auto hash = static_cast<double>(std::hash<std::string>()(text) % kExactValues);
  std::vector<double> values = {hash, -hash};
  take_largest(values);
  return values.front() == -values.back();
}

void RankCommunicator::enqueue_meeting() {
  all_reduce(meeting_.data(), nccl::Type::f32);
}

void RankCommunicator::take_longest(std::vector<TimeSample>& samples) {
  std::vector<double> times_s;
  for (const TimeSample& sample : samples) times_s.push_back(sample.time_s);
  take_largest(times_s);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].time_s = times_s[i];
}

Sampling::Next RankCommunicator::decision(Sampling::Next own) {
  std::vector<double> values = {rank_ == 0 ? static_cast<double>(own) : 0.0};
  take_largest(values);
  return static_cast<Sampling::Next>(static_cast<int>(values.front()));
}

/// Makes each value the largest of all ranks. Waits.
void RankCommunicator::take_largest(std::vector<double>& values) {
  const std::size_t bytes = values.size() * sizeof(double);
  values_.require(bytes);
  void* const d_values = values_.data();
  check(cudaMemcpyAsync(d_values, values.data(), bytes, cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
  communicators_->largest({{.d_input = d_values, .d_output = d_values, .stream = stream_}}, values.size(),
                          nccl::Type::f64);
  check(cudaMemcpyAsync(values.data(), d_values, bytes, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
  stream_.synchronize();
}

std::unique_ptr<RankCommunicator> RankCommunicator::first(int ranks) const {
  auto communicators = communicators_->split(rank_ < ranks);
  if (!communicators) return nullptr;
  return std::make_unique<RankCommunicator>(std::move(communicators), rank_, ranks, stream_);
}

// ---- RankTeam ----

RankTeam::RankTeam(const CollectRequest& request, const DeviceInfo& device, const Stream& stream)
    : rank_(request.rank_place->rank),
      ranks_(request.rank_place->ranks),
      all_(std::make_unique<nccl::Communicators>(request.rank_place->address, rank_, ranks_), rank_, ranks_,
           stream),
      is_one_model_(all_.is_same(device.name)) {
  CollectRequest common = request;
  common.device.clear();
  common.known_ceilings.clear();
  common.compiled_kernels.clear();  // each from the cache of its host
  common.rank_place.reset();
  if (all_.is_same(encode(common))) return;
  throw Error(ErrorKind::usage, "the ranks have different plans or options",
              "start all ranks with the same plan and the same options");
}

std::optional<std::string> RankTeam::obstacle(int gpus, const kernels::Gathering& gathering) const {
  if (gpus > kernels::kMostGpus) {
    return fmt::format("needs {} GPUs; the most that can share a sum are {}", gpus, kernels::kMostGpus);
  }
  if (gpus > ranks_) return fmt::format("needs {} GPUs; there are {} ranks", gpus, ranks_);
  if (!gathering.needs_nccl) return "needs its GPUs in one process; across processes, use sum_multi_nccl";
  if (!is_one_model_) return "needs GPUs of one model; those of the ranks differ";
  return std::nullopt;
}

RankCommunicator* RankTeam::communicator(int gpus) {
  if (gpus == ranks_) return &all_;
  const auto [known, is_new] = communicators_.try_emplace(gpus);
  if (is_new) known->second = all_.first(gpus);
  return known->second.get();
}

namespace {

using kernels::DataSet;

/// Behind the output, for the poison that shows accesses out of bounds.
constexpr std::size_t kOutputSlackBytes = 1024;
/// Until the host has enqueued what follows.
constexpr std::uint64_t kStartDelayNs = 80'000;

std::string wrong_on(int rank) {
  return fmt::format("the result is wrong on rank {}", rank);
}

}  // namespace

RankPoint::RankPoint(const PointId& id, int rank, const DeviceInfo& device, const Stream& stream, int copies)
    : id_(id),
      variant_(kernels::find_variant(id.subject)),
      problem_(problem_of(reduction_of(id))),
      stream_(stream),
      copies_(copies),
      output_(kOutputSlackBytes),
      share_(problem_, rank, *variant_, copies),
      member_{.device = device.index, .stream = stream, .d_partial = share_.partial()},
      team_{.members = {&member_, 1}, .d_output = output_.data()} {}

void RankPoint::connect(RankCommunicator& communicator) {
  communicator_ = &communicator;
  const nccl::Type type = nccl_type(accumulator(problem_.dtype));
  team_.all_reduce = [this, type] { communicator_->all_reduce(share_.partial(), type); };
}

void RankPoint::fill_inputs(DataSet data_set, int copies) {
  share_.fill(data_set, copies, stream_);
  stream_.synchronize();
}

void RankPoint::launch(int copy) {
  share_.launch(*variant_, copy, share_.partial(), stream_);
  variant_->gathering->enqueue(team_, problem_.dtype);
}

VerificationMemory RankPoint::memory() const {
  return {.input = {}, .output = {output_.data(), output_.bytes()}, .workspace = {}};
}

Verification RankPoint::verify(kernels::ReferenceSums& references) {
  // All ranks agree before each launch: none waits for one that has stopped at a wrong result.
  std::optional<int> wrong;
  const auto launch_on_all = [&](DataSet data_set) {
    wrong = communicator_->first_wrong(false);
    if (wrong) throw Error(ErrorKind::measurement, wrong_on(*wrong));
    fill_inputs(data_set, 1);
    poison_output();
    launch(0);
  };
  Verification verification;
  try {
    verification =
        verify_launches(*variant_, problem_, memory(), references, stream_, kUsualDataSets, launch_on_all);
    wrong = communicator_->first_wrong(!verification.passed);
    if (!verification.passed || !wrong) return verification;
  } catch (const Error&) {
    if (!wrong) throw;
  }
  verification.passed = false;
  verification.detail = wrong_on(*wrong);
  return verification;
}

TimedWork RankPoint::timed_work(const LaunchPlan& plan) {
  fill_inputs(kTimedData, copies_);
  TimedWork work = timed_launches(id_, plan, copies_, [this](int copy) { launch(copy); });
  work.prepare = [this] { enqueue_delay(kStartDelayNs, stream_); };
  work.peers = communicator_;
  return work;
}

void RankPoint::poison_output() {
  share_.poison_partial(stream_);
  kernels::poison(output_.data(), output_.bytes(), stream_);
}

ResultCheck RankPoint::check_output(kernels::ReferenceSums& references) {
  ResultCheck check = compare_output(*variant_, problem_, kTimedData, memory(), references, stream_);
  const auto rank = communicator_->first_wrong(!check.passed);
  if (rank && check.passed) {
    check.passed = false;
    check.mismatch = wrong_on(*rank);
  }
  return check;
}

}  // namespace rooflinectl
