// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <csignal>
#include <memory>
#include <mutex>

#include "collector/collector.h"
#include "collector/cupti/profiler.h"
#include "collector/device/device.h"
#include "collector/sampling/sampling_thread.h"

namespace rooflinectl {

void watch(const std::vector<std::string>& uuids, std::uint64_t interval_ns,
           const std::function<void(const ProfileRecord&)>& emit) {
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &end, nullptr);

  std::mutex mutex;
  const auto emit_one = [&](const ProfileRecord& record) {
    const std::lock_guard lock(mutex);
    emit(record);
  };
  std::vector<std::unique_ptr<SamplingThread>> threads;
  for (const DeviceInfo& device : devices_of(uuids)) {
    const auto emit_named = [&emit_one, index = device.index](ProfileRecord record) {
      if (auto* const problem = std::get_if<record::Problem>(&record)) {
        problem->cause = fmt::format("GPU {}: {}", index, problem->cause);
      }
      emit_one(record);
    };
    threads.push_back(std::make_unique<SamplingThread>(
        [device, interval_ns] { return open_sampler(device.index, device.uuid, interval_ns); }, interval_ns,
        emit_named, monotonic_ns));
  }
  int signal = 0;
  sigwait(&end, &signal);
}

}  // namespace rooflinectl
