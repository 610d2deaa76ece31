// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "readers/ncu/ncu_kernel.h"

/// The messages within the results of a report. Each function throws protozero::exception where one is
/// damaged.
namespace rooflinectl::ncu {

// How a report of Nsight Compute is encoded: protocol buffers.

// The numbers of the fields, by the names that Nsight Compute's published schema gives them
// (extras/FileFormat). A report is the magic, a message FileHeader, and blocks: a message BlockHeader and
// then as many sources and results as it announces. Each message is preceded by its length in four bytes.
namespace field {

enum class BlockHeader : protozero::pbf_tag_type {
  sources = 1,
  results = 2,
  session = 3,
  strings = 4,
  payload_bytes = 5,
  process = 6,
  ranges = 7,
  command_lists = 8,
  graphs = 9,
};
enum class StringTable : protozero::pbf_tag_type { strings = 1 };
enum class Process : protozero::pbf_tag_type { id = 1, host = 2, name = 3 };
enum class Session : protozero::pbf_tag_type {
  created = 2,
  device_attributes = 6,
  version = 8,
  command_line = 11,
};
enum class Version : protozero::pbf_tag_type { provider = 1, version = 2 };
enum class DeviceAttributes : protozero::pbf_tag_type { id = 1, name = 2, attributes = 3 };
enum class DeviceAttribute : protozero::pbf_tag_type { name = 1, value = 2 };
enum class Value : protozero::pbf_tag_type { text = 1, f32 = 2, f64 = 3, u32 = 4, u64 = 5 };
enum class Metric : protozero::pbf_tag_type { name = 1, value = 2 };
enum class Extent : protozero::pbf_tag_type { x = 1, y = 2, z = 3 };
enum class ClockStatus : protozero::pbf_tag_type { locked = 2 };
enum class Nvtx : protozero::pbf_tag_type { domains = 1, threads = 2 };
enum class NvtxDomain : protozero::pbf_tag_type { id = 1, name = 2 };
enum class NvtxThread : protozero::pbf_tag_type { id = 1, domains = 2 };
enum class NvtxStacks : protozero::pbf_tag_type { id = 1, stack = 3 };
enum class NvtxRange : protozero::pbf_tag_type { name = 1 };

}  // namespace field

using Message = protozero::pbf_reader;

// What is read of a message. A field that is encoded otherwise is passed over, as unknown ones are.

/// Stores a field in `target`: a number, an optional one, or a text.
template <typename Tag, typename Target>
auto into(Tag tag, Target& target) {
  return [tag, &target](Message& message) {
    using enum protozero::pbf_wire_type;
    constexpr bool kIsText = std::is_same_v<Target, std::string>;
    if (message.tag_and_type() != protozero::tag_and_type(tag, kIsText ? length_delimited : varint)) {
      return false;
    }
    if constexpr (kIsText) {
      target = message.get_string();
    } else if constexpr (std::is_same_v<Target, std::uint32_t> ||
                         std::is_same_v<Target, std::optional<std::uint32_t>>) {
      target = message.get_uint32();
    } else {
      target = message.get_uint64();
    }
    return true;
  };
}

/// Hands a message within the message to `use`.
template <typename Tag, typename Use>
auto part(Tag tag, Use use) {
  return [tag, use = std::move(use)](Message& message) {
    if (message.tag_and_type() != protozero::tag_and_type(tag, protozero::pbf_wire_type::length_delimited)) {
      return false;
    }
    use(message.get_message());
    return true;
  };
}

/// Goes to the next such field of a message; false if there is none.
template <typename Tag>
bool find_field(Message& message, Tag tag, protozero::pbf_wire_type type) {
  return message.next(static_cast<protozero::pbf_tag_type>(tag), type);
}

/// Reads a message, each field by the one of `readers` that is for it.
template <typename... Readers>
void read_fields(Message message, const Readers&... readers) {
  while (message.next()) {
    if (!(readers(message) || ...)) message.skip();
  }
}

/// More ranges or attributes than a kernel or device has: a damaged report must not take all memory.
inline constexpr std::size_t kMostParts = 10'000;

/// The value of a metric or an attribute; nothing where it is a text.
std::optional<double> number_in(Message message);

/// The value of a metric in our units.
NcuValue value_of(std::string_view metric, std::optional<double> reported);

/// `16x16`, as axes have it.
std::string extent_text(Message message);

/// Sets the ranges of a kernel: those that were open on `thread`, which launched it.
void set_ranges(NcuKernel& kernel, Message message, std::uint32_t thread);

}  // namespace rooflinectl::ncu
