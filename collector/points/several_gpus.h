// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/device/instruments.h"
#include "collector/device/libraries.h"
#include "collector/points/prepared_point.h"
#include "collector/points/verification.h"
#include "collector/timing/timing.h"
#include "core/model/point_id.h"
#include "core/model/run.h"
#include "core/serial/protocol.h"
#include "kernels/data.h"
#include "kernels/variant.h"

namespace rooflinectl {

/// One GPU's part of the elements that several GPUs share, in its memory. That device must be the current one
/// whenever something here is called.
class GpuShare {
 public:
  /// The part of GPU number `gpu` among those of `all`, with `copies` inputs. Throws Error if memory does not
  /// suffice.
  GpuShare(const kernels::Problem& all, int gpu, const kernels::Variant& variant, int copies);

  /// Enqueues the data of the share, and NaN behind each input.
  void fill(kernels::DataSet data_set, int copies, cudaStream_t stream) const;
  /// Enqueues adding up an input into `d_sum`.
  void launch(const kernels::Variant& variant, int copy, void* d_sum, cudaStream_t stream) const;
  /// Enqueues filling the sum of the share with NaN.
  void poison_partial(cudaStream_t stream) const;
  /// Where the sum of the share may be.
  void* partial() const { return partial_.data(); }

 private:
  std::byte* input(int copy) const {
    return static_cast<std::byte*>(inputs_.data()) + static_cast<std::size_t>(copy) * input_stride_bytes_;
  }

  kernels::Share share_;
  kernels::Problem problem_;  // of the share
  std::size_t input_stride_bytes_ = 0;
  DeviceBuffer inputs_;
  DeviceBuffer partial_;
  DeviceBuffer workspace_;
};

/// What a reduction asks of a kernel.
kernels::Problem problem_of(const Reduction& reduction);

/// NCCL's type for sums in this one.
nccl::Type nccl_type(Dtype accumulator);

/// What the first ranks do together through NCCL. All of them call the same functions in the same order.
class RankCommunicator : public TimingPeers {
 public:
  RankCommunicator(std::unique_ptr<nccl::Communicators> communicators, int rank, int ranks,
                   const Stream& stream);

  /// Enqueues replacing a value in device memory with its sum over all ranks.
  void all_reduce(void* d_value, nccl::Type type) const;
  /// The first rank for which something `is_wrong`; nothing if it is right for all. Waits.
  std::optional<int> first_wrong(bool is_wrong);
  /// Whether all ranks have the same text. Waits.
  bool is_same(const std::string& text);
  /// Of the ranks below `ranks`; null for the others. All ranks call it.
  std::unique_ptr<RankCommunicator> first(int ranks) const;

  void enqueue_meeting() override;
  void take_longest(std::vector<TimeSample>& samples) override;
  Sampling::Next decision(Sampling::Next own) override;

 private:
  void take_largest(std::vector<double>& values);

  int rank_;
  int ranks_;
  const Stream& stream_;
  std::unique_ptr<nccl::Communicators> communicators_;
  DeviceBuffer meeting_;
  DeviceBuffer values_;
};

/// The processes of a launcher that measure points over several GPUs together, a GPU each.
class RankTeam {
 public:
  /// Waits until all are there; `request.rank_place` is known. Throws Error(usage) if the ranks measure
  /// different plans, Error(measurement) if NCCL fails.
  RankTeam(const CollectRequest& request, const DeviceInfo& device, const Stream& stream);

  int rank() const { return rank_; }
  /// Why the first `gpus` ranks cannot share a sum as `gathering` does it: the same for all of them; nothing
  /// if they can.
  std::optional<std::string> obstacle(int gpus, const kernels::Gathering& gathering) const;
  /// Of the first `gpus` ranks; null if this is none of them. All ranks call it.
  RankCommunicator* communicator(int gpus);

 private:
  int rank_;
  int ranks_;
  RankCommunicator all_;
  bool is_one_model_;                                               // all have the same model of GPU
  std::map<int, std::unique_ptr<RankCommunicator>> communicators_;  // by number of GPUs
};

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
