// SPDX-License-Identifier: Apache-2.0
#include "core/model/run.h"

#include <algorithm>

#include "core/machine/check.h"

namespace rooflinectl {

std::string_view to_string(CheckStatus status) {
  switch (status) {
    case CheckStatus::ok:
      return "ok";
    case CheckStatus::warning:
      return "warning";
    case CheckStatus::fails:
      return "fails";
  }
  return "?";
}

std::string_view to_string(CeilingKind kind) {
  switch (kind) {
    case CeilingKind::bandwidth:
      return "bandwidth";
    case CeilingKind::transfer:
      return "transfer";
    case CeilingKind::compute:
      return "compute";
    case CeilingKind::latency:
      return "latency";
  }
  return "?";
}

bool is_roof(CeilingKind kind) {
  return kind == CeilingKind::bandwidth || kind == CeilingKind::compute;
}

std::string_view to_string(CeilingSource source) {
  return source == CeilingSource::theoretical ? "theoretical" : "measured";
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::unverified:
      return "unverified";
    case Status::failed:
      return "failed";
    case Status::skipped:
      return "skipped";
  }
  return "?";
}

std::string_view to_string(RunSource source) {
  return source == RunSource::measured ? "measured" : "replayed";
}

const Ceiling* find_ceiling(const Run& run, std::string_view id, CeilingSource source, std::size_t device) {
  const auto found = std::find_if(run.ceilings.begin(), run.ceilings.end(), [&](const Ceiling& ceiling) {
    return ceiling.id == id && ceiling.source == source && ceiling.device == device;
  });
  return found == run.ceilings.end() ? nullptr : &*found;
}

CeilingSource roof_source(const Run& run, std::size_t device) {
  const bool is_measured = std::any_of(run.ceilings.begin(), run.ceilings.end(), [&](const Ceiling& ceiling) {
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

}  // namespace rooflinectl
