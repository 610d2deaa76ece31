// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rooflinectl {

/// `part` over `whole`; 0 where there is no whole.
inline double portion_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

}  // namespace rooflinectl
