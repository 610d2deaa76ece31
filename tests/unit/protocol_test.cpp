// SPDX-License-Identifier: Apache-2.0
#include "core/serial/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/full_run.h"

namespace rooflinectl::protocol_test {
namespace {

using ::testing::HasSubstr;

std::vector<Message> every_message() {
  const Run run = constructed::full_run();
  message::Progress at_point;
  at_point.phase = message::Phase::verify;
  at_point.point = 3;
  at_point.what = "ladder.reduce_v3_sequential.f32.n1024.b256.cold";
  message::Progress at_ceiling;
  at_ceiling.phase = message::Phase::ceilings;
  at_ceiling.what = "dram_read";
  return {message::Hello{run.device(), run.catalogue, run.counter_session},
          at_point,
          at_ceiling,
          message::Progress{message::Phase::time, 0, ""},
          message::Progress{message::Phase::count, 1, ""},
          message::Progress{message::Phase::self_test, std::nullopt, "the counters"},
          message::SelfTested{*run.self_test},
          message::CeilingMeasured{run.ceilings[1]},
          message::CeilingsKnown{1},
          message::Progress{message::Phase::meet, std::nullopt, ""},
          message::Progress{message::Phase::primitives, std::nullopt, "shuffle_down_i32"},
          message::PrimitiveMeasured{run.primitives[0]},
          message::PrimitiveMeasured{run.primitives[1]},
          message::PointTimed{7, run.measurements[0]},
          message::PointTimed{8, run.measurements[1]},
          message::PointCounted{9, {run.measurements[0].counters, 3, {{"integer_ops", 0.064}}}},
          message::Failure{ErrorKind::environment, "no GPU\nin this machine", "give it one"},
          message::Bye{run.counter_session}};
}

CollectRequest some_request() {
  CollectRequest request;
  request.plan = constructed::full_run().plan;
  request.compiled_kernels = constructed::full_run().compiled_kernels;
  request.mode = CollectMode::once;
  request.counters = false;
  request.device = "GPU-00000000-0000-0000-0000-000000000001";
  request.skip_points = {0, 4};
  request.count_only_points = {2};
  request.skip_ceilings = true;
  request.self_test = true;
  request.known_ceilings = {{"GPU-1", "580.1", 1.98e9, 1.9e9, {"dram_read", "f32_add"}, {"f32_add"}}};
  request.rank_place = {.rank = 1, .ranks = 2, .address = "node1:7000", .obstacle = "no NCCL"};
  return request;
}

/// The message that decoding `line` fails with.
std::string failure_of(std::string_view line) {
  try {
    decode(line);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_FALSE(error.hint().empty());
    return error.what();
  }
  return {};
}

TEST(Protocol, EveryMessageIsOneLineAndIsReadAsItWasWritten) {
  for (const Message& message : every_message()) {
    const std::string line = encode(message);
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    EXPECT_EQ(decode(line), message) << line;
  }
}

TEST(Protocol, RefusesEveryTruncatedLine) {
  for (const Message& message : every_message()) {
    const std::string line = encode(message);
    for (std::size_t length = 0; length < line.size(); ++length) {
      ASSERT_NE(failure_of(line.substr(0, length)), "") << line.substr(0, length);
    }
  }
}

TEST(Protocol, RefusesRubbish) {
  EXPECT_THAT(failure_of("Segmentation fault"), HasSubstr("not valid JSON"));
  EXPECT_THAT(failure_of("\xff\xfe"), HasSubstr("not valid JSON"));
  EXPECT_THAT(failure_of("42"), HasSubstr("expected a JSON object"));
  EXPECT_THAT(failure_of("{}"), HasSubstr("collector: the field 'type' is missing"));
  EXPECT_THAT(failure_of(R"({"type": "greeting"})"), HasSubstr("/type: unknown message 'greeting'"));
  EXPECT_THAT(failure_of(R"({"type": "progress", "phase": "rest", "what": ""})"),
              HasSubstr("/phase: unknown value 'rest'"));
  EXPECT_THAT(failure_of(R"({"type": "counters", "point": -1, "counters": {}})"), HasSubstr("/point"));
  EXPECT_THAT(failure_of(R"({"type": "counters", "point": 0, "counters": {"fadd": "many"}})"),
              HasSubstr("/counters/fadd"));
  EXPECT_THAT(failure_of(R"({"type": "failure", "kind": 9, "cause": "", "hint": ""})"),
              HasSubstr("/kind: unknown kind"));
}

TEST(Protocol, ANumberThatIsNotANumberDoesNotPassForAMeasuredOne) {
  const Message message = message::PointCounted{
      0, {.counters = {{"fadd", CounterValue::measured(std::numeric_limits<double>::quiet_NaN())}}}};
  EXPECT_THAT(failure_of(encode(message)), HasSubstr("/counters/fadd"));
}

TEST(Protocol, ARequestIsReadAsItWasWritten) {
  EXPECT_EQ(decode_request(encode(some_request())), some_request());
  EXPECT_EQ(decode_request(encode(CollectRequest{})), CollectRequest{});
}

TEST(Protocol, ADamagedRequestIsAUsageError) {
  const std::string text = encode(some_request());
  for (std::size_t length = 0; length < text.size(); ++length) {
    try {
      decode_request(text.substr(0, length));
      ADD_FAILURE() << "read although cut off after " << length << " bytes";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
  }
}

TEST(Protocol, ARequestWithAnUnknownModeIsRefused) {
  std::string text = encode(some_request());
  text.replace(text.find("\"once\""), 6, "\"twice\"");
  try {
    decode_request(text);
    ADD_FAILURE() << "read";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "plan: /mode: unknown value 'twice'");
  }
}

TEST(Protocol, ARequestForMoreThanAnyMemoryHoldsIsRefused) {
  CollectRequest request = some_request();
  request.plan.experiments.front().points.front().axes.set(axis::kSize, 1'000'000'000'000'000'000);
  EXPECT_THROW(decode_request(encode(request)), Error);
}

TEST(Protocol, ACatalogueIsReadAsItWasWritten) {
  const Catalogue catalogue = constructed::full_run().catalogue;
  EXPECT_EQ(decode_catalogue(encode(catalogue)), catalogue);
}

TEST(Protocol, ATestedDeviceIsReadAsItWasWrittenWithItsVerdicts) {
  TestedDevice tested{constructed::full_run().device(), *constructed::full_run().self_test};
  const std::string passed = encode(tested);
  EXPECT_EQ(decode_tested_device(passed), tested);
  EXPECT_THAT(passed, HasSubstr(R"("passed":true)"));
  EXPECT_THAT(passed, HasSubstr(R"("verdict":"agrees")"));
  tested.self_test.agreements[0].ours = CounterValue::measured(1025);
  EXPECT_THAT(encode(tested), HasSubstr(R"("passed":false)"));
  EXPECT_THAT(encode(tested), HasSubstr(R"("verdict":"differs")"));
}

}  // namespace
}  // namespace rooflinectl::protocol_test
