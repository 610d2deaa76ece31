// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "reports/tables/tables.h"

namespace rooflinectl::axis_table_test {
namespace {

PointId sum(const std::string& variant, const Reduction& reduction) {
  return {"e", variant, axes_of(reduction)};
}

TEST(AxisTable, HasAColumnForEachAxisThatAPointHas) {
  EXPECT_EQ(axis_table({sum("tree", {.n_elements = 1 << 20}),
                        sum("best", {.n_elements = 1000, .block_size = 256, .elements_per_thread = 8})},
                       "  "),
            "  variant  dtype  n     block  elements  cache  mode\n"
            "  tree     f32    2^20                   cold   graph\n"
            "  best     f32    1000  256    8         cold   graph\n");
}

TEST(AxisTable, ShowsPointsThatAreNoSums) {
  PointId product = {"e", "gemm", {}};
  product.axes.set("layout", std::string("nt"));
  product.axes.set("m", std::uint64_t{4096});
  PointId tiled = product;
  tiled.axes.set(axis::kBlock, std::string("16x16"));
  EXPECT_EQ(axis_table({product, tiled}),
            "variant  block  layout  m\n"
            "gemm            nt      4096\n"
            "gemm     16x16  nt      4096\n");
}

TEST(AxisTable, IsEmptyWithoutPoints) {
  EXPECT_EQ(axis_table({}), "");
}

}  // namespace
}  // namespace rooflinectl::axis_table_test
