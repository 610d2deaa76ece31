// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "reports/sentences/sentences.h"
#include "tests/support/full_run.h"

namespace rooflinectl::environment_facts_test {
namespace {

std::optional<std::string> fact(const rooflinectl::Run& run, const std::string& name) {
  const auto facts = environment_facts(run);
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const Fact& f) { return f.name == name; });
  return found == facts.end() ? std::nullopt : std::optional(found->text);
}

TEST(EnvironmentFacts, ShowWhatASkepticAsks) {
  const auto run = constructed::full_run();
  EXPECT_EQ(fact(run, "PCI bus ID"), "0000:17:00.0");
  EXPECT_EQ(fact(run, "power limit"), "650 W, default 700 W, maximum 725.5 W");
  EXPECT_EQ(fact(run, "application SM clock"), "1.50 GHz, maximum 1.97 GHz");
  EXPECT_EQ(fact(run, "application memory clock"), "2.60 GHz, maximum 3.20 GHz");
  EXPECT_EQ(fact(run, "GPU modes"), "persistence on, MIG on, compute mode exclusive process");
  EXPECT_EQ(fact(run, "CUPTI API"), "130000");
  EXPECT_EQ(fact(run, "system"), "Debian GNU/Linux 12 (bookworm), Linux 6.1.0");
  EXPECT_EQ(fact(run, "CPU"), "AMD EPYC 9654");
  EXPECT_EQ(fact(run, "container"), "docker");
  EXPECT_EQ(fact(run, "environment variables"), "CUDA_VISIBLE_DEVICES=1");
  EXPECT_EQ(fact(run, "plan")->size(), std::string("shipped, SHA-256 ").size() + 64);
  EXPECT_EQ(fact(run, "command"), "rooflinectl run experiments.yaml");
}

TEST(EnvironmentFacts, LeaveOutWhatAnEarlyVersionDidNotRecord) {
  auto run = constructed::full_run();
  run.environment.reset();
  run.devices[0].settings.reset();
  run.devices[0].cupti_version.reset();
  run.plan.text.clear();
  for (const char* const name : {"PCI bus ID", "power limit", "GPU modes", "CUPTI API", "system", "container",
                                 "environment variables", "plan"}) {
    EXPECT_EQ(fact(run, name), std::nullopt) << name;
  }
  EXPECT_EQ(fact(run, "host"), "node-7");
}

TEST(EnvironmentFacts, ShowAsUnknownWhatTheDriverDidNotReport) {
  auto run = constructed::full_run();
  run.devices[0].settings = DeviceSettings{};
  run.environment->variables.clear();
  run.environment->container.clear();
  EXPECT_EQ(fact(run, "power limit"), "unknown");
  EXPECT_EQ(fact(run, "GPU modes"), "persistence unknown, MIG unknown, compute mode unknown");
  EXPECT_EQ(fact(run, "environment variables"), "none set that matter");
  EXPECT_EQ(fact(run, "container"), "none detected");
}

}  // namespace
}  // namespace rooflinectl::environment_facts_test
