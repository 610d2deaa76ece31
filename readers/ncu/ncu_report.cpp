// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <istream>
#include <map>
#include <utility>

#include "core/error.h"
#include "readers/ncu/ncu_kernel.h"
#include "readers/ncu/ncu_report_parts.h"

namespace rooflinectl {

namespace {

using namespace ncu;

/// The fields of a result: those of a kernel, a range and a CUDA graph have different numbers.
struct ResultFields {
  std::string_view kind;  ///< what stands for the name where it is not a kernel
  protozero::pbf_tag_type thread = 1;
  protozero::pbf_tag_type symbol = 0;
  protozero::pbf_tag_type name = 0;
  protozero::pbf_tag_type grid = 0;
  protozero::pbf_tag_type block = 0;
  protozero::pbf_tag_type metrics = 0;
  protozero::pbf_tag_type nvtx = 0;
  protozero::pbf_tag_type clock_status = 0;
};
constexpr ResultFields kKernel = {.kind = "",
                                  .symbol = 5,
                                  .name = 7,
                                  .grid = 10,
                                  .block = 11,
                                  .metrics = 13,
                                  .nvtx = 21,
                                  .clock_status = 25};
constexpr ResultFields kRange = {.kind = "range", .metrics = 4, .nvtx = 10, .clock_status = 12};
constexpr ResultFields kGraph = {.kind = "CUDA graph", .metrics = 3, .nvtx = 10, .clock_status = 13};

/// More names of metrics and kernels than any report has: a damaged one must not take all memory.
constexpr std::size_t kMostNames = 1'000'000;
constexpr std::size_t kMostKernels = 100'000;
constexpr std::size_t kMostProblems = 20;

constexpr std::string_view kDeviceId = "launch__device_id";

/// What a block announces.
struct Block {
  std::uint32_t sources = 0;
  std::uint32_t kernels = 0;
  std::uint32_t ranges = 0;
  std::uint32_t command_lists = 0;
  std::uint32_t graphs = 0;
  std::uint32_t payload_bytes = 0;
};

/// A GPU, as the report describes it.
struct Device {
  std::string name;
  std::map<std::string, NcuValue, std::less<>> attributes;
};

/// Reads the blocks, in the order of `read`.
class ReportReader {
 public:
  ReportReader(std::istream& file, const MetricFilter& is_wanted) : file_(file), is_wanted_(is_wanted) {
    file_.seekg(0, std::ios::end);
    size_ = static_cast<std::uint64_t>(std::max<std::streamoff>(file_.tellg(), 0));
    file_.seekg(0);
  }

  NcuReport read() {
    std::string magic(kNcuReportMagic.size(), '\0');
    file_.read(magic.data(), static_cast<std::streamsize>(magic.size()));
    if (!file_ || magic != kNcuReportMagic) {
      throw Error(ErrorKind::usage, "this is not a Nsight Compute report");
    }
    at_ = magic.size();
    try {
      take_message("the header of the file", size_);
      while (at_ < size_) read_block();
    } catch (const Error& error) {
      report_.problems.emplace_back(error.what());
    }
    if (report_.kernels.empty() && !report_.problems.empty()) {
      throw Error(ErrorKind::usage, report_.problems.front(), "is it the whole file that ncu wrote?");
    }
    for (NcuKernel& kernel : report_.kernels) add_attributes(kernel);
    return std::move(report_);
  }

 private:
  [[noreturn]] static void fail(std::uint64_t at, const std::string& cause) {
    throw Error(ErrorKind::usage, fmt::format("at byte {}: {}", at, cause));
  }

  /// The length of the message at `at_`, which lies before `end`.
  std::uint64_t take_length(const char* what, std::uint64_t end) {
    std::array<unsigned char, 4> bytes{};
    if (end - at_ < bytes.size()) fail(at_, fmt::format("{} is cut off", what));
    file_.seekg(static_cast<std::streamoff>(at_));
    file_.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
    constexpr int kBits = 8;
    std::uint64_t length = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) length = length << kBits | bytes.at(i);
    if (!file_ || length > end - at_ - bytes.size()) {
      fail(at_,
           fmt::format("{} has {} bytes, of which {} are there", what, length, end - at_ - bytes.size()));
    }
    at_ += bytes.size();
    return length;
  }

  /// The message at `at_`, which then points behind it.
  const std::string& take_message(const char* what, std::uint64_t end) {
    const std::uint64_t length = take_length(what, end);
    if (length > kMostNcuMessageBytes) fail(at_, fmt::format("{} has {} bytes", what, length));
    message_.resize(length);
    file_.read(message_.data(), static_cast<std::streamsize>(length));
    if (!file_) fail(at_, fmt::format("{} cannot be read", what));
    at_ += length;
    return message_;
  }

  void read_block() {
    const std::uint64_t start = at_;
    Block block;
    try {
      block = read_header(take_message("the header of a block", size_));
    } catch (const protozero::exception&) {
      fail(start, "the header of a block is damaged");
    }
    if (block.payload_bytes > size_ - at_) {
      read_results(block, size_);
      fail(start,
           fmt::format("a block has {} bytes, of which {} are there", block.payload_bytes, size_ - at_));
    }
    const std::uint64_t end = at_ + block.payload_bytes;
    read_results(block, end);
    at_ = end;
  }

  void read_results(const Block& block, std::uint64_t end) {
    skip_messages(block.sources, "a source", end);
    read_results(kKernel, block.kernels, end);
    read_results(kRange, block.ranges, end);
    skip_messages(block.command_lists, "a command list", end);
    read_results(kGraph, block.graphs, end);
  }

  void skip_messages(std::uint32_t count, const char* what, std::uint64_t end) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t length = take_length(what, end);
      at_ += length;
    }
  }

  void read_results(const ResultFields& fields, std::uint32_t count, std::uint64_t end) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t start = at_;
      if (report_.kernels.size() >= kMostKernels)
        fail(at_, fmt::format("more than {} kernels", kMostKernels));
      bool is_whole = false;
      const std::string& message = take_message("a kernel", end);
      try {
        is_whole = read_result(fields, message);
      } catch (const protozero::exception&) {
        is_whole = false;
      }
      if (!is_whole) {
        if (report_.problems.size() >= kMostProblems) fail(start, "too many kernels are damaged");
        report_.problems.push_back(fmt::format("at byte {}: a kernel is damaged, and left out", start));
      }
    }
  }

  // -- headers --

  Block read_header(const std::string& encoded) {
    using enum field::BlockHeader;
    Block block;
    process_ = {};
    read_fields(Message(encoded), into(sources, block.sources), into(results, block.kernels),
                into(ranges, block.ranges), into(command_lists, block.command_lists),
                into(graphs, block.graphs), into(payload_bytes, block.payload_bytes),
                part(strings, [&](Message table) { read_strings(table); }),
                part(session, [&](Message within) { read_session(within); }),
                part(process, [&](Message within) { read_process(within); }));
    return block;
  }

  /// The names of metrics: results refer to them by their places, over all blocks so far.
  void read_strings(Message message) {
    while (find_field(message, field::StringTable::strings, protozero::pbf_wire_type::length_delimited)) {
      if (names_.size() >= kMostNames) fail(at_, fmt::format("more than {} names of metrics", kMostNames));
      names_.push_back(message.get_string());
      is_name_wanted_.push_back(is_wanted_(names_.back()) || names_.back() == kDeviceId);
    }
  }

  void read_process(Message message) {
    std::optional<std::uint32_t> id;
    read_fields(message, into(field::Process::id, id), into(field::Process::host, process_.host),
                into(field::Process::name, process_.program));
    if (id) process_.process = fmt::format("{}", *id);
  }

  void read_session(Message message) {
    using enum field::Session;
    read_fields(message, into(created, report_.recorded), into(command_line, report_.command_line),
                part(version, [&](Message within) { read_version(within); }),
                part(device_attributes, [&](Message within) { read_attributes(within); }));
  }

  void read_version(Message message) {
    std::string provider;
    std::string version;
    read_fields(message, into(field::Version::provider, provider), into(field::Version::version, version));
    if (provider.starts_with("Nsight Compute")) report_.version = version.substr(0, version.find(' '));
  }

  void read_attributes(Message message) {
    using enum field::DeviceAttributes;
    std::uint32_t number_of_device = 0;
    Device device;
    read_fields(message, into(id, number_of_device), into(name, device.name),
                part(attributes, [&](Message within) { read_attribute(device, within); }));
    if (devices_.size() < kMostParts) {
      devices_.insert_or_assign(fmt::format("{}", number_of_device), std::move(device));
    }
  }

  /// Attributes are named as metrics are, and kernels may have them too.
  void read_attribute(Device& device, Message message) {
    std::string name;
    read_fields(message, into(field::DeviceAttribute::name, name),
                part(field::DeviceAttribute::value, [&](Message within) {
                  if (!is_wanted_(name) || device.attributes.size() >= kMostParts) return;
                  const auto value = number_in(within);
                  if (value) device.attributes.insert_or_assign(name, value_of(name, value));
                }));
  }

  // -- results --

  /// Whether there is a kernel.
  bool read_result(const ResultFields& fields, const std::string& encoded) {
    NcuKernel kernel = process_;
    kernel.kernel = fields.kind;
    Message nvtx;
    std::uint32_t thread = 0;
    read_fields(Message(encoded), into(fields.thread, thread), into(fields.symbol, kernel.symbol),
                into(fields.name, kernel.kernel), part(fields.nvtx, [&](Message within) { nvtx = within; }),
                part(fields.metrics, [&](Message within) { read_metric(kernel, within); }),
                part(fields.grid, [&](Message within) { kernel.grid = extent_text(within); }),
                part(fields.block, [&](Message within) { kernel.block = extent_text(within); }),
                part(fields.clock_status, [&](Message within) {
                  if (report_.has_locked_clocks) return;
                  if (find_field(within, field::ClockStatus::locked, protozero::pbf_wire_type::varint)) {
                    report_.has_locked_clocks = within.get_bool();
                  }
                }));
    set_ranges(kernel, nvtx, thread);
    const bool has_name = !kernel.kernel.empty() || !kernel.symbol.empty();
    if (has_name) report_.kernels.push_back(std::move(kernel));
    return has_name;
  }

  void read_metric(NcuKernel& kernel, Message message) {
    std::optional<std::uint32_t> name;
    read_fields(message, into(field::Metric::name, name), part(field::Metric::value, [&](Message within) {
                  if (!name || *name >= names_.size() || !is_name_wanted_[*name]) return;
                  const auto value = number_in(within);
                  const std::string& metric = names_[*name];
                  if (metric == kDeviceId && value) kernel.device = fmt::format("{:.0f}", *value);
                  kernel.metrics.insert_or_assign(metric, value_of(metric, value));
                }));
  }

  /// What is known about the kernel's device, which is described after the kernels.
  void add_attributes(NcuKernel& kernel) const {
    const auto device = devices_.find(kernel.device.empty() ? "0" : kernel.device);
    if (device == devices_.end()) return;
    kernel.device_name = device->second.name;
    kernel.metrics.insert(device->second.attributes.begin(), device->second.attributes.end());
  }

  std::istream& file_;
  const MetricFilter& is_wanted_;
  std::uint64_t size_ = 0;
  std::uint64_t at_ = 0;
  std::string message_;
  NcuReport report_;
  NcuKernel process_;  // what the kernels of a block have in common
  std::vector<std::string> names_;
  std::vector<bool> is_name_wanted_;
  std::map<std::string, Device> devices_;  // by number
};

}  // namespace

NcuReport read_ncu_report(std::istream& file, const MetricFilter& is_wanted) {
  return ReportReader(file, is_wanted).read();
}

}  // namespace rooflinectl
