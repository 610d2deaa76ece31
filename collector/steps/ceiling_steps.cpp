// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "collector/ceilings/ceilings.h"
#include "collector/steps/steps.h"
#include "core/error.h"

namespace rooflinectl {

using message::Phase;

void CeilingSteps::measure(const std::optional<PcieLink>& pcie, bool counters) {
  context_.emit(message::CeilingMeasured{theoretical_dram(context_.device)});
  for (const Ceiling& ceiling : theoretical_pcie(pcie.value_or(PcieLink{}))) {
    if (is_in_plan(ceiling.id)) context_.emit(message::CeilingMeasured{ceiling});
  }
  if (const auto nvlink = theoretical_nvlink(nvlinks(context_.device.uuid))) {
    context_.emit(message::CeilingMeasured{*nvlink});
  }
  // The cost of a launch is needed to recognise points bound by launch overhead, is cheap to measure, and
  // shows the clock.
  const auto is_launch = [](const kernels::CeilingBenchmark& benchmark) {
    return benchmark.id == ceiling_id::kLaunch;
  };
  for (const kernels::CeilingBenchmark& benchmark : kernels::all_ceiling_benchmarks()) {
    if (is_launch(benchmark)) measure_benchmark(benchmark);
  }
  const std::vector<std::string> known = held_ceilings(counters);
  for (const kernels::CeilingBenchmark& benchmark : kernels::all_ceiling_benchmarks()) {
    const bool is_known = std::ranges::find(known, benchmark.id) != known.end();
    if (!is_launch(benchmark) && is_in_plan(benchmark.id) && !is_known) measure_benchmark(benchmark);
  }
}

void CeilingSteps::confirm() {
  const std::optional<CeilingBench> bench = std::exchange(bench_, std::nullopt);
  if (!bench || bench->measured().empty()) return;
  context_.emit(message::Progress{Phase::confirm, std::nullopt, "the ceilings"});
  try {
    const auto& benchmarks = kernels::all_ceiling_benchmarks();
    const std::unique_ptr<Profiler> profiler =
        open_profiler(context_.device.index, ceiling_metrics(benchmarks));
    const std::vector<Counters> counters = profiler->count(bench->ranges());
    for (const Ceiling& ceiling : bench->confirmed(counters))
      context_.emit(message::CeilingMeasured{ceiling});
    for (const Ceiling& ceiling : theoretical_ceilings(context_.device, benchmarks, counters.front())) {
      if (is_in_plan(ceiling.id)) context_.emit(message::CeilingMeasured{ceiling});
    }
  } catch (const Error& error) {
    if (!context_is_usable()) throw Error(ErrorKind::measurement, error.what(), error.hint());
    for (Ceiling ceiling : bench->measured()) {
      ceiling.confirmation = Confirmation{false, fmt::format("not counted: {}", error.what())};
      context_.emit(message::CeilingMeasured{ceiling});
    }
  }
}

bool CeilingSteps::is_in_plan(const std::string& ceiling) const {
  const auto& wanted = context_.request.plan.ceilings;
  return std::ranges::find(wanted, ceiling) != wanted.end();
}

void CeilingSteps::measure_benchmark(const kernels::CeilingBenchmark& benchmark) {
  // Ceilings of some chips alone are not missed on others.
  if (!benchmark.compute_capabilities.empty() && !has_code_for(benchmark, context_.device.compute_capability))
    return;
  if (!bench_) bench_.emplace(context_.device, context_.timer, context_.stream);
  if (const auto obstacle = bench_->obstacle(benchmark)) {
    std::cerr << fmt::format("rooflinectl-collector: the ceiling {} {}\n", benchmark.id, *obstacle);
    return;
  }
  context_.emit(message::Progress{Phase::ceilings, std::nullopt, benchmark.id});
  try {
    for (const Ceiling& ceiling : bench_->measure(benchmark)) {
      if (ceiling.id == ceiling_id::kLaunch) launch_clock_hz_ = ceiling.sm_clock_hz.value_or(0);
      context_.emit(message::CeilingMeasured{ceiling});
    }
  } catch (const Error& error) {
    // Costs only this ceiling: another process continues without it.
    throw Error(ErrorKind::measurement, error.what(), error.hint());
  }
}

/// The ids of the request's known ceilings that are valid here.
std::vector<std::string> CeilingSteps::held_ceilings(bool counters) {
  for (std::size_t i = 0; i < context_.request.known_ceilings.size(); ++i) {
    const KnownCeilings& known = context_.request.known_ceilings[i];
    if (!hold(known, context_.device, launch_clock_hz_)) continue;
    context_.emit(message::CeilingsKnown{i});
    std::vector<std::string> ids = known.ids;
    if (counters) {
      std::erase_if(ids, [&](const std::string& id) {
        return std::ranges::find(known.unconfirmed_ids, id) != known.unconfirmed_ids.end();
      });
    }
    return ids;
  }
  return {};
}

}  // namespace rooflinectl
