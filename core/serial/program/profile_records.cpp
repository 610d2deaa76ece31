// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <set>

#include "core/error.h"
#include "core/json/json.h"
#include "core/json/line.h"
#include "core/serial/field_reader.h"
#include "core/serial/field_writer.h"
#include "core/serial/fields/application_fields.h"
#include "core/serial/program/program_files.h"

namespace rooflinectl {

namespace serial {

void fields(auto& f, Is<record::Process> auto& process) {
  f("process", process.process);
  f("parent", process.parent);
  f.optional("rank", process.rank);
  f.optional("ranks", process.ranks);
  f.optional("host", process.host);
  f.optional("boot_id", process.boot_id);
  f("command_line", process.command_line);
  f("start_ns", process.start_ns);
}

void fields(auto& f, Is<record::Device> auto& device) {
  f("device", device.device);
  f("uuid", device.uuid);
  f("chip", device.chip);
  f.optional("cupti_version", device.cupti_version);
}

void fields(auto& f, Is<TensorInstruction> auto& instruction) {
  f("opcode", instruction.opcode);
  f("type", instruction.type);
  f("accumulator", instruction.accumulator);
  f("m", instruction.m);
  f("n", instruction.n);
  f("k", instruction.k);
  f("is_sparse", instruction.is_sparse);
  f.optional("scales", instruction.scales);
  f.optional("operations", instruction.operations);
}

void fields(auto& f, Is<record::Kernel> auto& kernel) {
  f("kernel", kernel.kernel);
  f("symbol", kernel.symbol);
  f.optional("graph_nodes", kernel.graph_nodes);
  f("registers_per_thread", kernel.registers_per_thread);
  f("static_shared_bytes", kernel.static_shared_bytes);
  f("local_bytes_per_thread", kernel.local_bytes_per_thread);
  f.optional("code", kernel.code);
  f.optional("tensor_instructions", kernel.tensor_instructions);
  f.optional("has_half_arithmetic", kernel.has_half_arithmetic);
}

void fields(auto& f, Is<record::Group> auto& group) {
  f("group", group.group);
  f("device", group.device);
  f("kernel", group.kernel);
  f("grid", group.grid);
  f("block", group.block);
  f.optional("cluster", group.cluster);
  f("dynamic_shared_bytes", group.dynamic_shared_bytes);
  f.optional("blocks_per_sm", group.blocks_per_sm);
  f.optional("first_launch", group.first_launch);
  f("path", group.path);
  f.optional("message_bytes", group.message_bytes);
}

void fields(auto& f, Is<record::Launches> auto& traced) {
  using record::Launch;
  f.rows("launches", traced.launches, &Launch::group, &Launch::stream, &Launch::start_ns,
         &Launch::duration_ns, &Launch::is_counted);
}

void fields(auto& f, Is<record::GraphKernels> auto& inside) {
  using record::GraphKernel;
  f.rows("kernels", inside.kernels, &GraphKernel::group, &GraphKernel::kernel, &GraphKernel::launches,
         &GraphKernel::duration_ns);
}

void fields(auto& f, Is<record::Transfers> auto& traced) {
  using record::Transfer;
  f.rows("transfers", traced.transfers, &Transfer::kind, &Transfer::device, &Transfer::bytes,
         &Transfer::start_ns, &Transfer::duration_ns);
}

void fields(auto& f, Is<record::Counted> auto& counted) {
  f("group", counted.group);
  f("pass", counted.pass);
  f("ordinal", counted.ordinal);
  f("counters", counted.counters);
}

void fields(auto& f, Is<record::Untraced> auto& untraced) {
  f("group", untraced.group);
  f("launches", untraced.launches);
}

void fields(auto& f, Is<record::Failed> auto& failed) {
  f("group", failed.group);
  f("launches", failed.launches);
  f("error", failed.error);
}

void fields(auto& f, Is<record::Held> auto& held) {
  using record::Range;
  f("device", held.device);
  f.rows("spans", held.spans, &Range::start_ns, &Range::duration_ns);
}

void fields(auto& f, Is<record::Ranges> auto& closed) {
  using record::Range;
  f("path", closed.path);
  f.rows("ranges", closed.ranges, &Range::start_ns, &Range::duration_ns);
}

void fields(auto& f, Is<record::PassBegun> auto& begun) {
  f("pass", begun.pass);
  f("is_traced", begun.is_traced);
  f("at_ns", begun.at_ns);
}

void fields(auto& f, Is<record::SamplingBegun> auto& begun) {
  f("device", begun.device);
  f("interval_ns", begun.interval_ns);
  f("at_ns", begun.at_ns);
  f("keys", begun.keys);
  f("metrics", begun.metrics);
  f("left_out", begun.left_out);
}

void fields(auto& f, Is<record::Samples> auto& taken) {
  using record::Sample;
  f("device", taken.device);
  f.rows("samples", taken.samples, &Sample::start_ns, &Sample::duration_ns, &Sample::values);
}

void fields(auto& f, Is<record::SampledKernel> auto& kernel) {
  f("device", kernel.device);
  f("symbol", kernel.symbol);
  f("sampled", kernel.sampled);
}

void fields(auto& f, Is<record::Power> auto& taken) {
  using record::PowerReading;
  f("device", taken.device);
  f.rows("readings", taken.readings, &PowerReading::at_ns, &PowerReading::watts);
}

void fields(auto& f, Is<record::Problem> auto& problem) {
  f.optional("group", problem.group);
  f("cause", problem.cause);
  f("hint", problem.hint);
}

void fields(auto& f, Is<record::End> auto& end) {
  f("at_ns", end.at_ns);
  f("lost_activities", end.lost_activities);
  f("lost_records", end.lost_records);
  f.optional("left_out_launches", end.left_out_launches);
}

}  // namespace serial

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

namespace serial {

void fields(auto& f, Is<ProfileSettings> auto& settings) {
  f("records", settings.records);
  f.optional("cupti", settings.cupti);
  f("samples", settings.samples, AtLeast{1});
  f.optional("kernel", settings.kernel);
  f.optional("nvtx", settings.nvtx);
  f("nvtx_scope", settings.nvtx_scope);
  f("capture", settings.capture);
  f.optional("capture_range", settings.capture_range);
  f.optional("skip", settings.skip);
  f.optional("limit", settings.limit);
  f.optional("whole_graphs", settings.whole_graphs);
  f("passes", settings.passes);
  f.optional("only", settings.only);
  f.optional("known_s", settings.known_s);
  f.optional("timeline_interval_ns", settings.timeline_interval_ns);
}

}  // namespace serial

std::string encode(const ProfileSettings& settings) {
  return serial::to_text(serial::to_json(settings));
}

ProfileSettings decode_settings(std::string_view value) {
  try {
    const serial::Json document = serial::parse_object(value, kProfileVariable);
    return serial::read<ProfileSettings>(serial::Reader(document, kProfileVariable));
  } catch (const Error& error) {
    throw Error(ErrorKind::environment, error.what(),
                "`rooflinectl profile` sets the variable; rooflinectl and librooflinectl-injection.so must "
                "come from the same installation");
  }
}

}  // namespace rooflinectl
