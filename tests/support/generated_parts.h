// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/files/files.h"
#include "tests/support/golden_update.h"

namespace rooflinectl {

/// A part of a document that is made from the source, between `<!-- NAME: generated -->` and
/// `<!-- end of NAME -->`.
struct GeneratedPart {
  std::string name;
  std::string text;
};

/// Expects `parts` in `document`, a path below the source folder; `source` is the file that they are made
/// from. Run by `kGoldenUpdateCommand`, it writes them. Only one test writes a document, since tests may
/// run at once.
inline void expect_generated(const std::string& document, const std::vector<GeneratedPart>& parts,
                             std::string_view source) {
  const std::string path = std::string(ROOFLINECTL_SOURCE_FOLDER "/") + document;
  const std::string found = read_file(path);
  std::string expected = found;
  for (const GeneratedPart& part : parts) {
    const std::string mark = fmt::format("<!-- {}: generated -->\n\n", part.name);
    const std::size_t begin = expected.find(mark) + mark.size();
    const std::size_t end = expected.find(fmt::format("\n<!-- end of {} -->", part.name));
    ASSERT_TRUE(expected.find(mark) < end && end != std::string::npos)
        << document << " has no part '" << part.name << "'";
    expected.replace(begin, end - begin, part.text);
  }
  if (is_golden_update()) {
    write_file(path, expected);
  } else {
    EXPECT_TRUE(found == expected) << fmt::format("{} differs from {}: {} rewrites it", document, source,
                                                  kGoldenUpdateCommand);
  }
}

}  // namespace rooflinectl
