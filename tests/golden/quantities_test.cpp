// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline/quantities/quantities.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "core/files/files.h"

namespace rooflinectl {
namespace {

TEST(Quantities, ComparedOnesHaveAMeaningAndANameOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Quantity* quantity : compared_quantities()) {
    EXPECT_TRUE(quantity->change.has_value()) << quantity->name;
    EXPECT_TRUE(names.insert(quantity->name).second) << quantity->name;
  }
}

/// The names in the header: `kTime`, …
std::vector<std::string> declared_names() {
  const std::string header =
      read_file(ROOFLINECTL_SOURCE_FOLDER "/analysis/roofline/quantities/quantities.h");
  const std::regex declaration("extern const Quantity (\\w+);");
  std::vector<std::string> names;
  for (std::sregex_iterator found(header.begin(), header.end(), declaration), end; found != end; ++found) {
    names.push_back((*found)[1]);
  }
  return names;
}

TEST(Quantities, EachIsComparedOrJudged) {
  std::string users;
  for (const char* file : {"roofline/quantities/quantities.cpp", "explain/rules.cpp", "roofline/bound.cpp"}) {
    users += read_file(std::string(ROOFLINECTL_SOURCE_FOLDER "/analysis/") + file);
  }
  const std::vector<std::string> names = declared_names();
  EXPECT_GT(names.size(), 40U);
  for (const std::string& name : names) {
    EXPECT_TRUE(std::regex_search(users, std::regex("\\b" + name + "\\b")))
        << "analysis/roofline/quantities/quantities.h declares " << name
        << ", but no rule in analysis/explain/rules.cpp judges it, nor does compared_quantities() in "
           "analysis/roofline/quantities/quantities.cpp have it";
  }
}

}  // namespace
}  // namespace rooflinectl
