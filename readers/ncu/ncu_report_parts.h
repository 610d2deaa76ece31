// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "readers/ncu/ncu_kernel.h"
#include "readers/ncu/ncu_report_fields.h"

/// The messages within the results of a report. Each function throws protozero::exception where one is
/// damaged.
namespace rooflinectl::ncu {

/// More ranges or attributes than a kernel or device has: a damaged report must not take all memory.
inline constexpr std::size_t kMostParts = 10'000;

/// A value of a metric or an attribute: a number, or a text.
struct Value {
  std::optional<double> number;
  std::string text;
};

Value value_in(Message<field::Value> message);

/// The value of a metric in our units.
NcuValue value_of(std::string_view metric, const Value& value);

/// `16x16`, as axes have it.
std::string extent_text(Message<field::Extent> message);

/// Sets the ranges of a kernel: those that were open on `thread`, which launched it.
void set_ranges(NcuKernel& kernel, Message<field::Nvtx> message, std::uint64_t thread);

}  // namespace rooflinectl::ncu
