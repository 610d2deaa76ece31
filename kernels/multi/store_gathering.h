// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/multi/team.h"

namespace rooflinectl::kernels {

/// Peer stores and flags: the gathering of `sum_multi_store`.
Gathering store_gathering();

}  // namespace rooflinectl::kernels
