// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/files/files.h"
#include "core/serial/run_file.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::many_runs_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class ManyRuns : public testing::Test {
 protected:
  /// A file of this name, in folders that are made for it.
  std::string file(const fs::path& name) const {
    const fs::path path = folder_.path() / name;
    make_folder(path.parent_path());
    write_file(path, "{}");
    return path.string();
  }

  /// Those found, relative to the test's folder.
  std::vector<std::string> found(const std::vector<std::string>& names) const {
    std::vector<std::string> files;
    for (const fs::path& path : run_files_below(names)) {
      files.push_back(fs::relative(path, folder_.path()).string());
    }
    return files;
  }

  std::string root() const { return folder_.path().string(); }

  TemporaryFolder folder_;
};

TEST_F(ManyRuns, BelowAFolderAreFoundAtAnyDepthInOrder) {
  file("plan/b/run.json");
  file("plan/a/run.json.gz");
  file("c/run.json");
  file("c/other.json");
  EXPECT_THAT(found({root()}), ElementsAre("c/run.json", "plan/a/run.json.gz", "plan/b/run.json"));
}

TEST_F(ManyRuns, LinksBelowAFolderAreNotFollowedAndNoRunIsThereTwice) {
  file("plan/a/run.json");
  file("elsewhere/run.json");
  fs::create_directory_symlink("a", folder_.path() / "plan/latest");
  fs::create_directory_symlink("../elsewhere", folder_.path() / "plan/other");
  EXPECT_THAT(found({root() + "/plan", root() + "/plan/latest", root() + "/plan/a/run.json"}),
              ElementsAre("plan/a/run.json"));
}

TEST_F(ManyRuns, AFolderThatIsARunIsThatRunAlone) {
  const std::string run = file("a/run.json");
  file("a/inner/run.json");
  EXPECT_THAT(found({root() + "/a"}), ElementsAre("a/run.json"));
  EXPECT_THAT(found({run}), ElementsAre("a/run.json"));
}

TEST_F(ManyRuns, AFolderWithoutRunsIsAnError) {
  file("a/points.csv");
  EXPECT_THROW(found({root()}), Error);
}

TEST_F(ManyRuns, AreReadInTheirOrderAndAnErrorIsOfItsFileAlone) {
  const std::vector<fs::path> files = {"0", "1", "2", "3"};
  const auto read = [](const fs::path& path) {
    if (path == "2") throw std::runtime_error("damaged");
    return path.string();
  };
  std::vector<std::string> texts;
  read_in_parallel(files, read, [&](std::size_t, std::future<std::string>& reading) {
    try {
      texts.push_back(reading.get());
    } catch (const std::runtime_error& error) {
      texts.emplace_back(error.what());
    }
  });
  EXPECT_THAT(texts, ElementsAre("0", "1", "damaged", "3"));
}

}  // namespace
}  // namespace rooflinectl::many_runs_test
