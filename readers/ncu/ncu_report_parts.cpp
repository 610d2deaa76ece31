// SPDX-License-Identifier: Apache-2.0
#include "readers/ncu/ncu_report_parts.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <utility>
#include <vector>

namespace rooflinectl::ncu {

namespace {

constexpr std::string_view kOwnDomain = "rooflinectl";

std::vector<std::string> stack_in(Message<field::NvtxStacks> message, std::uint64_t& domain) {
  std::vector<std::string> names;
  while (message.next()) {
    if (message.tag_and_type() == number(field::NvtxStacks::id)) {
      domain = message.get_uint64();
    } else if (message.tag_and_type() == bytes(field::NvtxStacks::stack) && names.size() < kMostParts) {
      Message<field::NvtxRange> range(message.get_message());
      if (range.next(field::NvtxRange::name, protozero::pbf_wire_type::length_delimited))
        names.push_back(range.get_string());
    } else {
      message.skip();
    }
  }
  return names;
}

/// The ranges that one thread had opened, by domain.
struct OpenRanges {
  std::uint64_t thread = 0;
  std::vector<std::pair<std::uint64_t, std::vector<std::string>>> stacks;
};

OpenRanges ranges_in(Message<field::NvtxThread> message) {
  OpenRanges ranges;
  while (message.next()) {
    if (message.tag_and_type() == number(field::NvtxThread::id)) {
      ranges.thread = message.get_uint32();
    } else if (message.tag_and_type() == bytes(field::NvtxThread::domains) &&
               ranges.stacks.size() < kMostParts) {
      std::uint64_t domain = 0;
      std::vector<std::string> names = stack_in(Message<field::NvtxStacks>(message.get_message()), domain);
      ranges.stacks.emplace_back(domain, std::move(names));
    } else {
      message.skip();
    }
  }
  return ranges;
}

std::pair<std::uint64_t, std::string> domain_in(Message<field::NvtxDomain> message) {
  std::pair<std::uint64_t, std::string> domain;
  while (message.next()) {
    if (message.tag_and_type() == number(field::NvtxDomain::id)) {
      domain.first = message.get_uint64();
    } else if (message.tag_and_type() == bytes(field::NvtxDomain::name)) {
      domain.second = message.get_string();
    } else {
      message.skip();
    }
  }
  return domain;
}

}  // namespace

Value value_in(Message<field::Value> message) {
  Value value;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case bytes(field::Value::text):
        value.text = message.get_string();
        break;
      case float32(field::Value::f32):
        value.number = static_cast<double>(message.get_float());
        break;
      case float64(field::Value::f64):
        value.number = message.get_double();
        break;
      case number(field::Value::u32):
        value.number = message.get_uint32();
        break;
      case number(field::Value::u64):
        value.number = static_cast<double>(message.get_uint64());
        break;
      default:
        message.skip();
    }
  }
  return value;
}

NcuValue value_of(std::string_view metric, const Value& value) {
  constexpr double kMost = 1e24;  // more than a kernel counts of anything
  constexpr double kSecondsPerNanosecond = 1e-9;
  if (!value.number) return {CounterValue::unavailable("ncu reports no number")};
  const double number = *value.number;
  if (!(number >= 0) || number > kMost || (number > 0 && number < 1 / kMost)) {
    return {
        CounterValue::unavailable(fmt::format("ncu reports {:g}, which cannot be a counted value", number))};
  }
  const bool is_time = metric.find("__time_duration") != std::string_view::npos;
  return {CounterValue::measured(is_time ? number * kSecondsPerNanosecond : number)};
}

std::string extent_text(Message<field::Extent> message) {
  std::array<std::uint64_t, 3> extent = {1, 1, 1};
  while (message.next()) {
    const auto axis = static_cast<std::size_t>(message.tag()) - 1;
    if (axis < extent.size() && message.wire_type() == protozero::pbf_wire_type::varint) {
      extent.at(axis) = message.get_uint64();
    } else {
      message.skip();
    }
  }
  if (extent[2] != 1) return fmt::format("{}x{}x{}", extent[0], extent[1], extent[2]);
  if (extent[1] != 1) return fmt::format("{}x{}", extent[0], extent[1]);
  return fmt::format("{}", extent[0]);
}

void set_ranges(NcuKernel& kernel, Message<field::Nvtx> message, std::uint64_t thread) {
  std::map<std::uint64_t, std::string> domains;
  OpenRanges open;
  while (message.next()) {
    if (message.tag_and_type() == bytes(field::Nvtx::domains) && domains.size() < kMostParts) {
      domains.insert(domain_in(Message<field::NvtxDomain>(message.get_message())));
    } else if (message.tag_and_type() == bytes(field::Nvtx::threads)) {
      OpenRanges ranges = ranges_in(Message<field::NvtxThread>(message.get_message()));
      if (ranges.thread == thread) open = std::move(ranges);
    } else {
      message.skip();
    }
  }
  for (const auto& [domain, names] : open.stacks) {
    kernel.path.insert(kernel.path.end(), names.begin(), names.end());
    const auto known = domains.find(domain);
    if (known != domains.end() && known->second == kOwnDomain && !names.empty()) kernel.range = names.back();
  }
}

}  // namespace rooflinectl::ncu
