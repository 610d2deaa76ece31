// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/device/instruments.h"
#include "collector/device/nccl_library.h"
#include "collector/timing/timing.h"
#include "core/serial/protocol.h"
#include "kernels/variant.h"

namespace rooflinectl {

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

}  // namespace rooflinectl
