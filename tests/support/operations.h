// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/run.h"

namespace rooflinectl::constructed {

/// Does the declared operations in another type.
inline void set_precision(Measurement& measurement, Dtype precision) {
  auto& operations = measurement.work.operations;
  if (!operations.empty()) operations = {{precision, operations.begin()->second}};
}

/// Makes `sum` one of another element type.
inline void set_dtype(Measurement& sum, Dtype dtype) {
  sum.point.axes.set(axis::kDtype, dtype);
  set_precision(sum, accumulator(dtype));
}

}  // namespace rooflinectl::constructed
