// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "core/files/files.h"
#include "readers/nsys/nsys.h"
#include "tests/support/sqlite_database.h"

namespace rooflinectl::nsys_sqlite_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Constructed after the documented schema. Thread 1 of process 1; the domain rooflinectl is 1.
const std::string kRanges = R"(
  CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT,
                            globalTid INTEGER, textId INTEGER, domainId INTEGER);
  INSERT INTO StringIds VALUES (1, 'void first(float *)'), (2, 'a.second'), (3, 'void second(float *)');
  INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, 'rooflinectl', 16777217, NULL, 1),
    (0, NULL, 75, 'other', 16777217, NULL, 2),
    (2000, 3000, 59, NULL, 16777217, 2, 1), (1000, 1900, 59, 'a.first', 16777217, NULL, 1),
    (1000, 9000, 59, 'not ours', 16777217, NULL, 2), (1000, 9000, 60, 'a.mark', 16777217, NULL, 1);
)";
const std::string kKernels = R"(
  CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, correlationId INTEGER,
                                           globalPid INTEGER, demangledName INTEGER NOT NULL);
  CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, correlationId INTEGER,
                                           globalPid INTEGER);
  INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1100, 1350, 11, 16777216, 1), (2500, 2600, 12, 16777216, 3),
    (2500, 2600, 12, 33554432, 3), (4000, 4100, 13, 16777216, 3);
  INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (2300, 2310, 14, 16777216);
)";
const std::string kCalls = R"(
  CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER,
                                            correlationId INTEGER, nameId INTEGER NOT NULL);
  INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1010, 1020, 16777217, 11, 1), (2020, 2030, 16777217, 12, 1),
    (3500, 3600, 16777217, 13, 1), (2010, 2015, 16777217, 14, 1);
)";

Error error_of(const std::string& content) {
  try {
    read_nsys_sqlite(content);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorKind::environment, ""};
}

void expect_refused(const std::string& content) {
  const Error error = error_of(content);
  EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
  EXPECT_FALSE(error.hint().empty());
}

TEST(NsysSqlite, KernelsBelongToTheRangeThatTheyWereLaunchedIn) {
  const auto launches = read_nsys_sqlite(database(kRanges + kKernels + kCalls));
  ASSERT_THAT(launches, SizeIs(2));
  EXPECT_EQ(launches[0], (TracedLaunch{"a.first", {250e-9}}));
  EXPECT_EQ(launches[1].range, "a.second");
  EXPECT_THAT(launches[1].operations_s, ElementsAre(10e-9, 100e-9));
}

TEST(NsysSqlite, WithoutCallsTheTimeOnTheGpuDecidesWhichRange) {
  const auto launches = read_nsys_sqlite(database(kRanges + kKernels));
  ASSERT_THAT(launches, SizeIs(2));
  EXPECT_THAT(launches[0].operations_s, SizeIs(1));
  EXPECT_THAT(launches[1].operations_s, SizeIs(3));
}

TEST(NsysSqlite, WithoutKernelsTheRangesRemain) {
  const auto launches = read_nsys_sqlite(database(kRanges));
  ASSERT_THAT(launches, SizeIs(2));
  EXPECT_THAT(launches[0].operations_s, IsEmpty());
}

TEST(NsysSqlite, ReadsWhatNsysExported) {
  const auto launches =
      read_nsys_sqlite(read_file(ROOFLINECTL_SOURCE_FOLDER "/tests/data/nsys-2022.4.2-ranges.sqlite"));
  ASSERT_THAT(launches, SizeIs(2));
  EXPECT_EQ(launches[0].range, "ladder.reduce_v0_global.f32.n1048576.b256.cold");
  EXPECT_EQ(launches[1].range, "ladder.sum_atomic.f32.n1048576.b256.warm");
}

TEST(NsysSqlite, AnythingButAnExportIsRefused) {
  expect_refused("");
  expect_refused("no database");
  expect_refused(std::string("SQLite format 3") + std::string(2000, '\0'));
  expect_refused(database("CREATE TABLE x (a)"));
  expect_refused(database("CREATE TABLE NVTX_EVENTS (a)"));
  const std::string whole = database(kRanges + kKernels + kCalls);
  expect_refused(whole.substr(0, whole.size() / 2));
}

TEST(NsysSqlite, NothingOfTheSchemaIsExecuted) {
  // A view in place of the table, and one whose rows never end.
  expect_refused(database("CREATE VIEW NVTX_EVENTS AS SELECT 1 AS start, 2 AS end, 59 AS eventType"));
  expect_refused(
      database("CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) "
               "SELECT x AS start FROM c"));
}

TEST(NsysSqlite, WrongTypesAreLeftOut) {
  const auto launches = read_nsys_sqlite(database(kRanges + kKernels + kCalls + R"(
    INSERT INTO NVTX_EVENTS VALUES ('x', 'y', 59, 7, 'z', 'q', 1), (5000, 1, 59, NULL, NULL, 99, 1);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ('a', 'b', 'c', 'd', 'e'), (9000, 8000, 11, 16777216, 1);
  )"));
  ASSERT_THAT(launches, SizeIs(3));
  EXPECT_EQ(launches[2].range, "");
  EXPECT_THAT(launches[0].operations_s, SizeIs(1));
}

}  // namespace
}  // namespace rooflinectl::nsys_sqlite_test
