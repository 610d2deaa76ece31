// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/device/instruments.h"
#include "collector/points/gpu_share.h"
#include "collector/points/prepared_point.h"
#include "collector/points/rank_team.h"
#include "collector/points/verification.h"
#include "collector/timing/timing.h"

namespace rooflinectl {

/// A point whose elements the GPUs of several processes share: `TeamPoint` with one GPU here, the others in
/// processes that do the same at the same time. NCCL gives each of them the sum of all.
class RankPoint {
 public:
  /// `copies` inputs. The device is the current one. Throws Error if memory does not suffice.
  RankPoint(const PointId& id, int rank, const DeviceInfo& device, const Stream& stream, int copies);
  RankPoint(const RankPoint&) = delete;
  RankPoint& operator=(const RankPoint&) = delete;

  const kernels::Variant& variant() const { return *variant_; }
  const kernels::Problem& problem() const { return problem_; }
  /// To be called before what follows.
  void connect(RankCommunicator& communicator);

  /// Passes only if all ranks pass.
  Verification verify(kernels::ReferenceSums& references);
  /// Fills the inputs. `plan` is that of a share.
  TimedWork timed_work(const LaunchPlan& plan);
  /// Enqueues filling the output and the sum of the share with NaN.
  void poison_output();
  /// As `PreparedPoint::check_output`; passes only if all ranks pass.
  ResultCheck check_output(kernels::ReferenceSums& references);

 private:
  void fill_inputs(kernels::DataSet data_set, int copies);
  void launch(int copy);
  VerificationMemory memory() const;

  PointId id_;
  const kernels::Variant* variant_;
  kernels::Problem problem_;
  const Stream& stream_;
  int copies_;
  DeviceBuffer output_;
  GpuShare share_;
  RankCommunicator* communicator_ = nullptr;
  kernels::Member member_;
  kernels::Team team_;
};

}  // namespace rooflinectl
