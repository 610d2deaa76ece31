// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/model/agreement.h"

namespace rooflinectl {

/// The first agreement on that quantity; without one, the test fails.
inline Agreement find(const std::vector<Agreement>& agreements, std::string_view quantity) {
  const auto found = std::find_if(agreements.begin(), agreements.end(),
                                  [&](const Agreement& agreement) { return agreement.quantity == quantity; });
  if (found != agreements.end()) return *found;
  ADD_FAILURE() << "no agreement on " << quantity;
  return {};
}

}  // namespace rooflinectl
