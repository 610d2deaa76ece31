// SPDX-License-Identifier: Apache-2.0
#include "runner/version.h"

#include "commit.h"

namespace rooflinectl {

std::string_view tool_version() {
  return ROOFLINECTL_VERSION;
}
std::string_view tool_commit() {
  return ROOFLINECTL_COMMIT;
}

}  // namespace rooflinectl
