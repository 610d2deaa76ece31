// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <string>

#include "collector/device/instruments.h"
#include "collector/steps/steps.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

using kernels::KnownCount;
using kernels::KnownWork;
using kernels::KnownWorkSite;
/// Not a counter, but the sum of two: `dram_bytes()`.
constexpr std::string_view kDramBytes = "dram_bytes";

using Launch = void (*)(const KnownWorkSite&, cudaStream_t);

/// The buffers of a site, which hold zeros.
struct SiteMemory {
  DeviceBuffer source{kernels::kKnownBytes};
  DeviceBuffer target{kernels::kKnownBytes};

  KnownWorkSite site(const DeviceInfo& device) const {
    return {source.data(), target.data(), device.sm_count, device.l2_bytes};
  }

  void clear(const Stream& stream) {
    for (const DeviceBuffer* buffer : {&source, &target}) {
      kernels::check(cudaMemsetAsync(buffer->data(), 0, buffer->bytes(), stream), "cudaMemsetAsync");
    }
    stream.synchronize();
  }
};

/// The value of a counter, or of a sum of two.
CounterValue value(const Counters& counters, std::string_view quantity) {
  if (quantity == kDramBytes) {
    const auto sum = dram_bytes(counters);
    return sum ? CounterValue::measured(*sum) : CounterValue::unavailable("one of its counters is");
  }
  const auto found = counters.find(quantity);
  return found == counters.end() ? CounterValue::unavailable("not counted") : found->second;
}

CounterValue difference(const CounterValue& with, const CounterValue& without) {
  if (!with.available() || !without.available()) return with.available() ? without : with;
  return CounterValue::measured(*with.value() - *without.value());
}

Agreement known(const KnownWork& work, const KnownCount& count) {
  Agreement agreement;
  agreement.subject = work.id;
  agreement.quantity = count.quantity;
  agreement.unit = count.unit;
  agreement.reference = CounterValue::measured(count.expected);
  agreement.tolerance = count.tolerance;
  agreement.is_relative = count.is_relative;
  agreement.note = count.note;
  return agreement;
}

/// All numbers of `work`, unavailable for the same reason.
std::vector<Agreement> uncounted(const KnownWork& work, const KnownWorkSite& site,
                                 const std::string& reason) {
  std::vector<Agreement> list;
  for (const KnownCount& count : work.counts(site)) {
    list.push_back(known(work, count));
    list.back().ours = CounterValue::unavailable(reason);
  }
  return list;
}

bool runs_on(const KnownWork& work, const DeviceInfo& device) {
  return work.minimum_sm <= device.compute_capability;
}

/// The launches of every work that runs on the device, in the order of the list.
std::vector<CountedRange> ranges(const DeviceInfo& device, const KnownWorkSite& site, CacheFlush& flush,
                                 const Stream& stream) {
  std::vector<CountedRange> ranges;
  for (const KnownWork& work : kernels::all_known_work()) {
    if (!runs_on(work, device)) continue;
    for (const Launch launch : {work.launch, work.launch_without}) {
      if (launch == nullptr) continue;
      const auto prepare = [&work, &flush, &stream] {
        if (work.is_cold) flush.enqueue(stream);
        stream.synchronize();
      };
      ranges.push_back({prepare, [launch, site, &stream] {
                          launch(site, stream);
                          stream.synchronize();
                        }});
    }
  }
  return ranges;
}

}  // namespace

std::vector<Agreement> agreements(const KnownWork& work, const KnownWorkSite& site, const Counters& counted,
                                  const Counters& counted_without) {
  std::vector<Agreement> list;
  for (const KnownCount& count : work.counts(site)) {
    Agreement& agreement = list.emplace_back(known(work, count));
    agreement.ours = value(counted, count.quantity);
    if (work.launch_without == nullptr) continue;
    agreement.ours = difference(agreement.ours, value(counted_without, count.quantity));
  }
  return list;
}

Agreement agreement_of_passes(const std::vector<Counters>& launches) {
  const auto total = [&](std::string_view key) {
    double sum = 0;
    for (const Counters& counters : launches) {
      const CounterValue count = value(counters, key);
      if (!count.available()) return count;
      sum += *count.value();
    }
    return CounterValue::measured(sum);
  };
  Agreement agreement;
  agreement.subject = "all of them";
  agreement.quantity = counter::kWarpInstructions;
  agreement.unit = ComparedUnit::instructions;
  agreement.ours = total(counter::kWarpInstructions);
  agreement.reference = total(counter::kWarpInstructionsSass);
  agreement.note = "counted by hardware in one pass; expected: the count by instrumentation in another";
  return agreement;
}

SelfTest test_counters(const DeviceInfo& device, Profiler& profiler) {
  const auto start = std::chrono::steady_clock::now();
  const Stream stream;
  CacheFlush flush(device.l2_bytes);
  SiteMemory memory;
  memory.clear(stream);
  const KnownWorkSite site = memory.site(device);
  const std::vector<CountedRange> launches = ranges(device, site, flush, stream);
  // Once without counting: the first launch of a kernel loads its code.
  for (const CountedRange& range : launches) range.launch();
  memory.clear(stream);
  const std::vector<Counters> counters = profiler.count(launches);

  SelfTest self_test;
  std::size_t next = 0;
  for (const KnownWork& work : kernels::all_known_work()) {
    std::vector<Agreement> list;
    if (runs_on(work, device)) {
      const Counters& counted = counters[next++];
      list = agreements(work, site, counted, work.launch_without == nullptr ? Counters{} : counters[next++]);
    } else {
      list = uncounted(work, site,
                       fmt::format("its instructions need compute capability {}.{}", work.minimum_sm / 10,
                                   work.minimum_sm % 10));
    }
    self_test.agreements.insert(self_test.agreements.end(), list.begin(), list.end());
  }
  self_test.agreements.push_back(agreement_of_passes(counters));
  self_test.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return self_test;
}

}  // namespace rooflinectl
