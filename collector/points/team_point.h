// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/device/instruments.h"
#include "collector/device/nccl_library.h"
#include "collector/points/prepared_point.h"
#include "collector/points/verification.h"
#include "collector/timing/timing.h"
#include "core/model/run.h"
#include "kernels/variant.h"

namespace rooflinectl {

/// The GPUs that points over several of them may use: the one that measures first, then the others of the
/// same model, in the order of their indices.
class Teammates {
 public:
  explicit Teammates(const DeviceInfo& first);

  const std::vector<DeviceInfo>& devices() const { return devices_; }
  /// Why the first `gpus` of them cannot share a sum as `gathering` does it; nothing if they can. Enables
  /// peer access.
  std::optional<std::string> obstacle(int gpus, const kernels::Gathering& gathering);
  /// NCCL's communicators of the first `gpus`. Throws as their constructor.
  const nccl::Communicators& communicators(int gpus);

 private:
  std::optional<std::string> obstacle_to_peers(std::size_t gpus) const;
  std::optional<std::string> obstacle_to_nccl(int gpus);

  std::vector<DeviceInfo> devices_;
  std::size_t visible_ = 0;  ///< of any model
  std::map<int, std::unique_ptr<nccl::Communicators>>
      communicators_;  ///< by number of GPUs: they take seconds
};

/// A point whose elements several GPUs share: each has its part in its own memory, and a stream. What is
/// enqueued on the stream of the first one begins on all of them when that stream reaches it, and has ended
/// on all when the stream continues; so a graph of it, or events around it, are like those of one GPU.
class TeamPoint {
 public:
  /// `copies` inputs on each GPU. The current device is that of the first, and stays so. Throws Error if
  /// memory does not suffice.
  TeamPoint(const PointId& id, Teammates& teammates, const Stream& stream, int copies);
  ~TeamPoint();
  TeamPoint(const TeamPoint&) = delete;
  TeamPoint& operator=(const TeamPoint&) = delete;

  const kernels::Variant& variant() const { return *variant_; }
  const kernels::Problem& problem() const { return problem_; }

  Verification verify(kernels::ReferenceSums& references);
  /// Fills the inputs. `plan` is that of a share.
  TimedWork timed_work(const LaunchPlan& plan);
  /// Fills the output and the sums of all GPUs with NaN.
  void poison_output();
  /// As `PreparedPoint::check_output`.
  ResultCheck check_output(kernels::ReferenceSums& references) const;

 private:
  struct Mate;

  void fill_inputs(kernels::DataSet data_set, int copies);
  void launch(int copy);
  void fork();
  void flush_others();
  void delay_start();
  void synchronize() const;
  std::function<void()> all_reduce(const nccl::Communicators& communicators) const;
  const Mate& first() const { return *mates_.front(); }
  VerificationMemory memory() const;

  PointId id_;
  Reduction reduction_;
  const kernels::Variant* variant_;
  kernels::Problem problem_;
  const Stream& stream_;
  int copies_;
  cudaEvent_t begins_ = nullptr;
  DeviceBuffer output_;
  DeviceBuffer slots_;
  DeviceBuffer flags_;
  PinnedBuffer host_slots_;
  std::vector<std::unique_ptr<Mate>> mates_;
  std::vector<kernels::Member> members_;
  kernels::Team team_;
};

/// The point of one share, which determines how launches are timed: like those of one GPU with that many
/// elements.
PointId share_of_one(PointId id);

}  // namespace rooflinectl
