// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/model/file_kernel.h"

namespace rooflinectl {

/// The elements of an array in a file.
struct StoredElements {
  ArgumentType type = ArgumentType::f32;
  std::uint64_t count = 0;
  std::string_view bytes;  ///< of the file's content
};

/// The array in a file of NumPy (.npy), in the order of its elements in memory; any other file holds elements
/// of type `raw` and nothing else. `name` is what messages call it. Throws Error(usage) for an array that no
/// argument can have (big-endian, of complex numbers, in Fortran's order), and for a file that is cut off.
StoredElements stored_elements(std::string_view content, const std::string& name, ArgumentType raw);

}  // namespace rooflinectl
