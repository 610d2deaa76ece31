// SPDX-License-Identifier: Apache-2.0
#include "injection/cuda/subscription.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "injection/cuda/activities.h"
#include "injection/this_process.h"

// A CUPTI in place of the library's: of a tool that is alone, and of one among several.

namespace rooflinectl::injection::subscription_test {
namespace {

using testing::ElementsAre;

std::vector<std::string> calls;
// What comes of it, beside others.
CUptiResult subscribing = CUPTI_SUCCESS;
CUptiResult timing = CUPTI_SUCCESS;
CUptiResult enabling = CUPTI_SUCCESS;
SharedFunctions::TakeBuffer take_shared = nullptr;
std::vector<CUpti_ActivityKernel10> traced;

auto* const kHandle = reinterpret_cast<CUpti_SubscriberHandle>(&calls);
constexpr std::uint64_t kBehindNs = 1'000'000;

void CUPTIAPI on_callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

CUptiResult CUPTIAPI subscribe_shared(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc, void*,
                                      SharedSubscriberParams* params) {
  calls.push_back(std::string("subscribe ") + params->name +
                  (params->allows_others == 1 ? " beside others" : ""));
  *handle = kHandle;
  return subscribing;
}
CUptiResult CUPTIAPI timestamp(CUpti_SubscriberHandle, std::uint64_t* ns) {
  *ns = now_ns() - kBehindNs;
  return timing;
}
CUptiResult CUPTIAPI register_shared(CUpti_SubscriberHandle, SharedFunctions::GiveBuffer,
                                     SharedFunctions::TakeBuffer take) {
  take_shared = take;
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI enable_shared(CUpti_SubscriberHandle handle, CUpti_ActivityKind kind, void*) {
  if (handle == kHandle && kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
    calls.emplace_back("kernels beside others");
  return enabling;
}
CUptiResult CUPTIAPI disable_shared(CUpti_SubscriberHandle, CUpti_ActivityKind kind, void*) {
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) calls.emplace_back("no kernels beside others");
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI next_shared(CUpti_SubscriberHandle, std::uint8_t*, std::size_t used,
                                 CUpti_Activity** record) {
  const std::size_t next =
      *record == nullptr
          ? 0
          : static_cast<std::size_t>(reinterpret_cast<CUpti_ActivityKernel10*>(*record) - traced.data()) + 1;
  if (next == used) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(&traced[next]);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI dropped_shared(CUpti_SubscriberHandle, CUcontext, std::uint32_t, std::size_t* dropped) {
  *dropped = 3;
  return CUPTI_SUCCESS;
}

constexpr SharedFunctions kShared = {.subscribe = subscribe_shared,
                                     .timestamp = timestamp,
                                     .register_callbacks = register_shared,
                                     .enable = enable_shared,
                                     .disable = disable_shared,
                                     .next_record = next_shared,
                                     .dropped_records = dropped_shared};

struct FakeListener : activities::Listener {
  void traced(const activities::Kernel& kernel) override { kernels.push_back(kernel); }
  void traced(const record::Transfer&) override {}
  void delivered() override { ++deliveries; }
  void lost(std::uint64_t count) override { losses += count; }

  std::vector<activities::Kernel> kernels;
  int deliveries = 0;
  std::uint64_t losses = 0;
};

class SubscriptionTest : public testing::Test {
 protected:
  SubscriptionTest() {
    calls.clear();
    subscribing = timing = enabling = CUPTI_SUCCESS;
  }
};

TEST_F(SubscriptionTest, IsBesideOthersIfCuptiAndDriverAllowIt) {
  const Subscription subscription = subscribe(on_callback, kShared, activities::shared_buffers());
  EXPECT_THAT(calls, ElementsAre("subscribe rooflinectl beside others"));
  EXPECT_EQ(subscription.handle, kHandle);
  EXPECT_TRUE(subscription.shared);
  EXPECT_NEAR(static_cast<double>(subscription.clock_ahead_ns), kBehindNs, 0.5 * kBehindNs);
}

TEST_F(SubscriptionTest, IsAloneIfTheDriverRefusesOrCuptiLacksAFunction) {
  subscribing = CUPTI_ERROR_NOT_SUPPORTED;
  EXPECT_FALSE(subscribe(on_callback, kShared, activities::shared_buffers()).shared);
  EXPECT_THAT(calls, ElementsAre("subscribe rooflinectl beside others", "subscribe alone"));
  calls.clear();
  EXPECT_FALSE(subscribe(on_callback, std::nullopt, {}).shared);
  EXPECT_THAT(calls, ElementsAre("subscribe alone"));
}

TEST_F(SubscriptionTest, GivesUpSharingIfAStepOfItFails) {
  for (CUptiResult* const step : {&timing, &enabling}) {
    calls.clear();
    *step = CUPTI_ERROR_NOT_SUPPORTED;
    EXPECT_FALSE(subscribe(on_callback, kShared, activities::shared_buffers()).shared);
    EXPECT_THAT(calls, ElementsAre("subscribe rooflinectl beside others", "unsubscribe", "subscribe alone"));
    *step = CUPTI_SUCCESS;
  }
}

TEST_F(SubscriptionTest, BesideOthersTracesByItsHandleAndOurClock) {
  FakeListener listener;
  const Subscription subscription = subscribe(on_callback, kShared, activities::shared_buffers());
  activities::set_listener(listener, subscription);
  activities::enable(true);
  activities::enable(false);
  EXPECT_THAT(calls, ElementsAre("subscribe rooflinectl beside others", "kernels beside others",
                                 "no kernels beside others"));

  traced.assign(2, {});
  for (CUpti_ActivityKernel10& kernel : traced) {
    kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    kernel.start = 5'000'000;
    kernel.end = 5'000'700;
    kernel.name = "saxpy";
    kernel.gridX = 7;
  }
  take_shared(static_cast<std::uint8_t*>(std::malloc(1)), 1, traced.size(), nullptr);
  ASSERT_EQ(listener.kernels.size(), 2U);
  EXPECT_EQ(listener.kernels[0].start_ns,
            5'000'000 + static_cast<std::uint64_t>(subscription.clock_ahead_ns));
  EXPECT_EQ(listener.kernels[1].end_ns - listener.kernels[1].start_ns, 700U);
  EXPECT_EQ(listener.kernels[0].grid[0], 7U);
  EXPECT_EQ(listener.deliveries, 1);
  EXPECT_EQ(listener.losses, 3U);
}

TEST_F(SubscriptionTest, ABufferOfTheTrialIsFreed) {
  FakeListener listener;
  activities::set_listener(listener, {});
  activities::shared_buffers().take(static_cast<std::uint8_t*>(std::malloc(1)), 1, 1, nullptr);
  EXPECT_EQ(listener.deliveries, 0);
}

TEST_F(SubscriptionTest, AloneTracesAsBefore) {
  FakeListener listener;
  activities::set_listener(listener, subscribe(on_callback, std::nullopt, {}));
  activities::enable(true);
  EXPECT_THAT(calls, ElementsAre("subscribe alone", "our clock", "buffers", "kernels"));
}

TEST(SharedFunctions, AreInTheLibraryFromCupti133On) {
  std::uint32_t version = 0;
  ASSERT_EQ(cuptiGetVersion(&version), CUPTI_SUCCESS);
  EXPECT_EQ(shared_functions().has_value(), version >= 130300);
}

}  // namespace
}  // namespace rooflinectl::injection::subscription_test

using rooflinectl::injection::subscription_test::calls;

extern "C" {
CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*) {
  calls.emplace_back("subscribe alone");
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle) {
  calls.emplace_back("unsubscribe");
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc) {
  calls.emplace_back("our clock");
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc,
                                                    CUpti_BuffersCallbackCompleteFunc) {
  calls.emplace_back("buffers");
  return CUPTI_SUCCESS;
}
CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) calls.emplace_back("kernels");
  return CUPTI_SUCCESS;
}
}
