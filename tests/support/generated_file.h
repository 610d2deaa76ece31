// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/files/files.h"
#include "tests/support/golden_update.h"

namespace rooflinectl {

/// Expects `document`, a path below the source folder, to have this text; `source` is the file that it is
/// made from. Run by `kGoldenUpdateCommand`, it writes the text.
inline void expect_generated(const std::string& document, const std::string& text, std::string_view source) {
  const std::string path = std::string(ROOFLINECTL_SOURCE_FOLDER "/") + document;
  if (is_golden_update()) {
    write_file(path, text);
  } else {
    EXPECT_TRUE(read_file(path) == text)
        << fmt::format("{} differs from {}: {} rewrites it", document, source, kGoldenUpdateCommand);
  }
}

}  // namespace rooflinectl
