// SPDX-License-Identifier: Apache-2.0
#include "injection/lock_order.h"

#include <gmock/gmock.h>

#include <mutex>

namespace rooflinectl::injection::lock_order_test {
namespace {

class LockOrderTest : public testing::Test {
 protected:
  void SetUp() override {
#ifdef NDEBUG
    GTEST_SKIP() << "locks are checked in builds without NDEBUG";
#endif
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }

  OrderedMutex<LockOrder::writing> writing;
  OrderedMutex<LockOrder::contexts> contexts;
  OrderedMutex<LockOrder::device> device;
  OrderedMutex<LockOrder::kernels> kernels;
  OrderedMutex<LockOrder::kernels> other_kernels;
  OrderedMutex<LockOrder::records> records;
};

TEST_F(LockOrderTest, LocksMayBeTakenInTheirOrder) {
  for (int i = 0; i < 2; ++i) {
    const std::lock_guard outer(contexts);
    const std::lock_guard inner(device);
    const std::lock_guard innermost(records);
  }
}

TEST_F(LockOrderTest, StopsTheProgramWhereALockIsTakenOutOfOrder) {
  const std::lock_guard lock(device);
  EXPECT_DEATH(contexts.lock(), "locks are taken out of order");
}

TEST_F(LockOrderTest, StopsTheProgramWhereTwoLocksOfOneLineAreTaken) {
  const std::lock_guard lock(kernels);
  EXPECT_DEATH(other_kernels.lock(), "locks are taken out of order");
}

TEST_F(LockOrderTest, StopsTheProgramWhereALockThatWasTriedStandsAfter) {
  ASSERT_TRUE(records.try_lock());
  EXPECT_DEATH(kernels.lock(), "locks are taken out of order");
  records.unlock();
  const std::lock_guard lock(kernels);
}

TEST_F(LockOrderTest, TheOuterLockMayBeReleasedFirst) {
  contexts.lock();
  records.lock();
  contexts.unlock();
  EXPECT_DEATH(kernels.lock(), "locks are taken out of order");
  records.unlock();
  const std::lock_guard lock(kernels);
}

TEST_F(LockOrderTest, StopsTheProgramWhereTheDriverIsCalledWithALockOfLaunches) {
  require_no_lock_of_launches();
  {
    const std::lock_guard lock(writing);
    require_no_lock_of_launches();
  }
  {
    const std::lock_guard lock(contexts);
    EXPECT_DEATH(require_no_lock_of_launches(), "a lock that launching threads take is held");
  }
  {
    const std::lock_guard lock(records);
    EXPECT_DEATH(require_no_lock_of_launches(), "a lock that launching threads take is held");
  }
  require_no_lock_of_launches();
}

}  // namespace
}  // namespace rooflinectl::injection::lock_order_test
