// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/activity_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace rooflinectl::cupti {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const TracedOperation kKernel{"kernel", 2e-9};

TEST(ActivityRecords, AreTakenOnceInTheOrderOfTheirStarts) {
  ActivityRecords records;
  records.add(20, 25, "second");
  records.add(10, 12, "first");
  EXPECT_THAT(records.take(), ElementsAre(TracedOperation{"first", 2e-9}, TracedOperation{"second", 5e-9}));
  EXPECT_THAT(records.take(), IsEmpty());
}

TEST(ActivityRecords, ThatWereDroppedAreReportedOnce) {
  ActivityRecords records;
  records.add(10, 12, "kernel");
  records.add_dropped(1);
  EXPECT_THROW(records.take(), Error);
  records.add(30, 32, "kernel");
  EXPECT_THAT(records.take(), ElementsAre(kKernel)) << "a loss affects only what was recorded with it";
}

TEST(ActivityRecords, ThatWereDroppedBeforeADiscardAreNotReported) {
  ActivityRecords records;
  records.add(10, 12, "preparation");
  records.add_dropped(1);
  records.discard();
  records.add(30, 32, "kernel");
  EXPECT_THAT(records.take(), ElementsAre(kKernel));
}

TEST(ActivityRecords, WithoutBothTimesAreLost) {
  ActivityRecords records;
  records.add(0, 12, "no start");
  EXPECT_THROW(records.take(), Error);
  records.add(10, 0, "no end");
  EXPECT_THROW(records.take(), Error);
  records.add_dropped(0);
  EXPECT_THAT(records.take(), IsEmpty());
}

}  // namespace
}  // namespace rooflinectl::cupti
