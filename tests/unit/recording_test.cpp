// SPDX-License-Identifier: Apache-2.0
//
// The shipped recording against what is known about the kernels: the additions that each version executes per
// element and the bytes that it has to read.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "analysis/analysis.h"
#include "core/model/run.h"
#include "core/serial/run_file.h"

namespace rooflinectl::recording_test {
namespace {

Run recording() {
  const auto path =
      std::filesystem::path(ROOFLINECTL_SOURCE_FOLDER) / "recordings" / "reductions-h200" / "run.json.gz";
  return read_run(path);
}

/// f32 additions per element at block size 256, for a number of elements that every block size divides. Where
/// the compiler leaves an addition to the lane that needs it (the last shuffle step), that is counted in.
double fadd_per_element(const PointId& point) {
  static const std::map<std::string, double> fixed = {
      {"reduce_v0_global", 255.0 / 256},
      {"reduce_v1_shared", 255.0 / 256},
      {"reduce_v2_strided", 255.0 / 256},
      {"reduce_v3_sequential", 255.0 / 256},
      {"reduce_v4_add_on_load", 511.0 / 512},
      {"reduce_v5_unroll_last_warp", 640.0 / 512},
      {"reduce_v6_unroll_complete", 640.0 / 512},
      {"reduce_v6_unroll_complete_manual", 640.0 / 512},
      {"reduce_v7_multi_add", 33152.0 / 32768},
      {"reduce_v8_warp_shuffle", 33121.0 / 32768},
      {"sum_atomic", 0.0},
  };
  const double e = static_cast<double>(point.axes.number(axis::kElements).value_or(1));
  if (point.subject == "sum_warp_shuffle") return (e + 4 + 1.0 / 32) / e;
  // A tree over 256 threads: seven whole steps and the last by one thread.
  if (point.subject == "sum_smem_tree") return (e + 255.0 / 256) / e;
  // Five shuffle steps by all lanes, then five by those of the first warp.
  if (point.subject == "sum_block_shuffle") return (e + 5 + 5 * 32 / 256.0) / e;
  return fixed.at(point.subject);
}

TEST(Recording, CountsTheAdditionsOfTheSource) {
  for (const Measurement& measurement : recording().measurements) {
    const double expected = fadd_per_element(measurement.point);
    const auto counted = value_of(measurement.counters, counter::kFadd);
    ASSERT_TRUE(counted) << range_name(measurement.point);
    EXPECT_NEAR(*counted / static_cast<double>(*size_of(measurement.point)), expected, 0.001 * expected)
        << range_name(measurement.point);
  }
}

TEST(Recording, ReadsEachElementOnceFromColdDram) {
  for (const Measurement& measurement : recording().measurements) {
    const auto counted = value_of(measurement.counters, counter::kDramReadBytes);
    ASSERT_TRUE(counted) << range_name(measurement.point);
    const double tolerance =
        0.02 * measurement.work.read_bytes + kBackgroundDramBytesPerS * measurement.time->median_s;
    EXPECT_NEAR(*counted, measurement.work.read_bytes, tolerance) << range_name(measurement.point);
  }
}

TEST(Recording, IsWholeAndBelowItsRoofs) {
  const auto run = recording();
  EXPECT_EQ(run.source, RunSource::measured);
  EXPECT_EQ(run.measurements.size(), all_points(run.plan).size());
  const Analysis analysis = analyse(run);
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    for (const RooflinePoint& point : experiment.points) {
      ASSERT_TRUE(point.fraction_of_roofline) << point.label;
      EXPECT_LT(*point.fraction_of_roofline, 1) << point.label;
      EXPECT_EQ(point.measurement->status, Status::ok) << point.label;
    }
  }
}

}  // namespace
}  // namespace rooflinectl::recording_test
