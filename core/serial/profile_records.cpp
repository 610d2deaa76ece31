// SPDX-License-Identifier: Apache-2.0
#include "core/serial/profile_records.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/serial/fields/profile_record_fields.h"

namespace rooflinectl {

namespace {

using serial::Json;
using serial::Reader;

/// What the lines so far have introduced.
class Introduced {
 public:
  /// Throws Error(usage) if the record names something that was not introduced, or introduces something out
  /// of order.
  void check(const ProfileRecord& record) {
    if (const auto* kernel = std::get_if<record::Kernel>(&record))
      introduce("kernel", kernel->kernel, kernels_);
    if (const auto* group = std::get_if<record::Group>(&record)) {
      require("kernel", group->kernel, kernels_);
      introduce("group", group->group, groups_);
    }
    if (const auto* traced = std::get_if<record::Launches>(&record)) {
      for (const record::Launch& launch : traced->launches) require("group", launch.group, groups_);
    }
    if (const auto* inside = std::get_if<record::GraphKernels>(&record)) {
      for (const record::GraphKernel& kernel : inside->kernels) {
        require("group", kernel.group, groups_);
        require("kernel", kernel.kernel, kernels_);
      }
    }
    if (const auto* counted = std::get_if<record::Counted>(&record))
      require("group", counted->group, groups_);
    if (const auto* untraced = std::get_if<record::Untraced>(&record))
      require("group", untraced->group, groups_);
    if (const auto* problem = std::get_if<record::Problem>(&record); problem != nullptr && problem->group) {
      require("group", *problem->group, groups_);
    }
  }

 private:
  static void introduce(const char* what, std::uint64_t id, std::uint64_t& count) {
    if (id != count) throw Error(ErrorKind::usage, fmt::format("{} {} comes after {}", what, id, count));
    ++count;
  }
  static void require(const char* what, std::uint64_t id, std::uint64_t count) {
    if (id >= count) throw Error(ErrorKind::usage, fmt::format("there is no {} {}", what, id));
  }

  std::uint64_t kernels_ = 0;
  std::uint64_t groups_ = 0;
};

}  // namespace

std::string encode(const ProfileRecord& record) {
  return serial::to_line(record);
}

ProfileRecords decode_profile(std::string_view text, std::string_view name) {
  ProfileRecords read;
  Introduced introduced;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      read.is_cut_off = true;
      break;
    }
    try {
      const Json line = serial::parse_object(text.substr(0, end), "record");
      read.records.push_back(serial::LineReader<ProfileRecord>::read(Reader(line, "record"), "record"));
      introduced.check(read.records.back());
    } catch (const Error& error) {
      throw Error(ErrorKind::environment,
                  fmt::format("line {} of {} cannot be read: {}", number, name, error.what()),
                  "rooflinectl and librooflinectl-injection.so must come from the same installation");
    }
    text.remove_prefix(end + 1);
  }
  return read;
}

}  // namespace rooflinectl
