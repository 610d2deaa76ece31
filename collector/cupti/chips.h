// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/machine/catalogue.h"

namespace rooflinectl::cupti {

/// The chips that this CUPTI can count on.
std::vector<std::string> countable_chips();

/// The basic counter set on one of them.
ChipCounters describe_chip(const std::string& chip);

}  // namespace rooflinectl::cupti
