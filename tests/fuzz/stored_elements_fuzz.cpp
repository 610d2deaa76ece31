// SPDX-License-Identifier: Apache-2.0
// Stored results of a kernel: elements that lie within the file, or an Error(usage), whatever it contains.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/error.h"
#include "core/plan/stored_elements.h"

using namespace rooflinectl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  try {
    const StoredElements elements = stored_elements(content, "y.npy", ArgumentType::f32);
    if (elements.bytes.size() != elements.count * size_bytes(elements.type)) std::abort();
    if (!elements.bytes.empty() && elements.bytes.data() < content.data()) std::abort();
    if (!elements.bytes.empty() && elements.bytes.end() > content.end()) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) std::abort();
  }
  return 0;
}
