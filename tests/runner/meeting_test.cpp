// SPDX-License-Identifier: Apache-2.0
#include "runner/ranks/meeting.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/files/files.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::meeting_test {
namespace {

namespace fs = std::filesystem;

/// Makes `path` one of which nobody can tell whether it is there, as after ESTALE over NFS.
void make_unknown(const fs::path& path) {
  fs::remove(path);
  fs::create_symlink(path.filename(), path);
}

class MeetingOfTwo : public ::testing::Test {
 protected:
  MeetingOfTwo() {
    std::jthread joining([this] { second_.join({}); });
    first_.invite(make_folder(folder_.path() / "run"), {});
  }

  static bool never() { return false; }
  fs::path file(const char* name) const { return first_.message_folder() / name; }

  const TemporaryFolder folder_;
  Meeting first_{{.rank = 0, .ranks = 2, .local_rank = {}, .job = "job"}, folder_.path(), never};
  Meeting second_{{.rank = 1, .ranks = 2, .local_rank = {}, .job = "job"}, folder_.path(), never};
};

TEST_F(MeetingOfTwo, KnowsWhoHasEnded) {
  EXPECT_FALSE(first_.has_ended(1));
  second_.end();
  EXPECT_TRUE(first_.has_ended(1));
  EXPECT_FALSE(first_.has_died(1));
}

TEST_F(MeetingOfTwo, ARankOfWhichNothingIsKnownLives) {
  for (const char* const name : {"1.end", "1.lock", "1.step.json"}) {
    make_unknown(file(name));
    EXPECT_FALSE(first_.has_ended(1)) << name;
    EXPECT_FALSE(first_.has_died(1)) << name;
    EXPECT_FALSE(first_.step_of(1, "step")) << name;
  }
  fs::remove(file("1.end"));
  fs::remove(file("1.lock"));
  EXPECT_TRUE(first_.has_died(1));
  EXPECT_TRUE(first_.wait_for(1, "step"));
}

TEST_F(MeetingOfTwo, ARankWhoseEndIsUnknownHasNotDied) {
  fs::remove(file("1.lock"));
  make_unknown(file("1.end"));
  EXPECT_TRUE(first_.has_ended(1));
  EXPECT_FALSE(first_.has_died(1));
}

}  // namespace
}  // namespace rooflinectl::meeting_test
