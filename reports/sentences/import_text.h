// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/run.h"

namespace rooflinectl {

/// How the tool that wrote the file got its numbers: `Nsight Compute report, version 2025.3.1.0, kernel
/// replay, clocks locked to base, caches flushed before each pass, set full`, as far as known.
std::string import_text(const ImportedFile& file);

/// What to know about the numbers of an imported run: what each file is, and what their ceilings are. Empty
/// for other runs.
std::vector<std::string> import_sentences(const Run& run);

/// What the report lacks for the roofs of its kernels, and the sections of ncu that record it. For runs with
/// kernels that were partly counted.
std::string partly_counted_sentence(const Run& run);

/// What is damaged or missing in the files.
std::vector<std::string> import_problems(const Run& run);

}  // namespace rooflinectl
