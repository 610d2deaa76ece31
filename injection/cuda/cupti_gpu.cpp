// SPDX-License-Identifier: Apache-2.0
#include "injection/cuda/cupti_gpu.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "core/counters/metrics.h"
#include "injection/this_process.h"

namespace rooflinectl::injection {

const cupti::HostConfiguration& CuptiGpu::configuration_of(Pass pass) {
  if (chip_.empty()) {
    cupti::initialize_profiler();
    cupti::require_supported(device_);
    availability_ = cupti::counter_availability(context_);
    chip_ = cupti::chip_name(device_);
  }
  const auto known = configurations_.find(pass);
  if (known != configurations_.end()) return known->second;
  return configurations_
      .emplace(pass, cupti::one_pass_configuration(chip_, pass_metrics(pass), availability_))
      .first->second;
}

/// CUPTI's SASS Metrics API, the other way to instrument chosen launches, counts no floating-point
/// operations.
void CuptiGpu::begin_pass(Pass pass, std::size_t ranges, bool only_within_ranges) {
  const FinishFirst finish_first(finish_at_exit_);
  const RelaxedCapture relaxed;
  configuration_ = &configuration_of(pass);
  // Enabled anew for each pass: CUPTI counts nothing where it is given another configuration.
  profiler_ = std::make_unique<cupti::EnabledProfiler>(context_);
  only_within_ranges_ = only_within_ranges;
  most_ranges_ = only_within_ranges ? 1 : std::clamp(ranges, kLeastRanges, kMostRanges);
  counter_data_ = profiler_->make_counter_data(configuration_->metric_names(), most_ranges_);
  profiler_->set_config(configuration_->config_image(), counter_data_, most_ranges_);
  if (!only_within_ranges_) profiler_->start();
}

std::vector<Gpu::CountedRange> CuptiGpu::end_pass() {
  if (!profiler_) return {};
  const RelaxedCapture relaxed;
  if (!only_within_ranges_) profiler_->stop();
  std::vector<CountedRange> counted = decode();
  // A program is a little slower while the profiler is enabled.
  profiler_.reset();
  counter_data_ = {};
  return counted;
}

std::vector<Gpu::CountedRange> CuptiGpu::make_room() {
  const RelaxedCapture relaxed;
  if (!only_within_ranges_) profiler_->stop();
  std::vector<CountedRange> counted = decode();
  profiler_->clear(counter_data_);
  if (!only_within_ranges_) profiler_->start();
  return counted;
}

std::vector<Gpu::CountedRange> CuptiGpu::decode() {
  const auto ranges = std::exchange(ranges_, {});
  std::vector<CountedRange> counted;
  if (ranges.empty()) return counted;
  profiler_->decode();
  const std::vector<std::string> names = profiler_->range_names(counter_data_);
  for (std::size_t i = 0; i < names.size(); ++i) {
    counted.push_back({ranges.at(std::stoul(names[i])), configuration_->evaluate(counter_data_, i)});
  }
  if (!std::exchange(has_evaluated_, true)) finish_at_exit_();
  return counted;
}

void CuptiGpu::abandon_pass() {
  profiler_.reset();
  ranges_.clear();
}

void CuptiGpu::open_range(std::uint64_t range) {
  const RelaxedCapture relaxed;
  if (only_within_ranges_) {
    profiler_->start();
    if (!std::exchange(has_started_in_range_, true)) finish_at_exit_();
  }
  profiler_->push(std::to_string(ranges_.size()));
  ranges_.push_back(range);
}

void CuptiGpu::close_range() {
  const RelaxedCapture relaxed;
  profiler_->pop();
  if (only_within_ranges_) profiler_->stop();
}

bool CuptiGpu::begin_lines() {
  if (code_.with_lines().empty()) return false;
  const FinishFirst finish_first(finish_at_exit_);
  const RelaxedCapture relaxed;
  pc_sampler_ = std::make_unique<PcSampler>(context_);
  return true;
}

Gpu::SourceLines CuptiGpu::end_lines() {
  const FinishFirst finish_first(finish_at_exit_);
  const RelaxedCapture relaxed;
  const auto sampler = std::exchange(pc_sampler_, nullptr);
  const SampledCode sampled = sampler->stop();
  const LineTables lines(code_.with_lines());
  return {
      .kernels = sampled_kernels(sampled, device_, [&](const CodePlace& place) { return lines.of(place); }),
      .are_unknown = sampler->are_kernels_unknown()};
}

void CuptiGpu::abandon_lines() {
  static_cast<void>(pc_sampler_.release());
}

double CuptiGpu::now_s() {
  return static_cast<double>(now_ns()) * 1e-9;
}

void CuptiGpu::pause() {
  std::this_thread::sleep_for(std::chrono::microseconds(20));
}

}  // namespace rooflinectl::injection
