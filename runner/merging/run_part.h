// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/model/run.h"

namespace rooflinectl {

/// One of the runs that are merged.
struct RunPart {
  std::string name;  ///< as messages have it
  Run run;           ///< of a profiled program: without measurements and ceilings, which come later
};

}  // namespace rooflinectl
