// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace rooflinectl {

/// `0.1.0`
std::string_view tool_version();
/// The commit that this was built from, `-dirty` added if files had been changed; `unknown` outside a
/// repository.
std::string_view tool_commit();

}  // namespace rooflinectl

/// Programs in Python, and the frame of one in C++, that are part of this one.
namespace rooflinectl::embedded {

/// runner/python_kernels/driver.py: calls functions in the user's files.
std::string_view driver();
/// runner/compiling/nvrtc.py: compiles with NVRTC.
std::string_view nvrtc();
/// runner/compiling/reference_main.h: what a reference in C++ is compiled with.
std::string_view reference_main();

}  // namespace rooflinectl::embedded
