// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <istream>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <type_traits>
#include <utility>

#include "core/error.h"
#include "readers/ncu/ncu_kernel.h"

namespace rooflinectl {

namespace {

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
constexpr std::size_t kMostParts = 10'000;

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

/// The value of a metric or an attribute; nothing where it is a text.
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

/// The value of a metric in our units.
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

/// `16x16`, as axes have it.
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

/// Sets the ranges of a kernel: those that were open on `thread`, which launched it.
void set_ranges(NcuKernel& kernel, Message message, std::uint32_t thread) {
  std::map<std::uint64_t, std::string> domains;
  std::vector<Stack> open;
  const auto add_domain = [&](Message domain) {
    std::uint64_t id = 0;
    std::string name;
    read_fields(domain, into(field::NvtxDomain::id, id), into(field::NvtxDomain::name, name));
    if (domains.size() < kMostParts) domains.emplace(id, std::move(name));
  };
  const auto take_stacks = [&](Message of_thread) {
    std::uint32_t id = 0;
    std::vector<Stack> stacks;
    read_fields(of_thread, into(field::NvtxThread::id, id),
                part(field::NvtxThread::domains, [&](Message stack) {
                  if (stacks.size() < kMostParts) stacks.push_back(stack_in(stack));
                }));
    if (id == thread) open = std::move(stacks);
  };
  read_fields(message, part(field::Nvtx::domains, add_domain), part(field::Nvtx::threads, take_stacks));
  for (const auto& [domain, names] : open) {
    kernel.path.insert(kernel.path.end(), names.begin(), names.end());
    const auto known = domains.find(domain);
    if (known != domains.end() && known->second == kOwnDomain && !names.empty()) kernel.range = names.back();
  }
}

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
