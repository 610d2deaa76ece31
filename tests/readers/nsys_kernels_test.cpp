// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "readers/nsys/nsys.h"
#include "tests/support/sqlite_database.h"

namespace rooflinectl::nsys_kernels_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Constructed after the documented schema. Threads 1 and 2 of process 1.
const std::string kKernels = R"(
  CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER,
    correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER, mangledName INTEGER,
    gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,
    dynamicSharedMemory INTEGER);
  INSERT INTO StringIds VALUES (1, 'first(float*)'), (2, '_Z5firstPf'), (3, 'second'), (4, 'forward');
  INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (2500, 2600, 0, 12, 16777216, 3, 3, NULL, 8, 2, 1, 32, 1, 1, 1024),
    (1100, 1350, 0, 11, 16777216, 1, 1, 2, 132, 1, 1, 256, 1, 1, 0);
)";
const std::string kRanges = R"(
  CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT,
                            globalTid INTEGER, textId INTEGER, domainId INTEGER);
  INSERT INTO NVTX_EVENTS VALUES (900, 9000, 59, 'step', 16777217, NULL, 0), (1000, 1050, 59, NULL, 16777217, 4, 2),
    (1000, 9000, 59, 'of another thread', 16777218, NULL, 0), (1000, 9000, 60, 'no range', 16777217, NULL, 0);
  CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER,
                                            correlationId INTEGER, nameId INTEGER NOT NULL);
  INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1010, 1020, 16777217, 11, 1), (2020, 2030, 16777217, 12, 1);
)";
const std::string kDevices = R"(
  CREATE TABLE TARGET_INFO_GPU (id INTEGER NOT NULL, name TEXT, smCount INTEGER, totalMemory INTEGER);
  INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H200', 132, 150109880320);
)";

TEST(NsysKernels, InTheOrderOfTheirStarts) {
  const NsysProgram program = read_nsys_kernels(database(kKernels));
  ASSERT_THAT(program.kernels, SizeIs(2));
  const NsysKernel& first = program.kernels[0];
  EXPECT_EQ(first.name, "_Z5firstPf");
  EXPECT_EQ(first.process, 1);
  EXPECT_DOUBLE_EQ(first.duration_s, 250e-9);
  EXPECT_EQ(first.grid, (NsysKernel::Extent{132, 1, 1}));
  EXPECT_EQ(first.block, (NsysKernel::Extent{256, 1, 1}));
  const NsysKernel& second = program.kernels[1];
  EXPECT_EQ(second.name, "second");
  EXPECT_EQ(second.grid, (NsysKernel::Extent{8, 2, 1}));
  EXPECT_EQ(second.dynamic_shared_bytes, 1024U);
  EXPECT_THAT(second.path, IsEmpty());
  EXPECT_THAT(program.devices, IsEmpty());
}

TEST(NsysKernels, WithTheRangesThatWereOpenWhenTheyWereLaunched) {
  const NsysProgram program = read_nsys_kernels(database(kKernels + kRanges));
  EXPECT_THAT(program.kernels[0].path, ElementsAre("step", "forward"));
  EXPECT_THAT(program.kernels[1].path, ElementsAre("step"));
}

TEST(NsysKernels, AndTheirDevices) {
  const NsysProgram program = read_nsys_kernels(database(kKernels + kDevices));
  EXPECT_EQ(program.devices.at(0), (NsysDevice{"NVIDIA H200", 132, 150109880320, 0}));
}

TEST(NsysKernels, AnExportOfAnOlderVersionLacksColumns) {
  const NsysProgram program = read_nsys_kernels(database(R"(
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, demangledName INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 1), (5, 4, 1))"));
  ASSERT_THAT(program.kernels, SizeIs(1));
  EXPECT_EQ(program.kernels[0].name, "");
  EXPECT_FALSE(program.kernels[0].grid.has_value());
}

TEST(NsysKernels, OtherDatabasesAreRefused) {
  for (const std::string& content :
       {database("CREATE TABLE a (b)"), std::string(kSqliteMagic), std::string()}) {
    try {
      read_nsys_kernels(content);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.hint(), HasSubstr("nsys "));
    }
  }
}

}  // namespace
}  // namespace rooflinectl::nsys_kernels_test
