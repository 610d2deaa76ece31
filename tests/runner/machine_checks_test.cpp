// SPDX-License-Identifier: Apache-2.0
#include "runner/machine/machine_checks.h"

#include <gtest/gtest.h>

#include "core/files/files.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::machine_checks_test {
namespace {

namespace fs = std::filesystem;

void add_process(const fs::path& processes, const char* number, const char* name) {
  fs::create_directories(processes / number);
  write_file(processes / number / "comm", std::string(name) + "\n");
}

TEST(DcgmCheck, NamesTheProcessThatMayHoldTheCounters) {
  const TemporaryFolder temporary;
  add_process(temporary.path(), "1", "init");
  add_process(temporary.path(), "42", "nv-hostengine");
  const auto check = dcgm_check(temporary.path());
  ASSERT_TRUE(check);
  EXPECT_EQ(check->status, CheckStatus::warning);
  EXPECT_EQ(check->detail, "nv-hostengine is running (process 42) and may be using the counters");
  EXPECT_NE(check->fix.find("dcgmi profile --pause"), std::string::npos);
}

TEST(DcgmCheck, IsSilentWithoutIt) {
  const TemporaryFolder temporary;
  add_process(temporary.path(), "1", "init");
  EXPECT_FALSE(dcgm_check(temporary.path()));
  EXPECT_FALSE(dcgm_check(temporary.path() / "no such folder"));
}

TEST(ContainerCheck, FailsWhereTheDriverIsLoadedAndNoDeviceIsVisible) {
  const TemporaryFolder root;
  EXPECT_FALSE(container_check(root.path())) << "no driver";
  fs::create_directories(root.path() / "proc/driver/nvidia");
  write_file(root.path() / "proc/driver/nvidia/version", "580.159.04");
  const auto check = container_check(root.path());
  ASSERT_TRUE(check);
  EXPECT_TRUE(check->stops_measuring);
  EXPECT_NE(check->fix.find("--gpus all"), std::string::npos);
  fs::create_directories(root.path() / "dev");
  write_file(root.path() / "dev/nvidiactl", "");
  EXPECT_FALSE(container_check(root.path()));
}

}  // namespace
}  // namespace rooflinectl::machine_checks_test
