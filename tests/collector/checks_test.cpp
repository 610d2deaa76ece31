// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "collector/collector.h"

namespace rooflinectl {
namespace {

using testing::HasSubstr;

Check check_of(const std::string& subject, const DeviceState& state, const DeviceInfo& device = {}) {
  const std::vector<Check> checks = state_checks(device, state);
  const auto found = std::find_if(checks.begin(), checks.end(),
                                  [&](const Check& check) { return check.subject == subject; });
  return found == checks.end() ? Check{"missing"} : *found;
}

/// A GPU in good order whose driver reports everything.
DeviceState good_state() {
  DeviceState state;
  state.settings.persistence_mode = true;
  state.settings.mig_mode = false;
  state.settings.power_limit_w = 700;
  state.settings.default_power_limit_w = 700;
  state.settings.max_sm_clock_hz = 1980e6;
  state.settings.application_sm_clock_hz = 1980e6;
  state.default_application_sm_clock_hz = 1980e6;
  state.sm_clock_mhz = 1980;
  state.temperature_c = 40;
  state.throttle_reasons.emplace();
  state.is_virtual = false;
  state.confidential_computing = false;
  state.uncorrected_ecc_errors = 0;
  state.compute_processes = 1;
  return state;
}

TEST(StateChecks, AreOkWhereNothingIsWrong) {
  for (const Check& check : state_checks({}, good_state())) {
    EXPECT_EQ(check.status, CheckStatus::ok) << check.subject;
    EXPECT_EQ(check.fix, "") << check.subject;
    EXPECT_THAT(check.detail, testing::Not(HasSubstr("unknown"))) << check.subject;
  }
}

TEST(StateChecks, CallUnknownWhatTheDriverDoesNotReport) {
  DeviceInfo device;
  device.ecc_enabled = true;
  for (const Check& check : state_checks(device, {})) {
    EXPECT_EQ(check.status, CheckStatus::ok) << check.subject;
    EXPECT_THAT(check.detail, HasSubstr("unknown")) << check.subject;
  }
}

struct Case {
  const char* subject;
  void (*spoil)(DeviceState&);
  const char* detail;
  const char* fix;
};

TEST(StateChecks, WarnWithCauseAndHint) {
  const Case cases[] = {
      {"persistence", [](DeviceState& s) { s.settings.persistence_mode = false; }, "off",
       "--persistence-mode=1"},
      {"mig", [](DeviceState& s) { s.settings.mig_mode = true; }, "on", "--multi-instance-gpu=0"},
      {"vgpu", [](DeviceState& s) { s.is_virtual = true; }, "other virtual machines share", "bare-metal"},
      {"confidential", [](DeviceState& s) { s.confidential_computing = true; }, "counters are not available",
       "developer"},
      {"ecc", [](DeviceState& s) { s.uncorrected_ecc_errors = 3; }, "3 uncorrected errors", "--display=ECC"},
      {"clocks", [](DeviceState& s) { s.settings.application_sm_clock_hz = 1200e6; }, "set to 1200 MHz",
       "--reset-applications-clocks"},
      {"throttling",
       [](DeviceState& s) {
         s.throttle_reasons = {{"power cap", "thermal"}};
       },
       "by power cap, thermal, 40 °C", "PERFORMANCE"},
      {"throttling", [](DeviceState& s) { s.temperature_c = 90; }, "none now, 90 °C", "cooling"},
      {"power", [](DeviceState& s) { s.settings.power_limit_w = 400; }, "limit 400 W, default 700 W",
       "--power-limit=700"},
      {"other programs", [](DeviceState& s) { s.compute_processes = 3; }, "2 on this GPU",
       "disturb the times"},
  };
  for (const Case& one : cases) {
    DeviceState state = good_state();
    one.spoil(state);
    const Check check = check_of(one.subject, state);
    EXPECT_EQ(check.status, CheckStatus::warning) << one.subject;
    EXPECT_THAT(check.detail, HasSubstr(one.detail));
    EXPECT_THAT(check.fix, HasSubstr(one.fix));
  }
}

TEST(StateChecks, AcceptTheDefaultApplicationClock) {
  DeviceState state = good_state();
  state.settings.application_sm_clock_hz = 585e6;
  state.default_application_sm_clock_hz = 585e6;
  EXPECT_EQ(check_of("clocks", state).status, CheckStatus::ok);
}

}  // namespace
}  // namespace rooflinectl
