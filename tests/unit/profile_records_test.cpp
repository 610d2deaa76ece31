// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <sstream>

#include "core/error.h"
#include "core/serial/program/program_files.h"

namespace rooflinectl::profile_records_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<ProfileRecord> one_of_each() {
  return {
      record::Process{
          .process = 17, .parent = 3, .rank = 1, .command_line = {"python3", "train.py"}, .start_ns = 12},
      record::Device{.device = 0, .uuid = "GPU-1", .chip = "GH100", .cupti_version = 130000},
      record::Kernel{
          .kernel = 0,
          .symbol = "_Z3addPf",
          .graph_nodes = 3,
          .registers_per_thread = 32,
          .static_shared_bytes = 1024,
          .local_bytes_per_thread = 8,
          .code = 0xcbf29ce484222325,
          .tensor_instructions = {{{.opcode = TensorOpcode::hgmma,
                                    .type = TensorElement::bf16,
                                    .accumulator = TensorElement::f32,
                                    .m = 64,
                                    .n = 256,
                                    .k = 16,
                                    .operations = 131'072},
                                   {.opcode = TensorOpcode::utcqmma, .type = TensorElement::f8f6f4}}}},
      record::Group{.group = 0,
                    .device = 0,
                    .kernel = 0,
                    .grid = {65536, 2, 1},
                    .block = {128, 1, 1},
                    .cluster = record::Extent{2, 1, 1},
                    .dynamic_shared_bytes = 227 << 10,
                    .blocks_per_sm = 16,
                    .first_launch = 7,
                    .path = "step/forward"},
      record::Launches{{{.group = 0, .stream = 7, .start_ns = 1'763'000'000'123'456'789, .duration_ns = 2145},
                        {.group = 0,
                         .stream = 13,
                         .start_ns = 1'763'000'000'123'460'000,
                         .duration_ns = 2111,
                         .is_counted = true}}},
      record::GraphKernels{{{.group = 0, .kernel = 0, .launches = 4, .duration_ns = 9000}}},
      record::Transfers{{{.kind = TransferKind::host_to_device,
                          .device = 0,
                          .bytes = 1 << 20,
                          .start_ns = 1'763'000'000'123'470'000,
                          .duration_ns = 40'000}}},
      record::Counted{.group = 0,
                      .pass = "memory",
                      .ordinal = 3,
                      .counters = {{"dram_read_bytes", CounterValue::measured(536'870'912)},
                                   {"ffma", CounterValue::measured(277'413'691'392)},
                                   {"l1_bytes", CounterValue::unavailable("TMA goes past it")}}},
      record::Untraced{.group = 0, .launches = 12},
      record::Failed{.group = 0, .launches = 4014, .error = "CUDA_ERROR_INVALID_VALUE"},
      record::Ranges{.path = "step/forward",
                     .ranges = {{.start_ns = 1'763'000'000'123'450'000, .duration_ns = 15'800'000}}},
      record::PassBegun{.pass = "operations", .is_traced = false, .at_ns = 99},
      record::Held{.device = 0, .spans = {{.start_ns = 1'763'000'000'123'460'000, .duration_ns = 1'400'000}}},
      record::SamplingBegun{.device = 0,
                            .interval_ns = 100'000,
                            .at_ns = 98,
                            .keys = {"dram_read_bytes", "sm_active"},
                            .metrics = {{"dram_read_bytes", "dram__bytes_read.sum"}},
                            .left_out = {{"nvlink_sent_bytes", "this device cannot sample it"}}},
      record::Samples{.device = 0,
                      .samples = {{.start_ns = 1'763'000'000'123'450'000,
                                   .duration_ns = 99'999,
                                   .values = {481'036'800, 0.9871235}}}},
      record::SampledKernel{.device = 0,
                            .symbol = "_Z3addPf",
                            .sampled = {.samples = 5000,
                                        .lines = {{.file = "attention.py",
                                                   .line = 45,
                                                   .text = {},
                                                   .samples = 3000,
                                                   .stall = "long_scoreboard",
                                                   .stalled = 2000}}}},
      record::Power{.device = 0, .readings = {{.at_ns = 1'763'000'000'123'450'000, .watts = 592.09}}},
      record::Problem{.group = 0, .cause = "not done in time", .hint = ""},
      record::End{.at_ns = 100, .lost_activities = 2, .lost_records = 1, .left_out_launches = 3},
  };
}

std::string text_of(const std::vector<ProfileRecord>& records) {
  std::string text;
  for (const ProfileRecord& record : records) text += encode(record) + "\n";
  return text;
}

/// What a process wrote.
struct ProfileRecords {
  std::vector<ProfileRecord> records;
  bool is_cut_off = false;

  bool operator==(const ProfileRecords&) const = default;
};

ProfileRecords read(const std::string& text) {
  std::istringstream file(text);
  ProfileRecords found;
  found.is_cut_off =
      visit_profile(file, "1.jsonl", [&](const ProfileRecord& record) { found.records.push_back(record); });
  return found;
}

std::string failure_of(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    return error.what();
  }
  return "it was read";
}

TEST(ProfileRecords, AreReadAsTheyWereWritten) {
  EXPECT_EQ(one_of_each().size(), std::variant_size_v<ProfileRecord>);
  EXPECT_EQ(read(text_of(one_of_each())), (ProfileRecords{one_of_each(), false}));
}

TEST(ProfileRecords, LeaveOutWhatThereIsNot) {
  const std::vector<ProfileRecord> records = {record::Process{}, record::Device{}, record::Kernel{},
                                              record::Group{}, record::Problem{}};
  EXPECT_EQ(read(text_of(records)).records, records);
}

TEST(ProfileRecords, ALaunchTakesFewBytes) {
  const std::string line = encode(one_of_each()[4]);
  EXPECT_THAT(line, HasSubstr("[0,7,1763000000123456789,2145,false]"));
}

TEST(ProfileRecords, OfAProcessThatCrashedAreReadUpToItsLastLine) {
  const std::string text = text_of(one_of_each());
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_EQ(read(text.substr(0, length)).is_cut_off, length > 0 && text[length - 1] != '\n') << length;
  }
}

TEST(ProfileRecords, NameTheLineThatIsNone) {
  EXPECT_THAT(failure_of("\n"), StartsWith("line 1 of 1.jsonl cannot be read: "));
  EXPECT_THAT(failure_of(encode(record::End{}) + "\n{\"type\": \"other\"}\n"),
              HasSubstr("line 2 of 1.jsonl"));
  EXPECT_THAT(failure_of("{\"type\": \"other\"}\n"), HasSubstr("unknown record 'other'"));
}

TEST(ProfileRecords, NameOnlyWhatWasIntroduced) {
  const auto records = one_of_each();
  EXPECT_THAT(failure_of(encode(records[3]) + "\n"), HasSubstr("there is no kernel 0"));
  EXPECT_THAT(failure_of(encode(records[4]) + "\n"), HasSubstr("there is no group 0"));
  EXPECT_THAT(failure_of(encode(record::Kernel{.kernel = 4, .symbol = ""}) + "\n"),
              HasSubstr("kernel 4 comes after 0"));
  EXPECT_THAT(failure_of("{\"type\": \"launches\", \"launches\": [[0, 1, 2]]}\n"),
              HasSubstr("not 5 entries"));
  EXPECT_THAT(
      failure_of("{\"type\": \"group\", \"group\": 0, \"device\": 0, \"kernel\": 0, \"grid\": [1, 2]}\n"),
      HasSubstr("not 3 entries"));
}

TEST(ProfileRecords, SamplesAreOfADeviceThatIsSampled) {
  EXPECT_THAT(failure_of(encode(record::Samples{.device = 3, .samples = {}}) + "\n"),
              HasSubstr("device 3 is not sampled yet"));
  const std::string begun = encode(record::SamplingBegun{.device = 3, .keys = {"sm_active"}}) + "\n";
  const record::Samples two{.device = 3, .samples = {{.values = {1, 2}}}};
  EXPECT_THAT(failure_of(begun + encode(two) + "\n"), HasSubstr("a sample of device 3 has 2 values, not 1"));
  EXPECT_THAT(failure_of(encode(record::SamplingBegun{.keys = {"warps", "warps"}}) + "\n"),
              HasSubstr("a value is sampled twice"));
}

}  // namespace
}  // namespace rooflinectl::profile_records_test
