// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/error.h"

namespace rooflinectl {

/// Nothing can be measured on this machine: no GPU, no driver, no collector. A recording can take the place
/// of a run.
class CannotMeasure : public Error {
 public:
  using Error::Error;
};

}  // namespace rooflinectl
