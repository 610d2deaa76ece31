// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the module exports that `librooflinectl-injection.so` loads. Both return 1 if it worked, else 0, and
/// throw nothing.
extern "C" {
/// CUDA is being initialised in this process.
[[gnu::visibility("default")]] int rooflinectl_injection_observe();
/// NVTX is being initialised in a dynamic library of this process.
[[gnu::visibility("default")]] int rooflinectl_injection_attach_to_nvtx(
    const void* (*get_export_table)(unsigned int table));
/// An extension of NVTX is being initialised in a dynamic library of this process.
[[gnu::visibility("default")]] int rooflinectl_injection_attach_to_nvtx_extension(
    struct nvtxExtModuleInfo_t* module);
}
