// SPDX-License-Identifier: Apache-2.0
#include "collector/points/rank_team.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/files/files.h"
#include "kernels/cuda_check.h"
#include "kernels/multi/team.h"

namespace rooflinectl {

namespace {

using namespace std::chrono_literals;
using kernels::check;

/// A folder over NFS shows new files after up to a minute.
constexpr auto kLimit = 100s;
constexpr auto kPollInterval = 20ms;
/// As many as a batch of samples has.
constexpr std::size_t kMostValues = 64;

}  // namespace

// ---- RankCommunicator ----

RankCommunicator::RankCommunicator(const nccl::UniqueId& id, int rank, int ranks, const Stream& stream)
    : rank_(rank),
      ranks_(ranks),
      stream_(stream),
      communicators_(id, rank, ranks),
      meeting_(sizeof(float)),
      values_(kMostValues * sizeof(double)) {
  check(cudaMemset(meeting_.data(), 0, meeting_.bytes()), "cudaMemset");
}

void RankCommunicator::all_reduce(void* d_value, nccl::Type type) const {
  communicators_.all_reduce({{.d_input = d_value, .d_output = d_value, .stream = stream_}}, 1, type);
}

std::optional<int> RankCommunicator::first_wrong(bool is_wrong) {
  std::vector<double> values = {is_wrong ? static_cast<double>(ranks_ - rank_) : 0.0};
  take_largest(values);
  const int from_the_end = static_cast<int>(values.front());
  return from_the_end == 0 ? std::nullopt : std::optional(ranks_ - from_the_end);
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
  communicators_.largest({{.d_input = d_values, .d_output = d_values, .stream = stream_}}, values.size(),
                         nccl::Type::f64);
  check(cudaMemcpyAsync(values.data(), d_values, bytes, cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
  stream_.synchronize();
}

// ---- RankTeam ----

RankTeam::RankTeam(RankPlace place, const DeviceInfo& device, const Stream& stream)
    : place_(std::move(place)), stream_(stream) {
  const std::string obstacle = nccl::obstacle().value_or("");
  write_file(std::filesystem::path(place_.folder) / fmt::format("{}.card", place_.rank),
             device.name + "\n" + obstacle);
  for (int rank = 0; rank < place_.ranks; ++rank) {
    const std::string card = content_of(fmt::format("{}.card", rank));
    const std::size_t line = card.find('\n');
    cards_.push_back({.device = card.substr(0, line), .obstacle = card.substr(line + 1)});
  }
}

std::optional<std::string> RankTeam::obstacle(int gpus, const kernels::Gathering& gathering) const {
  if (gpus > kernels::kMostGpus) {
    return fmt::format("needs {} GPUs; the most that can share a sum are {}", gpus, kernels::kMostGpus);
  }
  if (gpus > place_.ranks) return fmt::format("needs {} GPUs; there are {} ranks", gpus, place_.ranks);
  if (!gathering.needs_nccl) return "needs its GPUs in one process; across processes, use sum_multi_nccl";
  for (int rank = 0; rank < gpus; ++rank) {
    const Card& card = cards_[static_cast<std::size_t>(rank)];
    if (!card.obstacle.empty()) return fmt::format("rank {}: {}", rank, card.obstacle);
    if (card.device != cards_.front().device) {
      return fmt::format("needs {} GPUs of one model; rank 0 has {}, rank {} {}", gpus, cards_.front().device,
                         rank, card.device);
    }
  }
  return std::nullopt;
}

RankCommunicator& RankTeam::communicator(int gpus) {
  std::unique_ptr<RankCommunicator>& communicator = communicators_[gpus];
  if (communicator) return *communicator;
  const std::string file = fmt::format("nccl-{}", gpus);
  nccl::UniqueId id{};
  if (place_.rank == 0) {
    id = nccl::new_unique_id();
    write_file(std::filesystem::path(place_.folder) / file, {id.bytes.data(), id.bytes.size()});
  } else {
    const std::string bytes = content_of(file);
    if (bytes.size() != id.bytes.size()) {
      throw Error(ErrorKind::measurement, fmt::format("{}: not what rank 0 wrote", file));
    }
    std::copy(bytes.begin(), bytes.end(), id.bytes.begin());
  }
  communicator = std::make_unique<RankCommunicator>(id, place_.rank, gpus, stream_);
  return *communicator;
}

/// Waits until another rank has written it.
std::string RankTeam::content_of(const std::string& file) const {
  const std::filesystem::path path = std::filesystem::path(place_.folder) / file;
  const auto deadline = std::chrono::steady_clock::now() + kLimit;
  while (!std::filesystem::exists(path)) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw Error(ErrorKind::environment, fmt::format("{}: no rank wrote it within {} s", path.string(),
                                                      std::chrono::seconds(kLimit).count()));
    }
    std::this_thread::sleep_for(kPollInterval);
  }
  return read_file(path);
}

}  // namespace rooflinectl
