// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/program/torch_trace.h"
#include "readers/nsys/nsys_kernels.h"
#include "runner/importing/imported_file_reader.h"

/// Kernels of tools that trace: they have times, and no counters.
namespace rooflinectl {

ImportedContent nsys_content(const NsysProgram& program);
ImportedContent torch_content(const TorchTrace& trace);

}  // namespace rooflinectl
