// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/model/run.h"

namespace rooflinectl {

/// A row per primitive, numbers in full. Empty where none was to be measured.
std::string primitives_csv(const Run& run);

}  // namespace rooflinectl
