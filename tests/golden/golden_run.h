// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/golden/constructed_run.h"

namespace rooflinectl {

/// The run that `expected/` shows. To show a recording instead, return
/// `run_from_json(read_file(ROOFLINECTL_SOURCE_FOLDER "/recordings/….json"), "….json")` and update the
/// expected files.
inline Run golden_run() {
  return constructed::run();
}

}  // namespace rooflinectl
