// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/program/recoverable.h"
#include "core/json/json.h"
#include "reports/formats/formats.h"
#include "reports/model/report_model.h"
#include "reports/tables/tables.h"

namespace rooflinectl {

namespace {

using serial::Json;

Json to_json(const Finding& finding) {
  Json evidence = Json::array();
  for (const Evidence& number : finding.evidence) {
    evidence.push_back({{"name", number.name}, {"value", number.value}, {"unit", to_string(number.unit)}});
  }
  return {{"rule", finding.rule},
          {"importance", to_string(finding.importance)},
          {"text", finding.text},
          {"evidence", evidence},
          {"next_step", finding.next_step}};
}

Json to_json(const Run& run, const RooflinePoint& point, const PointExplanation& explanation) {
  Json findings = Json::array();
  for (const Finding& finding : explanation.findings) findings.push_back(to_json(finding));
  Json unjudged = Json::array();
  for (const UnjudgedRule& rule : explanation.unjudged) {
    unjudged.push_back({{"rule", rule.rule}, {"missing", rule.missing}});
  }
  Json value = {{"key", stable_key(run, point)},
                {"point", point.label},
                {"range", range_name(point.measurement->point)},
                {"status", to_string(point.measurement->status)},
                {"bound", to_string(point.bound)}};
  Json shares = Json::object();
  for (const ResourceShare& share : point.verdict.shares) {
    shares[std::string(to_string(share.resource))] = share.share;
  }
  value["shares_of_time"] = shares;
  Json stalls = Json::object();
  for (const StallShare& stall : point.verdict.stalls) stalls[std::string(stall.reason->id)] = stall.share;
  value["stalls"] = stalls;
  value["bound_unjudged"] = point.verdict.unjudged;
  if (point.fraction_of_roofline) value["fraction_of_roofline"] = *point.fraction_of_roofline;
  if (!point.roof_missing.empty()) value["roof_missing"] = point.roof_missing;
  if (!point.executed_missing.empty()) value["executed_missing"] = point.executed_missing;
  if (!point.measurement->cause.empty()) value["cause"] = point.measurement->cause;
  value["implausible"] = Json::array();
  for (const Implausible& finding : point.implausible) value["implausible"].push_back(finding.text());
  value["evidence"] = point.evidence;
  value["findings"] = findings;
  value["not_judged"] = unjudged;
  return value;
}

Json to_json(const LadderStep& step, const StepExplanation& explanation) {
  Json changes = Json::array();
  for (const Change& change : explanation.changes) {
    changes.push_back({{"text", change.text},
                       {"quantity", change.counter.quantity->name},
                       {"from", change.counter.from},
                       {"to", change.counter.to}});
  }
  return {{"from", step.from->label}, {"to", step.to->label},     {"speedup", step.speedup},
          {"changes", changes},       {"gone", explanation.gone}, {"came", explanation.came}};
}

Json to_json(const RangeUse& use) {
  Json value = {{"path", use.path},
                {"launches", use.launches},
                {"total_time_s", use.total_s},
                {"share_of_gpu_time", use.share},
                {"recoverable_s", use.recoverable_s},
                {"flops_complete", use.has_all_flops()}};
  if (const auto fraction = use.fraction_of_roofline()) value["fraction_of_roofline"] = *fraction;
  if (const auto rate = use.flop_per_s()) value["flop_per_s"] = *rate;
  if (const auto ai = use.ai()) value["ai"] = *ai;
  return value;
}

std::string_view loss_id(LossKind kind) {
  switch (kind) {
    case LossKind::waiting:
      return "waiting";
    case LossKind::idle:
      return "idle";
    case LossKind::fusion:
      return "fusion";
    case LossKind::short_launches:
      return "short";
    case LossKind::groups:
    case LossKind::kernel:
      break;
  }
  return "kernel";
}

Json ranges_json(const Run& run, const ExperimentAnalysis& experiment) {
  Json ranges = Json::array();
  const auto program = program_use(run, experiment);
  if (!program) return ranges;
  for (const RangeUse& use : program->ranges) ranges.push_back(to_json(use));
  if (program->outside.launches > 0) ranges.push_back(to_json(program->outside));
  return ranges;
}

}  // namespace

std::string stable_key(const Run& run, const RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  std::string key = range_name(measurement.point);
  if (run.devices.size() > 1) key += fmt::format(" device {}", measurement.device);
  if (measurement.rank && is_observed(point)) {
    key += fmt::format(" rank {}", *measurement.rank);
  } else if (measurement.process && run.application && run.application->processes.size() > 1) {
    key += fmt::format(" process {}", *measurement.process);
  }
  return key;
}

Json losses_json(const ReportModel& report) {
  constexpr int kLossDigits = 4;
  Json list = Json::array();
  if (report.experiments.empty() || !report.experiments.front().program) return list;
  const ProgramUse& program = *report.experiments.front().program;
  const LossBasis basis = loss_basis(program);
  for (const Loss& loss : losses(program)) {
    const LossText text = loss_text(program, loss);
    if (text.cause.empty()) continue;
    list.push_back({{"loss", loss_id(loss.kind)},
                    {"name", text.name},
                    {"share", serial::rounded(loss.share, kLossDigits)},
                    {"cost_s", serial::rounded(loss.share * basis.time_s, kLossDigits)},
                    {"of", basis.is_step ? "step" : "run"},
                    {"cause", text.cause},
                    {"next_step", text.next_step}});
  }
  return list;
}

std::string explanation_json(const Run& run, const Analysis& analysis,
                             const ExplanationSelection& selection) {
  Json experiments = Json::array();
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    Explanations explanations(run, experiment);
    Json points = Json::array();
    for (const RooflinePoint& point : experiment.points) {
      if (is_named(point, selection.point)) points.push_back(to_json(run, point, explanations.of(point)));
    }
    Json steps = Json::array();
    for (const LadderStep& step : experiment.steps) {
      if (is_named(*step.to, selection.point)) steps.push_back(to_json(step, explanations.of(step)));
    }
    if (points.empty() && experiment.missing.empty()) continue;
    experiments.push_back({{"experiment", experiment.name},
                           {"device", experiment.device},
                           {"points", points},
                           {"ranges", selection.point.empty() ? ranges_json(run, experiment) : Json::array()},
                           {"missing", experiment.missing},
                           {"steps", steps}});
  }
  return serial::to_document(Json{{"experiments", experiments}});
}

}  // namespace rooflinectl
