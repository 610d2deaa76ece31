// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/json/json.h"
#include "core/model/run.h"
#include "tests/support/full_run.h"

namespace rooflinectl::run_json_test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;
using Pointer = Json::json_pointer;

/// The message that reading `text` fails with, or an empty one if it is read.
std::string failure_of(const std::string& text) {
  try {
    run_from_json(text, "run.json");
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
}

Json full_document() {
  return Json::parse(run_to_json(constructed::full_run()));
}

/// Calls `visit` with the pointer to each value below `document` whose field was not visited yet.
void visit_fields(const Json& document, const std::function<void(const Pointer&, const Json&)>& visit,
                  const Pointer& place, const std::string& field, std::set<std::string>& visited) {
  for (const auto& [key, value] : document.items()) {
    const Pointer child = document.is_array() ? place / std::stoul(key) : place / key;
    const std::string of_all_elements = field + (document.is_array() ? "/*" : "/" + key);
    if (visited.insert(of_all_elements).second) visit(child, value);
    if (value.is_structured()) visit_fields(value, visit, child, of_all_elements, visited);
  }
}

/// Each field once: of the elements of a list, the first that has it.
void visit_fields(const Json& document, const std::function<void(const Pointer&, const Json&)>& visit) {
  std::set<std::string> visited;
  visit_fields(document, visit, Pointer(), "", visited);
}

TEST(RunJson, IsReadAsItWasWritten) {
  const auto run = constructed::full_run();
  const std::string text = run_to_json(run);
  const auto read = run_from_json(text, "run.json");
  EXPECT_EQ(read, run);
  EXPECT_EQ(run_to_json(read), text);
}

TEST(RunJson, KeepsWhyThereAreNoCounters) {
  auto run = constructed::full_run();
  run.counter_session = {};
  run.counter_session.reason = "counters are reserved for administrators";
  run.counter_session.hint = "set NVreg_RestrictProfilingToAdminUsers=0";
  EXPECT_EQ(run_from_json(run_to_json(run), "run.json"), run);
}

TEST(RunJson, WritesWhatWasMeasuredWithSevenDigits) {
  auto run = constructed::full_run();
  run.measurements[0].time->samples_s = {0.1, 1.0 / 3, 1.23456789e-6, 1e-30, 1234567.89};
  run.measurements[0].counters = {{"occupancy", CounterValue::measured(0.123456789)}};
  const auto read = run_from_json(run_to_json(run), "run.json");
  EXPECT_EQ(read.measurements[0].time->samples_s,
            (std::vector{0.1, 0.3333333, 1.234568e-6, 1e-30, 1234568.0}));
  EXPECT_EQ(read.measurements[0].counters.at("occupancy").value(), 0.1234568);
  EXPECT_EQ(run_from_json(run_to_json(read), "run.json"), read);
}

TEST(RunJson, KeepsEveryDigitOfWhatWasCountedAndOfWhatWasChosen) {
  auto run = constructed::full_run();
  run.devices[0].memory_bytes = ~0ull;
  run.measurements[0].work.read_bytes = 1099511627776;
  run.measurements[0].counters = {{"fadd", CounterValue::measured(123456789012)}};
  run.plan.experiments[0].timing.relative_half_width = 1.0 / 300;
  run.cross_checks[0].agreements[0].tolerance = 1.0 / 3;
  EXPECT_EQ(run_from_json(run_to_json(run), "run.json"), run);
}

TEST(RunJson, HasALineForEachMeasurement) {
  const std::string text = run_to_json(constructed::full_run());
  EXPECT_THAT(text, StartsWith("{\n\"format\":\"rooflinectl-run\",\n"));
  EXPECT_THAT(text, HasSubstr("\n\"measurements\":[\n{\"experiment\":\"ladder\","));
  EXPECT_THAT(text, HasSubstr(",\n{\"experiment\":\"seeds\","));
  EXPECT_THAT(text, EndsWith("}]\n}\n"));
}

TEST(RunJson, KeepsAnEmptyRun) {
  EXPECT_EQ(run_from_json(run_to_json({}), "run.json"), rooflinectl::Run{});
}

TEST(RunJson, ReplacesBytesThatAreNotUtf8) {
  auto run = constructed::full_run();
  run.host = "caf\xe9";
  EXPECT_EQ(run_from_json(run_to_json(run), "run.json").host, "caf\uFFFD");
}

TEST(RunJson, RefusesTruncations) {
  constexpr std::size_t kStride = 7;  // in time that does not grow with the square of the file
  std::string text = run_to_json(constructed::full_run());
  text.erase(text.find_last_of('}') + 1);
  std::vector<std::size_t> lengths = {text.size() - 1};
  for (std::size_t length = 0; length < text.size(); length += kStride) lengths.push_back(length);
  for (const std::size_t length : lengths)
    ASSERT_THAT(failure_of(text.substr(0, length)), StartsWith("run.json: ")) << "length " << length;
  EXPECT_EQ(failure_of(text), "");
}

TEST(RunJson, RefusesWhatIsNotARun) {
  EXPECT_EQ(failure_of(""), "run.json: the file is empty");
  EXPECT_EQ(failure_of(" \n\t"), "run.json: the file is empty");
  EXPECT_EQ(failure_of("[1, 2]"), "run.json: expected a JSON object");
  EXPECT_EQ(failure_of("null"), "run.json: expected a JSON object");
  EXPECT_EQ(failure_of(R"({"benchmarks": []})"), "run.json: not a rooflinectl run");
  EXPECT_EQ(failure_of(R"({"format": "another", "schema": 1})"), "run.json: not a rooflinectl run");
  EXPECT_THAT(failure_of("experiments:\n  - name: ladder\n"), HasSubstr("not valid JSON at byte 1"));
  EXPECT_THAT(failure_of(R"({"format": "rooflinectl-run", "wall_s": 1e999})"), HasSubstr("too large"));
  EXPECT_THAT(failure_of(std::string(100'000, '[')), HasSubstr("not valid JSON"));
}

TEST(RunJson, NamesWhatIsNotJson) {
  EXPECT_EQ(failure_of(R"({"a": NaN})"), "run.json: not valid JSON at byte 7: NaN is not JSON");
  EXPECT_EQ(failure_of(R"({"a":-Infinity})"), "run.json: not valid JSON at byte 7: -Infinity is not JSON");
  EXPECT_EQ(failure_of(R"([nan])"), "run.json: not valid JSON at byte 3: nan is not JSON");
  EXPECT_EQ(failure_of("{\"a\": \"b\xff\"}"), "run.json: not valid JSON at byte 9: byte 0xff is not UTF-8");
  // The byte that should have followed is another character.
  EXPECT_EQ(failure_of("{\"a\": \"\xc3(\"}"), "run.json: not valid JSON at byte 9: byte 0xc3 is not UTF-8");
  EXPECT_EQ(failure_of("{\"a\": \"\xc3\xa9\n\"}"), "run.json: not valid JSON at byte 10");
  EXPECT_EQ(failure_of(R"({"a": "\q"})"), "run.json: not valid JSON at byte 9");
  EXPECT_EQ(failure_of("[" + std::string(100, 'x')), "run.json: not valid JSON at byte 2");
}

TEST(RunJson, OnlyWhatEndsTooEarlyMayBeTruncated) {
  const auto hint_of = [](const std::string& text) {
    try {
      run_from_json(text, "run.json");
    } catch (const Error& error) {
      return error.hint();
    }
    return std::string("valid");
  };
  for (const char* text : {R"({"a": 1)", R"({"a": "b)", R"({"a": tru)", "{\"a\": \"\xc3"}) {
    EXPECT_EQ(hint_of(text), "the file may be truncated") << text;
  }
  for (const char* text : {R"({"a": NaN})", "{\"a\": \"\xff\"}", R"({"a": 1]})"})
    EXPECT_EQ(hint_of(text), "") << text;
}

TEST(RunJson, RefusesWhatCannotHaveBeenMeasured) {
  const auto refusal = [](const char* place, const Json& value) {
    Json document = full_document();
    document[Json::json_pointer(place)] = value;
    return failure_of(document.dump());
  };
  EXPECT_EQ(refusal("/measurements/0/time/median_s", -1e-6),
            "run.json: /measurements/0/time/median_s: expected a non-negative number, found -1e-06");
  EXPECT_EQ(refusal("/measurements/0/time/median_s", 0.0),
            "run.json: /measurements/0/time/median_s: 0 cannot be a measured value");
  EXPECT_EQ(refusal("/measurements/0/time/samples_s/0", 1e-308),
            "run.json: /measurements/0/time/samples_s/0: 1e-308 cannot be a measured value");
  EXPECT_EQ(refusal("/ceilings/0/value", 1e308),
            "run.json: /ceilings/0/value: 1e+308 cannot be a measured value");
  EXPECT_EQ(refusal("/measurements/0/time/launches_per_sample", 0),
            "run.json: /measurements/0/time/launches_per_sample: expected an integer of at least 1, found 0");
  EXPECT_THAT(refusal("/measurements/0/work/read_bytes", -4.0), HasSubstr("work/read_bytes: expected"));
  EXPECT_THAT(refusal("/measurements/0/work/read_bytes", 1e308), HasSubstr("read_bytes: 1e+308 cannot"));
}

TEST(RunJson, RefusesMorePointsThanAPlanMayHave) {
  Json document = full_document();
  document["measurements"] = std::vector<int>(100'001);
  EXPECT_EQ(failure_of(document.dump()), "run.json: /measurements: more than 100000 entries");
  document = full_document();
  document["plan"]["experiments"][1]["points"] = std::vector<int>(100'000);
  EXPECT_THAT(failure_of(document.dump()), HasSubstr("run.json: /plan/experiments/1/points: more than 9999"));
}

TEST(RunJson, ReadsDeepNestingToItsEnd) {
  constexpr int kDepth = 1'000'000;
  const std::string deep = std::string(kDepth, '[') + std::string(kDepth, ']');
  EXPECT_EQ(failure_of(R"({"format": "rooflinectl-run", "schema": 2, "tool": )" + deep + "}"),
            "run.json: /tool: expected an object");
}

TEST(RunJson, RefusesANewerSchema) {
  Json document = full_document();
  document["schema"] = rooflinectl::Run::kSchema + 1;
  document.erase("plan");
  EXPECT_EQ(failure_of(document.dump()), "run.json: has schema 3, but this rooflinectl reads only up to 2");
  document["schema"] = 0;
  EXPECT_THAT(failure_of(document.dump()), HasSubstr("/schema: unknown schema"));
}

TEST(RunJson, RefusesADeviceThatTheRunDoesNotHave) {
  Json document = full_document();
  document["measurements"][1]["device"] = 2;
  EXPECT_EQ(failure_of(document.dump()), "run.json: /measurements/1/device: the run has 2 devices");
  document = full_document();
  document["ceilings"][0]["device"] = 7;
  EXPECT_EQ(failure_of(document.dump()), "run.json: /ceilings/0/device: the run has 2 devices");
  document = full_document();
  document["primitives"][1]["device"] = 3;
  EXPECT_EQ(failure_of(document.dump()), "run.json: /primitives/1/device: the run has 2 devices");
  document = full_document();
  document["devices"] = Json::array();
  EXPECT_EQ(failure_of(document.dump()), "run.json: /devices: fewer than 1 entries");
}

TEST(RunJson, RefusesWhatARunCanHaveOnlyOnce) {
  for (const char* const place : {"/devices", "/plan/experiments", "/plan/experiments/0/points", "/ceilings",
                                  "/links", "/measurements", "/primitives", "/cross_checks"}) {
    Json document = full_document();
    Json& list = document[Pointer(place)];
    const std::size_t count = list.size();
    list.push_back(Json(list.front()));
    EXPECT_EQ(failure_of(document.dump()),
              fmt::format("run.json: {}/{}: a duplicate of entry 0", place, count));
  }
}

TEST(RunJson, TellsPointsApart) {
  auto run = constructed::full_run();
  run.measurements = {run.measurements[0]};
  run.measurements[0].device = Run::kFirstDevice;
  const auto add = [&](const auto& change) { change(run.measurements.emplace_back(run.measurements[0])); };
  add([](Measurement& measurement) { measurement.device = 1; });
  add([](Measurement& measurement) { measurement.rank = 7; });
  add([](Measurement& measurement) { measurement.process = 12'345; });
  add([](Measurement& measurement) { measurement.point.axes.set(axis::kBlock, std::uint64_t{64}); });
  // Two programs on one device, of several processes each, whose runs were merged.
  for (const double total_s : {1.0, 2.0}) {
    add([&](Measurement& measurement) {
      measurement.process.reset();
      measurement.launches.emplace().total_s = total_s;
    });
  }
  EXPECT_EQ(failure_of(run_to_json(run)), "");
  run.measurements.push_back(run.measurements.back());
  EXPECT_EQ(failure_of(run_to_json(run)), "run.json: /measurements/7: a duplicate of entry 6");
}

TEST(RunJson, RefusesAMemberThatOccursTwice) {
  const std::string text = run_to_json(constructed::full_run());
  const auto with_another = [&](const std::string& member) {
    std::string changed = text;
    return changed.insert(text.find(member), member + "0,");
  };
  EXPECT_EQ(failure_of(with_another("\"wall_s\":")), "run.json: 'wall_s' occurs twice");
  EXPECT_EQ(failure_of(with_another("\"median_s\":")),
            "run.json: /measurements/0/time: 'median_s' occurs twice");
  EXPECT_EQ(failure_of(R"({"a": {"b": [1, {"c": {}, "d": []}, {"e": 1, "\u0065": 1}]}})"),
            "run.json: /a/b/2: 'e' occurs twice");
}

TEST(RunJson, RefusesALinkThatIsNone) {
  Json document = full_document();
  document["links"][1]["from"] = 2;
  EXPECT_EQ(failure_of(document.dump()), "run.json: /links/1/from: there is no such device");
  document = full_document();
  document["links"][1]["to"] = 1;
  EXPECT_EQ(failure_of(document.dump()), "run.json: /links/1/to: a link from a device to itself");
  document = full_document();
  document["links"][0]["bytes_per_s"] = 0;
  EXPECT_EQ(failure_of(document.dump()), "run.json: /links/0/bytes_per_s: no value, and no reason why");
  document = full_document();
  document["links"][0]["missing"] = "no peer access";
  EXPECT_EQ(failure_of(document.dump()),
            "run.json: /links/0/bytes_per_s: a value, and a reason why there is none");
}

TEST(RunJson, RefusesCollectivesWithoutTimesAndReasonAndThoseWithBoth) {
  Json document = full_document();
  document["collectives"]["missing"] = "NCCL is missing";
  EXPECT_EQ(failure_of(document.dump()),
            "run.json: /collectives/times: values, and a reason why there are none");
  document = full_document();
  document["collectives"]["times"] = Json::array();
  EXPECT_EQ(failure_of(document.dump()), "run.json: /collectives/times: no values, and no reason why");
  document = full_document();
  document["collectives"]["times"][1].erase("missing");
  EXPECT_EQ(failure_of(document.dump()),
            "run.json: /collectives/times/1/sizes: no values, and no reason why");
  document = full_document();
  document["collectives"]["times"][0]["missing"] = "the result is wrong";
  EXPECT_EQ(failure_of(document.dump()),
            "run.json: /collectives/times/0/sizes: values, and a reason why there are none");
  document = full_document();
  document["collectives"]["times"][1]["collective"] = "all_reduce";
  EXPECT_EQ(failure_of(document.dump()), "run.json: /collectives/times/1/collective: the run has it already");
}

TEST(RunJson, SortsTheSizesOfCollectives) {
  Json document = full_document();
  Json& sizes = document["collectives"]["times"][0]["sizes"];
  std::swap(sizes[0], sizes[1]);
  EXPECT_EQ(run_from_json(document.dump(), "run.json"), constructed::full_run());
}

TEST(RunJson, TakesAxesThatItDoesNotKnow) {
  auto run = constructed::full_run();
  run.measurements[0].point.axes.set("grid", std::uint64_t{64});
  run.measurements[0].point.axes.set("path", "solve/step");
  EXPECT_EQ(run_from_json(run_to_json(run), "run.json"), run);
}

/// A run of one point as the serialiser of schema 1 wrote it.
Json schema1_document() {
  Json document = full_document();
  document["schema"] = 1;
  document["device"] = document["devices"][0];
  document.erase("devices");
  document.erase("links");
  document.erase("collectives");
  document.erase("together");
  const auto flatten = [](Json& point) {
    const Json axes = point["axes"];
    point["variant"] = point["subject"];
    point["dtype"] = axes["dtype"];
    point["n"] = axes["n"];
    point["block_size"] = axes["block"];
    if (axes.contains("elements")) point["elements_per_thread"] = axes["elements"];
    point["cache"] = axes["cache"];
    if (axes["mode"] != "graph") point["launch_mode"] = axes["mode"];
    point.erase("subject");
    point.erase("axes");
  };
  for (Json& experiment : document["plan"]["experiments"]) {
    for (Json& point : experiment["points"]) flatten(point);
  }
  for (const char* list : {"ceilings", "primitives"}) {
    for (Json& entry : document[list]) entry.erase("device");
  }
  for (Json& measurement : document["measurements"]) {
    flatten(measurement);
    for (const char* key : {"device", "rank", "process"}) measurement.erase(key);
    Json& work = measurement["work"];
    work["flops"] = work["fma_flops"] = 0.0;
    for (const auto& [type, done] : work["operations"].items()) {
      work.update(done);
      work["precision"] = type;
    }
    work.erase("operations");
    work.erase("link_bytes");
  }
  Json& application = document["application"];
  for (Json& process : application["processes"]) process = process["id"];
  for (const char* key : {"hosts", "collectives", "other_ranks"}) application.erase(key);
  return document;
}

TEST(RunJson, ReadsSchema1) {
  auto run = constructed::full_run();
  run.devices.resize(1);
  for (Ceiling& ceiling : run.ceilings) ceiling.device = 0;
  for (PrimitiveResult& primitive : run.primitives) primitive.device = 0;
  run.links.clear();
  run.collectives.reset();
  run.together = false;
  for (Experiment& experiment : run.plan.experiments) {
    for (PointId& point : experiment.points) point.axes.erase(axis::kGpus);
  }
  run.application->hosts.clear();
  run.application->processes = {{.id = 4711}, {.id = 4712}};
  run.application->collectives.clear();
  run.application->other_ranks.clear();
  for (Measurement& measurement : run.measurements) {
    measurement.device = 0;
    measurement.rank = measurement.process = std::nullopt;
    measurement.work.link_bytes = 0;
    measurement.point.axes.erase(axis::kGpus);
  }
  EXPECT_EQ(run_from_json(schema1_document().dump(), "run.json"), run);
}

TEST(RunJson, OperationsOfSchema1HaveTheAccumulatorsTypeUnlessTheFileNamesOne) {
  Json document = schema1_document();
  document["measurements"][0]["work"].erase("precision");
  document["measurements"][0]["dtype"] = "f16";
  const auto run = run_from_json(document.dump(), "run.json");
  EXPECT_EQ(run.measurements[0].work.operations.begin()->first, Dtype::f32);
}

TEST(RunJson, DamageOfSchema1IsAnErrorToo) {
  const Json document = schema1_document();
  visit_fields(document, [&](const Pointer& place, const Json& value) {
    Json damaged = document;
    damaged.at(place) = value.is_boolean() ? Json("yes") : Json(true);
    EXPECT_NE(failure_of(damaged.dump()), "") << place;
  });
}

TEST(RunJson, NamesTheDocumentAtItsRoot) {
  EXPECT_EQ(failure_of(R"({"format": "rooflinectl-run", "schema": 2})"),
            "run.json: the field 'tool' is missing");
}

TEST(RunJson, HoldsTheHashOfThePlan) {
  Json document = full_document();
  document["plan"]["text"] = "abc";
  EXPECT_THAT(failure_of(document.dump()), StartsWith("run.json: /plan/text: does not match text_sha256"));
  // FIPS 180-2, appendix B.1.
  document["plan"]["text_sha256"] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(failure_of(document.dump()), "");
  document["plan"].erase("text_sha256");
  EXPECT_EQ(failure_of(document.dump()), "");
}

/// Whether a run may lack the value at `place`: an optional field, or an entry of a map.
bool may_be_absent(const Pointer& place) {
  static const std::set<std::string> optional_fields = {"application",
                                                        "imports",
                                                        "below_s",
                                                        "bytes_in_flight_per_block",
                                                        "cause",
                                                        "clock_event_reasons",
                                                        "collectives",
                                                        "compiled_kernels",
                                                        "confirmation",
                                                        "counter_repeats",
                                                        "counter_spread",
                                                        "cross_checks",
                                                        "cupti_version",
                                                        "default_elements_per_thread",
                                                        "elements_per_thread",
                                                        "first",
                                                        "folder",
                                                        "graph_kernels",
                                                        "graph_nodes",
                                                        "gaps_before",
                                                        "idle_before_s",
                                                        "undisturbed",
                                                        "instructions",
                                                        "counted_until_s",
                                                        "interval_s",
                                                        "launch_mode",
                                                        "link_bytes",
                                                        "links",
                                                        "missing",
                                                        "operations_per_tensor_instruction",
                                                        "energy",
                                                        "environment",
                                                        "measured_utc",
                                                        "mode",
                                                        "moved_bytes",
                                                        "over_time",
                                                        "period",
                                                        "operations_path",
                                                        "has_half_arithmetic",
                                                        "has_sparse_products",
                                                        "sampled",
                                                        "source_text",
                                                        "stall",
                                                        "stalled",
                                                        "products",
                                                        "counters_scale",
                                                        "clusters",
                                                        "primitives",
                                                        "python_versions",
                                                        "problems",
                                                        "process",
                                                        "ranges",
                                                        "rank",
                                                        "resources",
                                                        "resumed_utc",
                                                        "self_test",
                                                        "settings",
                                                        "several_gpus",
                                                        "symbol",
                                                        "text_sha256",
                                                        "time",
                                                        "together",
                                                        "verification"};
  const Pointer parent = place.parent_pointer();
  if (optional_fields.contains(place.back())) return true;
  if (parent.empty()) return false;
  static const std::set<std::string> maps = {
      "axes",     "clock_event_reasons", "counters",       "counter_spread", "metrics", "operations",
      "settings", "variables",           "python_versions"};
  const bool in_map = maps.contains(parent.back());
  const bool optional_device = place.back() == "device" && parent.to_string().starts_with("/primitives");
  const bool optional_clock = place.back() == "sm_clock_hz" && !parent.to_string().starts_with("/devices");
  const bool of_held = place.back() == "held" || place.back() == "held_s";
  const bool optional_launches = place.back() == "launches" && parent.to_string() == "/measurements/0";
  const bool of_problem = parent.to_string().starts_with("/application/problems") &&
                          (place.back() == "hint" || place.back() == "subject");
  const bool of_application =
      parent.to_string() == "/application" &&
      (place.back() == "exit_code" || place.back() == "passes" || place.back() == "wall_s");
  const bool of_range = parent.to_string().starts_with("/application/ranges") &&
                        (place.back() == "median_s" || place.back() == "p95_s");
  const bool of_link = parent.to_string().starts_with("/links") &&
                       (place.back() == "sent_bytes" || place.back() == "received_bytes");
  const bool of_collectives =
      parent.to_string() == "/collectives" && (place.back() == "library" || place.back() == "method");
  static const std::set<std::string> rank_fields = {"hosts",       "boot_id",     "uncertainty_s", "ranks",
                                                    "collectives", "other_ranks", "holds"};
  const bool of_ranks =
      rank_fields.contains(place.back()) && !parent.to_string().starts_with("/application/other_ranks");
  const bool of_import =
      place.to_string().starts_with("/imports") && place.back() != "name" && place.back() != "format";
  const bool of_collective = parent.to_string().starts_with("/application/collectives") &&
                             (place.back() == "path" || place.back() == "bytes");
  const bool of_device = parent.to_string().starts_with("/devices") && place.back() == "host";
  static const std::set<std::string> kernel_fields = {"options", "work", "reference", "count",
                                                      "fill",    "seed", "cluster",   "shared_bytes"};
  const std::string in = parent.to_string();
  const bool of_kernel =
      place.to_string() == "/plan/kernels" ||
      (in.starts_with("/compiled_kernels") && (place.back() == "options" || place.back() == "warnings")) ||
      (in.starts_with("/plan/kernels") && (kernel_fields.contains(place.back()) || in.ends_with("/work") ||
                                           in.find("/reference") != std::string::npos));
  return in_map || of_link || of_collectives || of_device || optional_device || optional_clock ||
         optional_launches || of_application || of_problem || of_range || of_ranks || of_import ||
         of_collective || of_held || of_kernel;
}

TEST(RunJson, IsReadWithoutWhatIsEmptied) {
  const auto text = [](std::string_view json) { return serial::emptied(json, {"counters", "over_time"}); };
  EXPECT_EQ(text(R"({"a": 1, "counters": {"b": [1, {"c": "}]\"}"}]}, "over_time":[[1,2],[3]]})"),
            R"({"a": 1, "counters": {}, "over_time":[]})");
  EXPECT_EQ(text(R"({"counters": 7, "a": "over_time", "b": ["counters", [1]]})"),
            R"({"counters": 7, "a": "over_time", "b": ["counters", [1]]})");
  for (const std::string_view damaged : {R"({"counters": [[1])", R"({"counters":)", R"({"counters")",
                                         R"({"counters)", R"({"counters": ["\)", ""}) {
    EXPECT_EQ(text(damaged), damaged);
  }
}

TEST(RunJson, NamesThePlaceOfEveryMissingField) {
  const Json document = full_document();
  visit_fields(document, [&](const Pointer& place, const Json&) {
    const Pointer parent = place.parent_pointer();
    if (!document.at(parent).is_object() || place.to_string() == "/format" || may_be_absent(place)) return;
    Json damaged = document;
    damaged.at(parent).erase(place.back());
    EXPECT_THAT(failure_of(damaged.dump()),
                EndsWith(fmt::format("{}: the field '{}' is missing", parent.to_string(), place.back())));
  });
}

TEST(RunJson, AnEarlyVersionThatFoundEverySampleThrottledLeftNoneOut) {
  Json document = full_document();
  Json& time = document.at("/measurements/0/time"_json_pointer);
  time.erase("clock_event_reasons");
  const auto throttled = [&] {
    return run_from_json(document.dump(), "run.json").measurements.front().time->throttled_samples;
  };
  EXPECT_EQ(throttled(), 1);
  time["throttled_samples"] = time["samples_s"].size();
  EXPECT_EQ(throttled(), 0);
}

TEST(RunJson, InOlderRunsTheLaunchesOfASampleGiveTheTimingMode) {
  Json document = full_document();
  Json& time = document.at("/measurements/0/time"_json_pointer);
  const auto mode = [&] {
    return launch_mode(*run_from_json(document.dump(), "run.json").measurements.front().time);
  };
  time["mode"] = "plain";
  EXPECT_EQ(mode(), LaunchMode::plain);
  time.erase("mode");
  EXPECT_EQ(mode(), LaunchMode::graph);
  time["launches_per_sample"] = 1;
  EXPECT_EQ(mode(), LaunchMode::plain);
}

TEST(RunJson, NamesThePlaceOfEveryWrongType) {
  const Json document = full_document();
  visit_fields(document, [&](const Pointer& place, const Json& value) {
    Json damaged = document;
    damaged.at(place) = value.is_boolean() ? Json("yes") : Json(true);
    EXPECT_THAT(failure_of(damaged.dump()), AllOf(StartsWith("run.json: "), HasSubstr(place.to_string())));
  });
}

TEST(RunJson, NamesThePlaceOfAnUnknownOrImpossibleValue) {
  const std::vector<std::pair<std::string, Json>> damages = {
      {"/source", "imagined"},
      {"/plan/experiments/0/points/0/axes/dtype", "f31"},
      {"/plan/experiments/0/points/0/axes/cache", "tepid"},
      {"/plan/experiments/0/points/0/axes/n", -1},
      {"/plan/experiments/0/points/0/axes/n", 1.5},
      {"/plan/experiments/0/points/0/axes/block", 5'000'000'000},
      {"/plan/experiments/0/counters", "all"},
      {"/catalogue/variants/0/output", "vector"},
      {"/ceilings/0/kind", "height"},
      {"/ceilings/0/source", "guessed"},
      {"/measurements/0/status", "fine"},
      {"/devices/1/index", 18'446'744'073'709'551'615u},
  };
  for (const auto& [place, value] : damages) {
    Json damaged = full_document();
    damaged.at(Pointer(place)) = value;
    EXPECT_THAT(failure_of(damaged.dump()), StartsWith("run.json: " + place + ": ")) << value;
  }
}

}  // namespace
}  // namespace rooflinectl::run_json_test
