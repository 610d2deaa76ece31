// SPDX-License-Identifier: Apache-2.0
#include "core/model/run.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/machine/ranks.h"

namespace rooflinectl {

bool is_roof(CeilingKind kind) {
  return kind == CeilingKind::bandwidth || kind == CeilingKind::compute;
}

const Ceiling* find_ceiling(const Run& run, std::string_view id, CeilingSource source, std::size_t device) {
  const auto found = std::ranges::find_if(run.ceilings, [&](const Ceiling& ceiling) {
    return ceiling.id == id && ceiling.source == source && ceiling.device == device;
  });
  return found == run.ceilings.end() ? nullptr : &*found;
}

CeilingSource roof_source(const Run& run, std::size_t device) {
  const bool is_measured = std::ranges::any_of(run.ceilings, [&](const Ceiling& ceiling) {
    return ceiling.source == CeilingSource::measured && ceiling.device == device;
  });
  return run.imports.empty() || is_measured ? CeilingSource::measured : CeilingSource::theoretical;
}

LaunchMode launch_mode(const TimeResult& time) {
  return time.mode.value_or(time.launches_per_sample > 1 ? LaunchMode::graph : LaunchMode::plain);
}

double Work::flops() const {
  double flops = 0;
  for (const auto& [precision, done] : operations) flops += done.flops;
  return flops;
}

std::optional<double> cycles_per_element(const Cycles& cycles) {
  if (!cycles.median.available() || cycles.elements == 0) return std::nullopt;
  return *cycles.median.value() / static_cast<double>(cycles.elements);
}

std::optional<double> cycles_per_instruction(const PrimitiveResult& result) {
  if (!result.throughput.median.available() || !result.info.instructions) return std::nullopt;
  return *result.throughput.median.value() / *result.info.instructions;
}

std::optional<double> elements_per_s(const PrimitiveResult& result, int sm_count) {
  const Cycles& cycles = result.throughput;
  const auto each = cycles_per_element(cycles);
  if (!each || !cycles.sm_clock_hz) return std::nullopt;
  return sm_count * *cycles.sm_clock_hz / *each;
}

std::optional<double> bytes_per_s(const PrimitiveResult& result, int sm_count) {
  const auto rate = elements_per_s(result, sm_count);
  if (!rate) return std::nullopt;
  return 2 * *rate * static_cast<double>(size_bytes(result.info.dtype));
}

namespace {

/// `holds` are by their starts. Joins each with the one before where no more than `gap_ns` is between them.
std::vector<Hold> joined(const std::vector<Hold>& holds, std::uint64_t gap_ns) {
  std::vector<Hold> result;
  for (const Hold& hold : holds) {
    if (result.empty() || hold.start_ns > result.back().end_ns() + gap_ns) {
      result.push_back(hold);
    } else {
      Hold& last = result.back();
      last.duration_ns = std::max(last.end_ns(), hold.end_ns()) - last.start_ns;
    }
  }
  return result;
}

}  // namespace

Holds::Holds(std::vector<Hold> holds) : holds_(std::move(holds)) {
  std::ranges::sort(holds_, {}, &Hold::start_ns);
  holds_ = joined(holds_, 0);
}

bool Holds::delay(std::uint64_t previous_end_ns, std::uint64_t end_ns) const {
  const auto next =
      std::ranges::partition_point(holds_, [&](const Hold& hold) { return hold.end_ns() < previous_end_ns; });
  return next != holds_.end() && next->start_ns <= end_ns;
}

void Holds::join_to(std::size_t most) {
  if (holds_.size() <= most) return;
  std::vector<std::uint64_t> gaps;
  for (std::size_t i = 1; i < holds_.size(); ++i) {
    gaps.push_back(holds_[i].start_ns - holds_[i - 1].end_ns());
  }
  const auto shortest_kept = gaps.begin() + static_cast<std::ptrdiff_t>(most) - 1;
  std::nth_element(gaps.begin(), shortest_kept, gaps.end(), std::greater<>());
  holds_ = joined(holds_, *shortest_kept);
}

std::optional<LinkMistake> mistake_in(const LinkBandwidth& link, std::size_t n_devices) {
  constexpr std::string_view kValue = "bytes_per_s";
  constexpr std::string_view kNoDevice = "there is no such device";
  if (link.from >= n_devices) return LinkMistake{"from", kNoDevice};
  if (link.to >= n_devices) return LinkMistake{"to", kNoDevice};
  if (link.from == link.to) return LinkMistake{"to", "a link from a device to itself"};
  const bool has_value = link.bytes_per_s > 0;
  if (has_value && !link.missing.empty())
    return LinkMistake{kValue, "a value, and a reason why there is none"};
  if (!has_value && link.missing.empty()) return LinkMistake{kValue, "no value, and no reason why"};
  return std::nullopt;
}

std::string_view to_string(ComparedUnit unit) {
  if (unit == ComparedUnit::count) return "";
  return unit == ComparedUnit::seconds ? "s" : enumerator_name(unit);
}

Verdict Agreement::verdict() const {
  if (!ours.available() || !reference.available()) return Verdict::unavailable;
  const double allowed = is_relative ? tolerance * std::abs(*reference.value()) : tolerance;
  const double difference = std::abs(*ours.value() - *reference.value());
  return std::isfinite(allowed) && difference <= allowed ? Verdict::agrees : Verdict::differs;
}

bool SelfTest::passed() const {
  const auto has = [this](Verdict verdict) {
    return std::ranges::any_of(
        agreements, [verdict](const Agreement& agreement) { return agreement.verdict() == verdict; });
  };
  return has(Verdict::agrees) && !has(Verdict::differs);
}

const Experiment* experiment_with_application(const Plan& plan) {
  const auto found = std::ranges::find_if(
      plan.experiments, [](const Experiment& experiment) { return experiment.application.has_value(); });
  return found == plan.experiments.end() ? nullptr : &*found;
}

bool has_ceilings_alone(const Plan& plan) {
  return plan.experiments.empty() && plan.primitives.empty();
}

const FileKernel* find_file_kernel(const Plan& plan, std::string_view id) {
  for (const FileKernel& kernel : plan.kernels) {
    if (kernel.id == id) return &kernel;
  }
  return nullptr;
}

std::vector<PointId> all_points(const Plan& plan) {
  std::vector<PointId> points;
  for (const Experiment& experiment : plan.experiments) {
    points.insert(points.end(), experiment.points.begin(), experiment.points.end());
  }
  return points;
}

}  // namespace rooflinectl
