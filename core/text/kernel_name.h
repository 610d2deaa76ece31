// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Names of CUDA kernels, of whatever program, as a person wants to read them.
namespace rooflinectl {

/// The C++ name behind a mangled one (Itanium ABI). `symbol` itself if it is not mangled (Triton, nvjet,
/// XLA), malformed, or extreme (over 16,384 characters, or over 256 KiB of text).
std::string demangle(std::string_view symbol);

/// `demangled`, short enough for a line of a table, but so that it still tells what runs: the kernel without
/// its return type, its parameters and uninformative namespaces; its template arguments, or what they amount
/// to where a library wraps it: the operation and its type (`elementwise<add, bf16>`,
/// `cub::DeviceReduce<plus, f32>`), the tile (`GemmUniversal<64x64x128, f8e4m3>`), the head dimension
/// (`flash_fwd<bf16, hdim 64, causal>`). Types are in our words (`f32`, `i64`). Printable, and never longer
/// than 60 characters. Names of different kernels may become the same: see `distinct_short_names`.
std::string short_kernel_name(std::string_view demangled);

/// Whether `demangled` is a kernel of a library of which programs only call functions: cuBLAS, cuDNN, cuFFT,
/// CUTLASS, CUB, Thrust, NCCL, PyTorch, CuPy. What tells its kernels apart is the library's own names for
/// them: whoever calls it does not change its source.
bool is_library_kernel(std::string_view demangled);

/// Whether a compiler made the kernel from a program's operations: Inductor, as the names of its kernels in
/// Triton tell, or XLA, as its NVTX ranges in `path` tell.
bool is_generated_kernel(std::string_view demangled, std::string_view path);

/// The short names of a run's kernels, in their order. Names that differ get short names that differ: where
/// needed, with the first word that tells them apart in brackets (`elementwise<add, f32> [unrolled]`), or a
/// number (`#2`).
std::vector<std::string> distinct_short_names(const std::vector<std::string>& demangled);

}  // namespace rooflinectl
