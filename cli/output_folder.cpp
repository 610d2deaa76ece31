// SPDX-License-Identifier: Apache-2.0
#include "cli/output_folder.h"

#include <fmt/format.h>

#include "core/error.h"

namespace rooflinectl {

std::filesystem::path make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return folder;
  throw Error(ErrorKind::environment,
              fmt::format("{}: cannot be created: {}", folder.string(), error.message()),
              "choose another folder with --output");
}

}  // namespace rooflinectl
