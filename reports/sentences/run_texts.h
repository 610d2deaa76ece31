// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/timeline/timeline_view.h"
#include "core/model/run.h"
#include "reports/sentences/point_text.h"

namespace rooflinectl {

/// What a sceptic would ask about a run: device and its settings, software, host, command, plan.
std::vector<Fact> environment_facts(const Run& run);

// What the compiler made of kernels from files.

/// `40 registers, 16 bytes spilled`
std::string registers_text(const CompiledKernel& compiled);

/// `scale<float>, nvcc 13.0.48 for sm_90: 40 registers, no spills`
std::string compiled_text(const CompiledKernel& compiled);

/// Sentences on the spills and warnings of the run's kernels.
std::vector<std::string> compiler_findings(const Run& run);

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

/// What a reader must know about the samples of a device: how long, how often, what is missing; and whether
/// they agree with what was counted.
std::vector<std::string> timeline_sentences(const DeviceView& view);

/// Where its phases begin and end, or why there are none.
std::string phase_sentence(const DeviceView& view);

}  // namespace rooflinectl
