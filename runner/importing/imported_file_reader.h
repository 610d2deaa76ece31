// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/model/run.h"
#include "core/program/imported_file.h"
#include "core/program/torch_trace.h"
#include "readers/ncu/ncu_kernel.h"
#include "readers/nsys/nsys_kernels.h"
#include "runner/importing/imported_launch.h"

namespace rooflinectl {

/// What a file of another tool contains. `device` of launches and ceilings is a place in `devices`.
struct ImportedContent {
  ImportedFile file;
  std::vector<DeviceInfo> devices;
  std::vector<Ceiling> ceilings;  ///< theoretical
  std::vector<ImportedLaunch> launches;
};

/// Reads a file, whose content shows its format: a report of Nsight Compute, compressed or not, what `ncu
/// --csv` printed, an SQLite export of Nsight Systems, or a trace of PyTorch. Throws Error(usage) naming the
/// file if it is none of these, damaged from the start, or too large.
ImportedContent read_imported_file(const std::filesystem::path& path);

/// The launches that Nsight Compute profiled, with the devices that they ran on and the theoretical ceilings
/// of these. What is known about the file remains to be added.
ImportedContent ncu_content(const std::vector<NcuKernel>& kernels);

// Kernels of tools that trace: they have times, and no counters.

ImportedContent nsys_content(const NsysProgram& program);
ImportedContent torch_content(const TorchTrace& trace);

/// Sets `replay`, `clock_control`, `cache_control` and `sections` of the file to what ncu does when it is
/// called like this: what an option sets, else the default of its version, which is already in the file
/// (Nsight Compute CLI documentation, “Command Line Options”).
void set_ncu_options(ImportedFile& file, std::string_view command_line);

}  // namespace rooflinectl
