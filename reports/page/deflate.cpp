// SPDX-License-Identifier: Apache-2.0
#include "reports/page/deflate.h"

#include <zlib.h>

#include <new>

namespace rooflinectl {

std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  // With that much room only memory of its own can be missing.
  if (compress2(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                bytes.size(), Z_BEST_SPEED) != Z_OK) {
    throw std::bad_alloc();
  }
  result.resize(size);
  return result;
}

}  // namespace rooflinectl
