// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "runner/machine/machine.h"

namespace rooflinectl::host_environment_test {
namespace {

using ::testing::Contains;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

TEST(HostEnvironment, RecordsVariablesThatMatterAndNoOther) {
  for (const char* const name :
       {"CUDA_VISIBLE_DEVICES", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "CUBLASLT_LOG_LEVEL",
        "ROOFLINECTL_COLLECTOR", "LD_PRELOAD", "NVIDIA_VISIBLE_DEVICES"}) {
    EXPECT_TRUE(is_recorded(name)) << name;
  }
  for (const char* const name :
       {"HOME", "PATH", "NVIDIA_API_KEY", "AWS_SECRET_ACCESS_KEY", "MY_CUDA_HOME", ""}) {
    EXPECT_FALSE(is_recorded(name)) << name;
  }
}

TEST(HostEnvironment, TakesThemFromThisProcess) {
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "a=b", 1);
  setenv("NVIDIA_API_KEY", "secret", 1);
  const Environment environment = host_environment();
  EXPECT_THAT(environment.variables, Contains(Pair("CUDA_DEVICE_MAX_CONNECTIONS", "a=b")));
  EXPECT_THAT(environment.variables, Not(Contains(Key("NVIDIA_API_KEY"))));
  EXPECT_THAT(environment.kernel, StartsWith("Linux "));
}

TEST(HostEnvironment, NamesTheContainerByItsMarker) {
  setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1", 1);
  EXPECT_EQ(host_environment().container, "kubernetes");
  unsetenv("KUBERNETES_SERVICE_HOST");
  EXPECT_NE(host_environment().container, "kubernetes");
}

}  // namespace
}  // namespace rooflinectl::host_environment_test
