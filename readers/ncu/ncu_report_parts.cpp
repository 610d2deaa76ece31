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

/// The ranges of one domain that a thread had opened.
struct Stack {
  std::uint64_t domain = 0;
  std::vector<std::string> names;
};

Stack stack_in(Message message) {
  Stack stack;
  read_fields(message, into(field::NvtxStacks::id, stack.domain),
              part(field::NvtxStacks::stack, [&](Message range) {
                const bool has_name =
                    find_field(range, field::NvtxRange::name, protozero::pbf_wire_type::length_delimited);
                if (has_name && stack.names.size() < kMostParts) stack.names.push_back(range.get_string());
              }));
  return stack;
}

/// The ranges that one thread had opened, by domain.
struct OpenRanges {
  std::uint32_t thread = 0;
  std::vector<Stack> stacks;
};

OpenRanges ranges_in(Message message) {
  OpenRanges ranges;
  read_fields(message, into(field::NvtxThread::id, ranges.thread),
              part(field::NvtxThread::domains, [&](Message stack) {
                if (ranges.stacks.size() < kMostParts) ranges.stacks.push_back(stack_in(stack));
              }));
  return ranges;
}

std::pair<std::uint64_t, std::string> domain_in(Message message) {
  std::pair<std::uint64_t, std::string> domain;
  read_fields(message, into(field::NvtxDomain::id, domain.first),
              into(field::NvtxDomain::name, domain.second));
  return domain;
}

}  // namespace

std::optional<double> number_in(Message message) {
  using enum protozero::pbf_wire_type;
  using protozero::tag_and_type;
  std::optional<double> number;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(field::Value::f32, fixed32):
        number = static_cast<double>(message.get_float());
        break;
      case tag_and_type(field::Value::f64, fixed64):
        number = message.get_double();
        break;
      case tag_and_type(field::Value::u32, varint):
        number = message.get_uint32();
        break;
      case tag_and_type(field::Value::u64, varint):
        number = static_cast<double>(message.get_uint64());
        break;
      default:
        message.skip();
    }
  }
  return number;
}

NcuValue value_of(std::string_view metric, std::optional<double> reported) {
  constexpr double kMost = 1e24;  // more than a kernel counts of anything
  constexpr double kSecondsPerNanosecond = 1e-9;
  if (!reported) return {CounterValue::unavailable("ncu reports no number")};
  const double number = *reported;
  if (!(number >= 0) || number > kMost || (number > 0 && number < 1 / kMost)) {
    return {
        CounterValue::unavailable(fmt::format("ncu reports {:g}, which cannot be a counted value", number))};
  }
  const bool is_time = metric.find("__time_duration") != std::string_view::npos;
  return {CounterValue::measured(is_time ? number * kSecondsPerNanosecond : number)};
}

std::string extent_text(Message message) {
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

void set_ranges(NcuKernel& kernel, Message message, std::uint32_t thread) {
  std::map<std::uint64_t, std::string> domains;
  OpenRanges open;
  read_fields(message,
              part(field::Nvtx::domains,
                   [&](Message domain) {
                     if (domains.size() < kMostParts) domains.insert(domain_in(domain));
                   }),
              part(field::Nvtx::threads, [&](Message of_thread) {
                OpenRanges ranges = ranges_in(of_thread);
                if (ranges.thread == thread) open = std::move(ranges);
              }));
  for (const auto& [domain, names] : open.stacks) {
    kernel.path.insert(kernel.path.end(), names.begin(), names.end());
    const auto known = domains.find(domain);
    if (known != domains.end() && known->second == kOwnDomain && !names.empty()) kernel.range = names.back();
  }
}

}  // namespace rooflinectl::ncu
