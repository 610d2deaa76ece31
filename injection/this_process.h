// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/program/profile_record.h"

namespace rooflinectl::injection {

/// Nanoseconds of the monotonic clock.
std::uint64_t now_ns();

/// This process, as the first record of its file has it.
record::Process this_process();

/// A file for the records of this process in `folder`, whose name no other process has.
std::string record_path(const std::string& folder);

}  // namespace rooflinectl::injection
