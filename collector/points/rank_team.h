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
  /// Waits for the others.
  RankCommunicator(const nccl::UniqueId& id, int rank, int ranks, const Stream& stream);

  /// Enqueues replacing a value in device memory with its sum over all ranks.
  void all_reduce(void* d_value, nccl::Type type) const;
  /// The first rank for which something `is_wrong`; nothing if it is right for all. Waits.
  std::optional<int> first_wrong(bool is_wrong);

  void enqueue_meeting() override;
  void take_longest(std::vector<TimeSample>& samples) override;
  Sampling::Next decision(Sampling::Next own) override;

 private:
  void take_largest(std::vector<double>& values);

  int rank_;
  int ranks_;
  const Stream& stream_;
  nccl::Communicators communicators_;
  DeviceBuffer meeting_;
  DeviceBuffer values_;
};

/// The processes that measure points over several GPUs together, a GPU each. They find each other through
/// files in `RankPlace::folder`: what each one has, and how NCCL finds the others.
class RankTeam {
 public:
  /// Waits until all are there. Throws Error(environment) if one does not come, and as `write_file`.
  RankTeam(RankPlace place, const DeviceInfo& device, const Stream& stream);

  int rank() const { return place_.rank; }
  /// Why the first `gpus` ranks cannot share a sum as `gathering` does it: the same for all of them; nothing
  /// if they can.
  std::optional<std::string> obstacle(int gpus, const kernels::Gathering& gathering) const;
  /// Of the first `gpus` ranks, of which this is one.
  RankCommunicator& communicator(int gpus);

 private:
  /// What a rank tells the others.
  struct Card {
    std::string device;    ///< its model
    std::string obstacle;  ///< why it has no NCCL
  };

  std::string content_of(const std::string& file) const;

  RankPlace place_;
  const Stream& stream_;
  std::vector<Card> cards_;                                         // by rank
  std::map<int, std::unique_ptr<RankCommunicator>> communicators_;  // by number of GPUs
};

}  // namespace rooflinectl
