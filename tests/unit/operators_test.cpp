// SPDX-License-Identifier: Apache-2.0
// Operators and modules of PyTorch: who launched the kernels of a trace, and which groups of a run they are
// of.
#include "analysis/program/operators.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>

#include "core/files/files.h"
#include "core/serial/run_file.h"
#include "readers/torch/torch_trace_file.h"
#include "reports/formats/formats.h"
#include "reports/model/report_model.h"
#include "reports/page/page.h"
#include "reports/tables/tables.h"
#include "tests/support/program_run.h"

namespace rooflinectl::operators_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// Builds a trace, event by event.
class Trace {
 public:
  Trace& span(TorchSpanKind kind, std::string_view name, double start_us, double end_us,
              std::size_t thread = 0) {
    trace_.spans.push_back(
        {.kind = kind, .name = name_of(name), .thread = thread, .start_us = start_us, .end_us = end_us});
    return *this;
  }
  Trace& op(std::string_view name, double start_us, double end_us, std::size_t thread = 0) {
    return span(TorchSpanKind::operation, name, start_us, end_us, thread);
  }
  Trace& module(std::string_view name, double start_us, double end_us) {
    return span(TorchSpanKind::module, name, start_us, end_us);
  }
  /// Sets that of the last span.
  Trace& sequence(std::uint64_t number, bool is_backward = false) {
    trace_.spans.back().sequence = number;
    trace_.spans.back().is_backward = is_backward;
    return *this;
  }
  Trace& id(std::uint64_t number) {
    trace_.spans.back().id = number;
    return *this;
  }
  /// A kernel, and the call that launches it.
  Trace& launch(std::string_view kernel, double at_us, std::size_t thread = 0, double duration_us = 1) {
    const std::uint64_t correlation = trace_.calls.size() + 100;
    trace_.calls.push_back({.correlation = correlation, .thread = thread, .start_us = at_us});
    return add(kernel, correlation, at_us + 1000, duration_us);
  }
  Trace& add(std::string_view kernel, std::optional<std::uint64_t> correlation, double start_us,
             double duration_us) {
    trace_.kernels.push_back({.name = name_of(kernel),
                              .start_us = start_us,
                              .duration_us = duration_us,
                              .correlation = correlation});
    return *this;
  }
  /// Sets that of the last kernel.
  Trace& shape(TorchKernel::Extent grid, TorchKernel::Extent block, std::uint64_t shared_bytes = 0) {
    trace_.kernels.back().grid = grid;
    trace_.kernels.back().block = block;
    trace_.kernels.back().shared_bytes = shared_bytes;
    return *this;
  }
  Trace& graph() {
    trace_.calls.back().is_graph = true;
    return *this;
  }
  TorchTrace trace() const { return trace_; }

 private:
  std::size_t name_of(std::string_view name) {
    const auto found = std::find(trace_.names.begin(), trace_.names.end(), name);
    if (found != trace_.names.end()) return static_cast<std::size_t>(found - trace_.names.begin());
    trace_.names.emplace_back(name);
    return trace_.names.size() - 1;
  }

  TorchTrace trace_;
};

/// Of each launch, in their order.
std::vector<TorchScope> scopes_of(const Trace& trace) {
  const TorchTrace made = trace.trace();
  const TorchLaunches launches = torch_launches(made);
  std::vector<TorchScope> scopes;
  for (const TorchLaunch& launch : launches.launches) scopes.push_back(launches.scopes[launch.scope]);
  return scopes;
}

std::vector<std::vector<std::string>> paths_of(const Trace& trace) {
  std::vector<std::vector<std::string>> paths;
  for (TorchScope& scope : scopes_of(trace)) paths.push_back(std::move(scope.path));
  return paths;
}

TEST(TorchLaunches, AreOfTheOperatorsAndModulesThatWereOpenOnTheirThread) {
  const Trace trace = Trace()
                          .module("Model_0", 0, 100)
                          .module("Linear_0", 10, 30)
                          .op("aten::linear", 12, 28)
                          .op("aten::addmm", 14, 26)
                          .launch("gemm", 20)
                          .op("aten::add", 40, 50)
                          .launch("add", 45)
                          .launch("bare", 60)
                          .op("aten::other", 0, 100, 1);
  EXPECT_THAT(
      scopes_of(trace),
      ElementsAre(TorchScope{{"Model_0", "Linear_0", "aten::linear", "aten::addmm"}, 2, "aten::addmm"},
                  TorchScope{{"Model_0", "aten::add"}, 1, "aten::add"}, TorchScope{{"Model_0"}, 1, ""}));
}

TEST(TorchLaunches, OutsideOfModulesAreOfAnnotations) {
  const Trace trace = Trace()
                          .span(TorchSpanKind::annotation, "ProfilerStep#3", 0, 100)
                          .span(TorchSpanKind::annotation, "Optimizer.step#AdamW.step", 10, 50)
                          .op("aten::_foreach_add_", 20, 40)
                          .launch("multi_tensor", 30)
                          .launch("nothing", 200);
  EXPECT_THAT(paths_of(trace),
              ElementsAre(ElementsAre("Optimizer.step#AdamW.step", "aten::_foreach_add_"), IsEmpty()));
}

TEST(TorchLaunches, OfBackwardOperatorsAreOfTheModuleOfTheForwardOperator) {
  const Trace trace = Trace()
                          .module("Model_0", 0, 100)
                          // It came before the one that autograd recorded, and saw the same number.
                          .module("Dropout_0", 1, 9)
                          .op("aten::empty", 2, 3)
                          .sequence(7)
                          .module("Linear_0", 10, 30)
                          .op("aten::addmm", 14, 26)
                          .sequence(7)
                          .launch("gemm", 20)
                          .op("autograd::engine::evaluate_function: AddmmBackward0", 110, 150, 1)
                          .sequence(7, true)
                          .op("AddmmBackward0", 112, 140, 1)
                          .sequence(7, true)
                          .op("aten::mm", 115, 130, 1)
                          .launch("gemm_nt", 120, 1)
                          // The next step has the number again, later.
                          .module("Linear_1", 200, 210)
                          .op("aten::addmm", 201, 209)
                          .sequence(7);
  EXPECT_THAT(paths_of(trace), ElementsAre(ElementsAre("Model_0", "Linear_0", "aten::addmm"),
                                           ElementsAre("Model_0", "Linear_0", "AddmmBackward0", "aten::mm")));
}

TEST(TorchLaunches, OfBackwardOperatorsAreOfNoModuleWhereTwoThreadsHaveTheirNumber) {
  const Trace trace = Trace()
                          .module("Linear_0", 0, 10)
                          .op("aten::addmm", 1, 9)
                          .sequence(7)
                          .op("aten::mul", 0.5, 9, 2)
                          .sequence(7)
                          .op("AddmmBackward0", 20, 30, 1)
                          .sequence(7, true)
                          .launch("gemm", 25, 1);
  EXPECT_THAT(paths_of(trace), ElementsAre(ElementsAre("AddmmBackward0")));
}

TEST(TorchLaunches, OfVeryManyOperatorsOfOneNumberAreFoundSoon) {
  constexpr int kMany = 50'000;
  Trace trace;
  trace.module("Linear_0", 0, kMany);
  for (int i = 0; i < kMany; ++i) trace.op("aten::addmm", i, i + 0.5).sequence(7);
  for (int i = 0; i < kMany; ++i) trace.op("AddmmBackward0", kMany + i, kMany + i + 0.5, 1).sequence(7, true);
  trace.launch("gemm", 2 * kMany - 0.75, 1);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(paths_of(trace), ElementsAre(ElementsAre("Linear_0", "AddmmBackward0")));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(TorchLaunches, WithoutACallAreOfTheOperatorThatTheyName) {
  Trace made = Trace().module("Linear_0", 0, 100).op("aten::linear", 10, 60).op("aten::addmm", 20, 50).id(4);
  TorchTrace trace = made.add("gemm", std::nullopt, 500, 1).add("other", 77, 600, 1).trace();
  trace.kernels[0].id = 4;
  const TorchLaunches launches = torch_launches(trace);
  EXPECT_THAT(launches.scopes[launches.launches[0].scope].path,
              ElementsAre("Linear_0", "aten::linear", "aten::addmm"));
  EXPECT_THAT(launches.scopes[launches.launches[1].scope].path, IsEmpty());
}

/// The made-up program with one trace of it.
class Operators : public testing::Test {
 protected:
  const OperatorUse& match(const Trace& trace) {
    trace_ = trace.trace();
    report_.emplace(run_, ChartSelection{}, nullptr, &trace_);
    return *report_->experiments.at(0).operators;
  }
  const RooflinePoint& group(std::string_view kernel, std::string_view path) const {
    for (const RooflinePoint& point : report_->analysis.experiments.at(0).points) {
      const PointId& id = point.measurement->point;
      if (id.subject == kernel && id.axes.text("path").value_or("") == path) return point;
    }
    throw std::runtime_error("no such group");
  }
  std::string operator_of(std::string_view kernel, std::string_view path) const {
    return operator_text(group(kernel, path));
  }

  rooflinectl::Run run_ = constructed::program_run();
  TorchTrace trace_;
  std::optional<ReportModel> report_;
};

using constructed::kAdamName;
using constructed::kAddName;
using constructed::kEmbeddingName;
using constructed::kGemmName;
using constructed::kLayerNormName;
using constructed::kSoftmaxName;

TEST_F(Operators, AreMatchedByNameGridBlockAndSharedMemory) {
  const OperatorUse& use = match(Trace()
                                     .op("aten::linear", 0, 10)
                                     .launch(kGemmName, 5)
                                     .shape({132, 1, 1}, {384, 1, 1}, 230000)
                                     .op("aten::addmm", 20, 30)
                                     .launch(kGemmName, 25)
                                     .shape({66, 1, 1}, {384, 1, 1}, 230000)
                                     .op("aten::mm", 40, 50)
                                     .launch(kGemmName, 45)
                                     .shape({66, 1, 1}, {384, 1, 1}, 100)
                                     .op("aten::bmm", 60, 70)
                                     .launch(kGemmName, 65)
                                     .shape({7, 1, 1}, {384, 1, 1}, 230000)
                                     .launch("of_another_program", 66));
  EXPECT_EQ(operator_of(kGemmName, "step/forward"), "aten::linear");
  EXPECT_EQ(operator_of(kGemmName, "step/forward/block"), "aten::addmm");
  EXPECT_EQ(operator_of(kAdamName, "step/optimizer"), "–");
  EXPECT_EQ(use.launches, 5);
  EXPECT_EQ(use.matched, 2);
  EXPECT_DOUBLE_EQ(use.matched_trace_share, 0.4);
  // 8.4 + 6.72 ms of 74.27 ms.
  EXPECT_THAT(use.matched_share, DoubleNear(15.12 / 74.27, 1e-4));
  EXPECT_THAT(use.unknown,
              ElementsAre(Field(&UnknownKernel::launches, 2), Field(&UnknownKernel::launches, 1)));
  EXPECT_TRUE(is_foreign(use));
}

TEST_F(Operators, AreMatchedByNameAloneWhereTheTraceHasNoMore) {
  match(Trace().op("aten::embedding", 0, 10).launch(kEmbeddingName, 5));
  EXPECT_EQ(operator_of(kEmbeddingName, "step/forward"), "aten::embedding");
}

TEST_F(Operators, NamesThatDifferInTheirSpacesAreTheSame) {
  std::string name(kSoftmaxName);
  name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
  match(Trace().op("aten::log_softmax", 0, 10).launch(name, 5));
  EXPECT_EQ(operator_of(kSoftmaxName, "step/loss"), "aten::log_softmax");
}

TEST_F(Operators, OfGroupsInDifferentRangesAreToldApartByTheLaunchesAround) {
  const OperatorUse& use = match(Trace()
                                     .op("aten::embedding", 0, 10)
                                     .launch(kEmbeddingName, 5)
                                     .op("aten::native_layer_norm", 20, 30)
                                     .launch(kLayerNormName, 25)
                                     .op("aten::embedding", 40, 50)
                                     .launch(kEmbeddingName, 45)
                                     .op("aten::add", 60, 70)
                                     .launch(kAddName, 65)
                                     .op("aten::layer_norm_again", 80, 90)
                                     .launch(kLayerNormName, 85)
                                     .op("aten::add", 100, 110)
                                     .launch(kAddName, 105));
  EXPECT_EQ(operator_of(kLayerNormName, "step/forward"), "aten::native_layer_norm");
  EXPECT_EQ(operator_of(kLayerNormName, "step/forward/block"), "aten::layer_norm_again");
  EXPECT_EQ(use.shared_share, 0);
}

TEST_F(Operators, OfGroupsThatNothingTellsApartAreThoseOfEach) {
  const OperatorUse& use = match(Trace().op("aten::native_layer_norm", 0, 10).launch(kLayerNormName, 5));
  EXPECT_EQ(operator_of(kLayerNormName, "step/forward"), "aten::native_layer_norm");
  EXPECT_EQ(operator_of(kLayerNormName, "step/forward/block"), "aten::native_layer_norm");
  // 3.04 + 0.196 ms of 74.27 ms.
  EXPECT_THAT(use.shared_share, DoubleNear(3.236 / 74.27, 1e-4));
}

TEST_F(Operators, OfACudaGraphAreThoseOfItsLaunch) {
  Trace trace = Trace().op("CompiledFunction", 0, 10).launch(kGemmName, 5).graph();
  trace.add(kAddName, 100, 1010, 3);
  const OperatorUse& use = match(trace);
  EXPECT_EQ(operator_of("CUDA graph 5f3a", "evaluate"), "CompiledFunction");
  EXPECT_EQ(use.matched, 2);
  EXPECT_EQ(operator_of(kAddName, "step/forward/block"), "–");
}

TEST_F(Operators, ShareTheTimeOfAGroupAsItsLaunchesDoInTheTrace) {
  const OperatorUse& use = match(Trace()
                                     .module("Linear_0", 0, 15)
                                     .op("aten::to", 0, 10)
                                     .launch(kAddName, 5, 0, 3)
                                     .op("aten::add", 20, 30)
                                     .launch(kAddName, 25, 0, 1)
                                     .launch(kAddName, 40, 0, 1)
                                     .op("aten::add", 50, 60)
                                     .launch(kAddName, 55, 0, 1));
  EXPECT_EQ(operator_of(kAddName, "step/forward/block"), "aten::to +2");
  // 640 launches of 4.1 µs, 644 seen.
  constexpr double kTotal = 640 * 4.1e-6;
  ASSERT_THAT(use.operators, SizeIs(3));
  EXPECT_EQ(use.operators[0].name, "aten::to");
  EXPECT_NEAR(use.operators[0].total_s, kTotal / 2, 1e-12);
  EXPECT_EQ(use.operators[0].launches, 161);
  EXPECT_EQ(use.operators[1].name, "aten::add");
  EXPECT_NEAR(use.operators[1].total_s, kTotal / 3, 1e-12);
  EXPECT_EQ(use.operators[1].launches, 322);
  EXPECT_EQ(use.operators[2].name, "");
  ASSERT_THAT(use.tree, SizeIs(3));
  EXPECT_EQ(use.tree[0].path, "Linear_0");
  EXPECT_EQ(use.tree[1].path, "Linear_0/aten::to");
  EXPECT_EQ(use.tree[2].path, "aten::add");
  EXPECT_NEAR(use.tree[0].flops, 640 * 4.2e6 / 2, 1);
  ASSERT_THAT(use.modules, SizeIs(1));
  // What nothing launched, and all other groups.
  EXPECT_NEAR(use.outside.total_s, report_->experiments[0].program->kernel_s - kTotal * 5 / 6, 1e-9);
  EXPECT_THAT(operator_table(use, 10).rows, Contains(Contains("no operator")));
}

TEST_F(Operators, AreInEveryReport) {
  match(Trace()
            .module("Linear_0", 0, 15)
            .op("aten::to", 0, 10)
            .launch(kAddName, 5, 0, 3)
            .op("aten::add", 20, 30)
            .launch(kAddName, 25));
  EXPECT_THAT(points_csv(report_->analysis),
              AllOf(HasSubstr(",operator,"), HasSubstr(",aten::to;aten::add,")));
  const std::string summary = summary_md(*report_);
  EXPECT_THAT(summary, AllOf(HasSubstr("**PyTorch operators**"), HasSubstr("| aten::to |"),
                             HasSubstr("**PyTorch modules**"), HasSubstr(R"(| Linear\_0 |)"),
                             HasSubstr("2 of its 2 kernel launches (by name")));
  EXPECT_THAT(terminal_summary(*report_, 120, Rows::notable),
              AllOf(HasSubstr("PyTorch operators"), HasSubstr("Linear_0")));
  EXPECT_THAT(page_data(*report_),
              AllOf(HasSubstr(R"("torch":{"has_modules":true,"operators":["aten::to","aten::add"])"),
                    HasSubstr(R"("operators":[[0,0.75],[1,0.25]])"), HasSubstr("aten::to +1")));
}

TEST_F(Operators, AreInNoReportWithoutATrace) {
  const ReportModel report(run_);
  EXPECT_THAT(points_csv(report.analysis), Not(HasSubstr("operator")));
  EXPECT_THAT(summary_md(report), Not(HasSubstr("PyTorch's")));
  EXPECT_THAT(page_data(report), Not(HasSubstr("\"torch\"")));
}

/// Two processes of one H200 each, or what two of them share.
TEST_F(Operators, OfOneOfSeveralProcessesAreThoseOfAll) {
  run_.devices.push_back(run_.devices.front());
  run_.devices[1].index = 1;
  const std::size_t groups = run_.measurements.size();
  for (std::size_t i = 0; i < groups; ++i) {
    run_.measurements.push_back(run_.measurements[i]);
    run_.measurements.back().device = 1;
  }
  const auto text_on = [&](std::size_t device) {
    for (const ExperimentAnalysis& experiment : report_->analysis.experiments) {
      for (const RooflinePoint& point : experiment.points) {
        if (point.measurement->device == device && point.measurement->point.subject == kAdamName) {
          return operator_text(point);
        }
      }
    }
    return std::string();
  };
  const Trace trace = Trace().op("aten::_fused_adamw_", 0, 10).launch(kAdamName, 5);
  match(trace);
  EXPECT_EQ(text_on(0), "aten::_fused_adamw_");
  EXPECT_EQ(text_on(1), "aten::_fused_adamw_");

  // One process that uses both.
  trace_ = Trace(trace).op("aten::fill_", 20, 30).launch(kAdamName, 25).trace();
  trace_.kernels[0].device = 0;
  trace_.kernels[1].device = 1;
  report_.emplace(run_, ChartSelection{}, nullptr, &trace_);
  EXPECT_EQ(text_on(0), "aten::_fused_adamw_");
  EXPECT_EQ(text_on(1), "aten::fill_");
}

TEST(OperatorsOfARecording, AreThoseOfATrainingStep) {
  const std::filesystem::path source = ROOFLINECTL_SOURCE_FOLDER;
  const rooflinectl::Run run = read_run(source / "recordings/training-step-h200/run.json.gz");
  const TorchTrace trace = read_torch_trace(source / "tests/data/torch-2.11.0-h200-training-step.json.gz");
  const ReportModel report(run, {}, nullptr, &trace);
  const OperatorUse& use = *report.experiments.at(0).operators;
  EXPECT_EQ(use.launches, 632);
  EXPECT_EQ(use.matched, 632);
  EXPECT_GT(use.matched_share, 0.999);
  EXPECT_LT(use.shared_share, 0.005);
  EXPECT_TRUE(use.has_modules);

  const auto named = [](const std::vector<RangeUse>& uses, std::string_view path) -> const RangeUse& {
    return *std::find_if(uses.begin(), uses.end(), [&](const RangeUse& one) { return one.path == path; });
  };
  // Eight equal layers, each with its backward operators.
  std::vector<double> shares;
  for (int layer = 0; layer < 8; ++layer) {
    shares.push_back(named(use.modules, fmt::format("Sequential_0/Block_{}", layer)).share);
  }
  EXPECT_GT(*std::min_element(shares.begin(), shares.end()), 0.065);
  EXPECT_LT(*std::max_element(shares.begin(), shares.end()) / *std::min_element(shares.begin(), shares.end()),
            1.05);
  // The NVTX range optimizer, and what PyTorch annotates itself.
  EXPECT_NEAR(named(use.tree, "Optimizer.step#AdamW.step").share,
              named(report.experiments[0].program->ranges, "optimizer").share, 0.005);
  double sum_s = use.outside.total_s;
  for (const RangeUse& one : use.tree) sum_s += one.depth == 0 ? one.total_s : 0;
  double groups_s = 0;
  for (const Measurement& group : run.measurements) groups_s += group.launches->total_s;
  EXPECT_NEAR(sum_s, groups_s, 1e-9);
}

}  // namespace
}  // namespace rooflinectl::operators_test
