// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/run.h"

namespace rooflinectl {

/// The first error in a log of compute-sanitizer, and how many there are: `Invalid __global__ read of size 4
/// bytes at scale.cu:12, by thread (0,0,0) in block (4,0,0); 32 errors`. Empty if there is none.
std::string sanitizer_finding(std::string_view log);

/// What compute-sanitizer's memcheck finds in a launch of each point of a CUDA file, by the name of the point
/// (`range_name`). `device`: index or UUID. Throws Error(environment) if there is no compute-sanitizer, or if
/// it does not work; Error(usage) if the plan has no such point.
std::map<std::string, std::string> sanitizer_findings(const Plan& plan,
                                                      const std::vector<CompiledKernel>& compiled,
                                                      const std::string& device,
                                                      const std::filesystem::path& collector);

/// Marks these points as wrong: what they took is no result.
void mark_findings(Run& run, const std::map<std::string, std::string>& findings);

}  // namespace rooflinectl
