// SPDX-License-Identifier: Apache-2.0
#include "runner/built_in.h"

#include "commit.h"
#include "core/embed.h"

namespace rooflinectl {

std::string_view tool_version() {
  return ROOFLINECTL_VERSION;
}
std::string_view tool_commit() {
  return ROOFLINECTL_COMMIT;
}

}  // namespace rooflinectl

ROOFLINECTL_EMBED(driver, "python_kernels/driver.py")
ROOFLINECTL_EMBED(reference_main, "compiling/reference_main.h")
ROOFLINECTL_EMBED(nvrtc, "compiling/nvrtc.py")
