// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the module exports that `librooflinectl-injection.so` loads. Those that return something return 1
/// if it worked, else 0. They throw nothing.
extern "C" {
/// The module was loaded, and nobody knows it yet: makes what a child that is forked later must find ready.
[[gnu::visibility("default")]] void rooflinectl_injection_prepare();
/// CUDA is being initialised in this process.
[[gnu::visibility("default")]] int rooflinectl_injection_observe();
/// NVTX is being initialised in a dynamic library of this process.
[[gnu::visibility("default")]] int rooflinectl_injection_attach_to_nvtx(
    const void* (*get_export_table)(unsigned int table));
/// An extension of NVTX is being initialised in a dynamic library of this process.
[[gnu::visibility("default")]] int rooflinectl_injection_attach_to_nvtx_extension(
    struct nvtxExtModuleInfo_t* module);
}
