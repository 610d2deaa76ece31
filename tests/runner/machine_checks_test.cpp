// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/files/files.h"
#include "runner/machine/machine.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::machine_checks_test {
namespace {

namespace fs = std::filesystem;

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
