// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <string>

#include "collector/points/several_gpus.h"
#include "core/error.h"

namespace rooflinectl {

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
