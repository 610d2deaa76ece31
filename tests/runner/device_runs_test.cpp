// SPDX-License-Identifier: Apache-2.0
#include "runner/measuring/device_runs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include "core/files/files.h"
#include "runner/measuring/device_ceilings.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::device_runs_test {
namespace {

namespace fs = std::filesystem;

void throw_what_is_no_error(const MeasureEvent& event) {
  if (std::holds_alternative<MeasureWarning>(event)) throw std::runtime_error("out of luck");
}

TEST(DeviceAttempt, WhateverGoesWrongIsItsError) {
  const TemporaryFolder folder;
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  MeasureRequest request;
  request.collector = "/bin/false";
  request.output = folder.path() / "gpu-0";
  rooflinectl::Run known;  // plain `Run` is a member of the test
  known.devices[0].uuid = "GPU-0";
  known.ceilings.push_back({.id = "dram_read"});
  CeilingCache::of_user(request.collector, {}).store(known);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder.path())) {
    if (entry.is_regular_file()) write_file(entry.path(), "damaged, which the observer is told");
  }
  std::mutex one_at_a_time;
  const DeviceAttempt attempt =
      attempt_on_device(request, throw_what_is_no_error, folder.path(), one_at_a_time);
  unsetenv("XDG_CACHE_HOME");
  ASSERT_TRUE(attempt.error);
  EXPECT_STREQ(attempt.error->what(), "out of luck");
  EXPECT_EQ(attempt.error->kind(), ErrorKind::environment);
  EXPECT_FALSE(attempt.result);
}

}  // namespace
}  // namespace rooflinectl::device_runs_test
