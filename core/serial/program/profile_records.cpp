// SPDX-License-Identifier: Apache-2.0
#include "core/serial/program/profile_records.h"

#include <fmt/format.h>

#include <map>
#include <set>

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
    if (const auto* failed = std::get_if<record::Failed>(&record)) require("group", failed->group, groups_);
    if (const auto* begun = std::get_if<record::SamplingBegun>(&record)) {
      require_different(begun->keys);
      sampled_[begun->device] = begun->keys.size();
    }
    if (const auto* taken = std::get_if<record::Samples>(&record)) require_values(*taken);
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

  static void require_different(const std::vector<std::string>& keys) {
    if (std::set(keys.begin(), keys.end()).size() == keys.size()) return;
    throw Error(ErrorKind::usage, "a value is sampled twice");
  }

  void require_values(const record::Samples& taken) const {
    const auto known = sampled_.find(taken.device);
    if (known == sampled_.end()) {
      throw Error(ErrorKind::usage, fmt::format("device {} is not sampled yet", taken.device));
    }
    const std::size_t count = known->second;
    for (const record::Sample& sample : taken.samples) {
      if (sample.values.size() == count) continue;
      throw Error(ErrorKind::usage, fmt::format("a sample of device {} has {} values, not {}", taken.device,
                                                sample.values.size(), count));
    }
  }

  std::uint64_t kernels_ = 0;
  std::uint64_t groups_ = 0;
  std::map<int, std::size_t> sampled_;  // how many values a sample of a device has
};

}  // namespace

std::string encode(const ProfileRecord& record) {
  return serial::to_line(record);
}

ProfileRecord decode_record(std::string_view line) {
  const Json record = serial::parse_object(line, "record");
  return serial::LineReader<ProfileRecord>::read(Reader(record, "record"), "record");
}

bool visit_profile(std::istream& file, std::string_view name,
                   const std::function<void(const ProfileRecord&)>& visit) {
  Introduced introduced;
  std::string text;
  for (std::size_t number = 1; std::getline(file, text); ++number) {
    if (file.eof()) return true;
    const ProfileRecord record = [&] {
      try {
        ProfileRecord read = decode_record(text);
        introduced.check(read);
        return read;
      } catch (const Error& error) {
        throw Error(ErrorKind::environment,
                    fmt::format("line {} of {} cannot be read: {}", number, name, error.what()),
                    "rooflinectl and librooflinectl-injection.so must come from the same installation");
      }
    }();
    visit(record);
  }
  return false;
}

}  // namespace rooflinectl
