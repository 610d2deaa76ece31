// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/counters/counters.h"
#include "core/model/agreement.h"
#include "core/model/run.h"
#include "readers/ncu/ncu_csv.h"

/// Numbers of other tools, with which ours are compared.
namespace rooflinectl {

/// A number of a tool with what is known about its precision.
struct Reference {
  CounterValue value = CounterValue::unavailable("not in the file");
  double rounding = 0;
};

Reference no_reference(std::string reason);

/// A hardware metric of a kernel in our units, that of `scale`.
Reference metric_of(const NcuKernel& kernel, const std::string& metric, double scale);

/// The sum of both numbers; if one is unavailable, that one.
Reference sum(const Reference& a, const Reference& b);

struct Tolerance {
  double value = 0;
  bool is_relative = true;
  double absolute = 0;  ///< on top of it, in the unit of the numbers
  std::string note;
};

/// The comparison of one quantity of `subject`; the rounding of the reference is added to the tolerance.
Agreement agreement(std::string subject, std::string_view quantity, ComparedUnit unit, CounterValue ours,
                    const Reference& reference, const Tolerance& tolerance);

/// The counter; unavailable if it was not counted.
CounterValue ours_of(const Counters& counters, std::string_view key);

/// The median time of a launch, or why there is none.
CounterValue time_of(const Measurement& measurement);

}  // namespace rooflinectl
