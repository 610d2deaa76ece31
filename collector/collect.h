// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/serial/protocol.h"

namespace rooflinectl {

/// The ids that plans can name: every variant and every ceiling linked into this program. Needs no GPU.
Catalogue linked_catalogue();

/// Counts kernels of known work on the device that `selector` names. Throws Error if it names none, and
/// Error(environment) if there are no counters.
TestedDevice self_test(const std::string& selector);

/// Does what `request` asks for on the device that it names, and hands every result to `emit` as soon as it
/// is there. Points that fail are reported and do not stop the others. Throws Error if nothing can be
/// measured here, and Error(measurement) if a kernel left the CUDA context unusable: then a new process has
/// to continue with the next point.
void collect(const CollectRequest& request, const std::function<void(const Message&)>& emit);

}  // namespace rooflinectl
