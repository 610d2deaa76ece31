// SPDX-License-Identifier: Apache-2.0
#include "readers/torch/torch_trace_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <sstream>

#include "core/error.h"
#include "core/files/compression.h"
#include "core/files/files.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::torch_trace_file_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string document(std::string_view events) {
  return fmt::format(
      R"({{"schemaVersion": 1, "deviceProperties": [{{"id": 0, "name": "H200"}}], "traceEvents": [{}], "traceName": "t"}})",
      events);
}

TorchTrace trace_of(const std::string& text) {
  std::istringstream stream(text);
  return torch_trace_from_json(stream, "trace.json");
}

std::string failure_of(const std::string& text) {
  try {
    trace_of(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

constexpr std::string_view kKernel = R"json(
    {"ph": "X", "cat": "kernel", "name": "void add<float>(float*)", "pid": 0, "tid": 7, "ts": 30.5, "dur": 4.25,
     "args": {"External id": 3, "device": 0, "stream": 7, "correlation": 21, "registers per thread": 32,
              "shared memory": 1024, "warps per SM": 2.5, "grid": [4096, 2, 1], "block": [256, 1, 1]}})json";

TEST(TorchTraceFile, HasKernelsAndWhatLaunchedThem) {
  const TorchTrace trace = trace_of(document(fmt::format(
      R"({{"ph": "X", "cat": "python_function", "name": "nn.Module: Linear_0", "pid": 1, "tid": 1, "ts": 1, "dur": 40}},
         {{"ph": "X", "cat": "python_function", "name": "model.py(3): forward", "pid": 1, "tid": 1, "ts": 1, "dur": 40}},
         {{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 10, "dur": 20,
           "args": {{"External id": 3, "Sequence number": 9, "Fwd thread id": 0, "Input Dims": [[8, 8], []]}}}},
         {{"ph": "X", "cat": "cpu_op", "name": "AddBackward0", "pid": 1, "tid": 2, "ts": 50, "dur": 2,
           "args": {{"Sequence number": 9, "Fwd thread id": 1}}}},
         {{"ph": "X", "cat": "user_annotation", "name": "Optimizer.step#SGD.step", "pid": 1, "tid": 1, "ts": 60, "dur": 2}},
         {{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 12, "dur": 5,
           "args": {{"correlation": 21}}}},
         {{"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 2, "ts": 70, "dur": 5,
           "args": {{"correlation": 22}}}},
         {{"ph": "X", "cat": "gpu_memset", "name": "Memset", "pid": 0, "tid": 7, "ts": 1, "dur": 1}},
         {{"ph": "s", "cat": "ac2g", "name": "ac2g", "pid": 1, "tid": 1, "ts": 12, "id": 21}},
         {})",
      kKernel)));

  EXPECT_THAT(trace.names, ElementsAre("Linear_0", "aten::add", "AddBackward0", "Optimizer.step#SGD.step",
                                       "void add<float>(float*)"));
  EXPECT_THAT(
      trace.spans,
      ElementsAre(
          TorchSpan{.kind = TorchSpanKind::module, .name = 0, .start_us = 1, .end_us = 41},
          TorchSpan{.name = 1, .start_us = 10, .end_us = 30, .id = 3, .sequence = 9},
          TorchSpan{.name = 2, .thread = 1, .start_us = 50, .end_us = 52, .sequence = 9, .is_backward = true},
          TorchSpan{.kind = TorchSpanKind::annotation, .name = 3, .start_us = 60, .end_us = 62}));
  EXPECT_THAT(trace.calls,
              ElementsAre(TorchCall{.correlation = 21, .start_us = 12},
                          TorchCall{.correlation = 22, .thread = 1, .start_us = 70, .is_graph = true}));
  EXPECT_THAT(trace.kernels, ElementsAre(TorchKernel{.name = 4,
                                                     .start_us = 30.5,
                                                     .duration_us = 4.25,
                                                     .grid = TorchKernel::Extent{4096, 2, 1},
                                                     .block = TorchKernel::Extent{256, 1, 1},
                                                     .shared_bytes = 1024,
                                                     .device = 0,
                                                     .correlation = 21,
                                                     .id = 3}));
}

TEST(TorchTraceFile, OfOlderVersionsIsReadToo) {
  const TorchTrace trace = trace_of(document(
      R"({"ph": "X", "cat": "Operator", "name": "aten::add", "pid": "1", "tid": "1", "ts": 10, "dur": 20, "args": {"External id": "3"}},
         {"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 12, "args": {"correlation": "21", "external id": 3}},
         {"ph": "X", "cat": "Kernel", "name": "add", "pid": 0, "tid": "stream 7", "ts": 30, "dur": 4, "args": {"correlation": 21}},
         {"ph": "X", "cat": "kernel", "name": "sub", "pid": 0, "tid": 7, "ts": 40})"));
  EXPECT_EQ(trace.spans.at(0).id, 3);
  EXPECT_EQ(trace.calls.at(0).correlation, 21);
  EXPECT_EQ(trace.calls.at(0).thread, trace.spans.at(0).thread);
  EXPECT_EQ(trace.kernels.at(0).correlation, 21);
  EXPECT_EQ(trace.kernels.at(0).grid, std::nullopt);
  EXPECT_EQ(trace.kernels.at(1), (TorchKernel{.name = 2, .start_us = 40}));
}

TEST(TorchTraceFile, PassesOverWhatItDoesNotKnow) {
  const TorchTrace trace = trace_of(document(
      R"(null, 3, "text", [[1, {"ph": "X"}]], {}, {"ph": "X"}, {"cat": "kernel", "args": [1, {"grid": 2}]},
         {"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "ts2": {"ts": "x"}, "args": {"External id": -1, "grid": {"a": [1]}, "block": ["x"]}},
         {"ph": "X", "cat": "cuda_runtime", "name": "cudaMalloc", "ts": 1})"));
  EXPECT_THAT(trace.spans, ElementsAre(TorchSpan{.start_us = 1, .end_us = 1}));
  EXPECT_THAT(trace.kernels, IsEmpty());
  EXPECT_THAT(trace.calls, IsEmpty());
}

TEST(TorchTraceFile, NamesArePrintable) {
  const TorchTrace trace =
      trace_of(document(R"({"ph": "X", "cat": "cpu_op", "name": "a\u001b[31mb\nc", "ts": 1, "dur": 1})"));
  EXPECT_THAT(trace.names, ElementsAre("a?[31mb c"));
}

TEST(TorchTraceFile, ThatIsNoneIsNamedWithThePlace) {
  EXPECT_EQ(failure_of(""), "trace.json: not valid JSON at its beginning");
  EXPECT_EQ(failure_of("[1]"), "trace.json: not a trace of torch.profiler: it has no list of traceEvents");
  EXPECT_EQ(failure_of(R"({"traceEvents": {}})"),
            "trace.json: not a trace of torch.profiler: it has no list of traceEvents");
  EXPECT_THAT(failure_of(document(R"({"ph": "X", "cat": "kern)")),
              HasSubstr("trace.json: not valid JSON at byte "));
  EXPECT_EQ(failure_of(R"({"traceEvents": [{"ts": NaN}]})"),
            "trace.json: not valid JSON at byte 25: NaN is not JSON");
  EXPECT_EQ(failure_of("{\"traceEvents\": [{\"name\": \"\xff\"}]}"),
            "trace.json: not valid JSON at byte 28: byte 0xff is not UTF-8");
  EXPECT_EQ(failure_of(document(R"({"ph": "X", "cat": "kernel", "name": 3, "ts": 1})")),
            "trace.json: /traceEvents/0/name: expected a string");
  EXPECT_EQ(failure_of(document(R"({}, {"ph": "X", "cat": "kernel", "name": "a", "ts": "soon"})")),
            "trace.json: /traceEvents/1/ts: expected a number");
  EXPECT_EQ(failure_of(document(R"({"ph": "X", "cat": "kernel", "name": "a"})")),
            "trace.json: /traceEvents/0/ts: expected a number");
  EXPECT_EQ(failure_of(document(R"({"ph": "X", "cat": "kernel", "name": "a", "ts": 1, "dur": -1})")),
            "trace.json: /traceEvents/0/dur: expected a non-negative number");
  EXPECT_THAT(failure_of(document(R"({"ph": "X", "cat": "kernel", "name": "a", "ts": 1e999})")),
              HasSubstr("a number is too large"));
}

TEST(TorchTraceFile, TextsAndNestingHaveALimit) {
  const auto with = [](const std::string& value) {
    return document(fmt::format(R"({{"ph": "X", "cat": "other", "args": {}}})", value));
  };
  const std::size_t most = std::size_t{16} << 20;
  const std::string complaint = "trace.json: a string in it is longer than 16 MiB";
  // Quotes within a text do not end it; nor is a number endless.
  std::string quotes;
  for (std::size_t i = 0; i < most / 2 + 1; ++i) quotes += "\\\"";
  EXPECT_EQ(failure_of(with('"' + quotes + '"')), complaint);
  EXPECT_EQ(failure_of(with(std::string(most + 1, '1'))), complaint);

  EXPECT_EQ(failure_of(with(std::string(900, '[') + std::string(900, ']'))), "");
  EXPECT_EQ(failure_of(with(std::string(1000, '['))),
            "trace.json: lists and objects are nested deeper than 1000");
}

TEST(TorchTraceFile, LongNamesAreCutAsThoseOfKernelsInARun) {
  const std::string name(kMaxSubjectLength + 1, 'k');
  const TorchTrace trace =
      trace_of(document(fmt::format(R"({{"ph": "X", "cat": "kernel", "name": "{}", "ts": 1}})", name)));
  EXPECT_THAT(trace.names, ElementsAre(cut_name(name, kMaxSubjectLength)));
  EXPECT_EQ(trace.names[0].size(), kMaxSubjectLength);
}

TEST(TorchTraceFile, MayBePacked) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "trace.json.gz";
  write_file(file, gzipped(document(kKernel)));
  EXPECT_EQ(read_torch_trace(file).kernels.size(), 1);

  const std::string packed = gzipped(document(kKernel));
  write_file(file, packed.substr(0, packed.size() - 20));
  EXPECT_THROW(
      {
        try {
          read_torch_trace(file);
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::usage);
          EXPECT_EQ(error.what(), file.string() + ": ends before its compressed content does");
          throw;
        }
      },
      Error);
  EXPECT_THROW(read_torch_trace(folder.path() / "missing.json"), Error);
  EXPECT_THROW(read_torch_trace(folder.path()), Error);
}

}  // namespace
}  // namespace rooflinectl::torch_trace_file_test
