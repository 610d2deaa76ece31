// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "injection/ranges/nvtx_paths.h"

struct nvtxExtModuleInfo_t;

namespace rooflinectl::injection {

/// Makes NVTX report every range of the dynamic library whose `get_export_table` this is to `paths`: each
/// library that uses NVTX brings its own, and calls `InitializeInjectionNvtx2` before its first range.
/// `paths` must live until the process ends. Returns whether this NVTX can be attached to.
bool attach_to_nvtx(const void* (*get_export_table)(unsigned int table), NvtxPaths& paths);

/// The same for what NVTX adds in its extension `module`: ranges that begin or end with a payload (NCCL
/// ends such a range in each function that makes a communicator). False for other extensions.
bool attach_to_nvtx_extension(nvtxExtModuleInfo_t& module, NvtxPaths& paths);

}  // namespace rooflinectl::injection
