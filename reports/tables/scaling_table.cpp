// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/scaling_table.h"

#include <fmt/format.h>

#include "reports/text/format.h"

namespace rooflinectl {
namespace {

std::string share_text(const ScalingStep& step) {
  if (!step.share_s) return std::string(format::kUnavailable);
  return fmt::format("{} ({})", format::duration(*step.share_s),
                     format::whole_percent(*step.share_s / step.time_s));
}

std::string gathering_text(const ScalingStep& step) {
  return format::optional(step.gathering_s, [](double seconds) { return format::duration(seconds); });
}

}  // namespace

std::string scaling_title(ScalingKind kind) {
  return kind == ScalingKind::strong ? "Strong scaling: the same elements on more GPUs"
                                     : "Weak scaling: as many elements on each of more GPUs";
}

DeviceTable scaling_table(const Scaling& scaling) {
  DeviceTable table;
  table.title = scaling_title(scaling.kind);
  table.columns = {{"points", false},  {"GPUs", true},       {"time", true},  {"all GPUs, GB/s", true},
                   {"speed-up", true}, {"efficiency", true}, {"share", true}, {"rest", true}};
  for (const ScalingCurve& curve : scaling.curves) {
    for (const ScalingStep& step : curve.steps) {
      table.rows.push_back({curve.label, fmt::format("{}", step.gpus), format::duration(step.time_s),
                            format::gigabytes(step.bytes_per_s), format::factor(step.speedup),
                            format::whole_percent(step.efficiency), share_text(step), gathering_text(step)});
    }
  }
  return table;
}

}  // namespace rooflinectl
