// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/program/profile_record.h"

namespace rooflinectl {

/// Samples devices, each named by its UUID, until this process is asked to end (SIGTERM), and hands `emit`
/// what was begun and taken, and what went wrong, one record at a time. A device that cannot be sampled
/// becomes a problem that names it, and the others continue. Makes no CUDA context: nothing runs on the
/// devices. Times are of the system's monotonic clock.
///
/// Throws Error(environment) if there is no driver or no GPU, Error(usage) if there is no such device.
void watch(const std::vector<std::string>& uuids, std::uint64_t interval_ns,
           const std::function<void(const ProfileRecord&)>& emit);

}  // namespace rooflinectl
