// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace rooflinectl::injection {

/// A digest of the image that a module was loaded from: a cubin, a fatbinary (bare, or in the wrapper that
/// nvcc makes), or PTX. Of long ones the beginning and the size are taken, so that it takes less than a
/// millisecond. Nothing for another format.
std::optional<std::uint64_t> image_digest(const void* image);

}  // namespace rooflinectl::injection
