// SPDX-License-Identifier: Apache-2.0
#include "analysis/explain/explanation.h"

#include <algorithm>

#include "analysis/roofline/point.h"
#include "core/text/kernel_name.h"

namespace rooflinectl {

namespace {

bool holds(const Condition& condition, double value) {
  switch (condition.relation) {
    case Relation::at_least:
      return value >= condition.threshold;
    case Relation::at_most:
      return value <= condition.threshold;
    case Relation::less_than:
      return value < condition.threshold;
  }
  return false;
}

/// Whether no condition is known to fail. Notes the quantities that have no number.
bool may_hold(const std::vector<Condition>& conditions, const Run& run, const RooflinePoint& point,
              std::vector<std::string_view>& missing) {
  for (const Condition& condition : conditions) {
    const Quantity& quantity = *condition.quantity;
    if (quantity.is_of_nothing != nullptr && quantity.is_of_nothing(point)) return false;
    const std::optional<double> value = quantity.of(run, point);
    if (value && !holds(condition, *value)) return false;
    if (!value) missing.push_back(quantity.name);
  }
  return true;
}

bool is_of_declared_work(const Rule& rule) {
  const auto is_declared = [](const Condition& condition) { return condition.quantity->is_of_declared_work; };
  return std::ranges::any_of(rule.only_if, is_declared) || std::ranges::any_of(rule.when, is_declared);
}

Finding finding_of(const Rule& rule, const Run& run, const RooflinePoint& point, std::string_view next_step) {
  Finding finding = {rule.id, rule.importance, rule.text, {}, next_step};
  const auto add = [&](const Quantity& quantity) {
    if (const auto value = quantity.of(run, point)) finding.evidence.push_back({&quantity, *value});
  };
  for (const Condition& condition : rule.when) add(*condition.quantity);
  for (const Quantity* quantity : rule.also) add(*quantity);
  return finding;
}

/// No resource is near its limit; these are nearest.
void add_largest_shares(Finding& finding, const RooflinePoint& point) {
  constexpr std::size_t kMost = 3;
  constexpr double kNotable = 0.1;
  const std::vector<ResourceShare>& shares = point.verdict.shares;
  for (std::size_t i = 0; i < std::min(kMost, shares.size()); ++i) {
    const Quantity* quantity = words_for(shares[i].resource).quantity;
    if (shares[i].share < kNotable) break;
    if (std::ranges::find(finding.evidence, quantity, &QuantityValue::quantity) == finding.evidence.end())
      finding.evidence.push_back({quantity, shares[i].share});
  }
}

/// Ids of the rules that hold for `a` and are known not to hold for `b`.
std::vector<std::string_view> only_in(const PointExplanation& a, const PointExplanation& b) {
  std::vector<std::string_view> ids;
  for (const Finding& finding : a.findings) {
    const auto is_of_rule = [&](const auto& one) { return one.rule == finding.rule; };
    if (std::ranges::any_of(b.findings, is_of_rule) || std::ranges::any_of(b.unjudged, is_of_rule)) continue;
    ids.push_back(finding.rule);
  }
  return ids;
}

/// Tensor Cores do nothing else; kernels without them tell it by their names.
bool multiplies_matrices(const Measurement& measurement) {
  return tensor_instructions(measurement.counters).value_or(0) > 0 ||
         measurement.point.subject.find("gemm") != std::string::npos;
}

}  // namespace

PointExplanation explain(const Run& run, const RooflinePoint& point) {
  constexpr std::string_view kChangeWhatIsCompiled =
      "A compiler wrote this kernel: change what it was made from (types, layouts, the order of operations), "
      "let the compiler tune more, or write the kernel by hand (Triton, Pallas).";
  PointExplanation explanation;
  const PointId& id = point.measurement->point;
  const bool is_of_library = is_observed(point) && is_library_kernel(id.subject);
  const bool is_product = is_of_library && multiplies_matrices(*point.measurement);
  const bool is_generated =
      is_observed(point) && is_generated_kernel(id.subject, id.axes.text(axis::kPath).value_or(""));
  for (const Rule& rule : rules()) {
    std::string_view next_step = is_of_library ? rule.step_for_library : rule.next_step;
    if (is_product && !rule.step_for_products.empty()) next_step = rule.step_for_products;
    if (next_step.empty()) continue;
    if (is_generated && rule.next_step != rule.step_for_library) next_step = kChangeWhatIsCompiled;
    if (rule.bound && (rule.bound != point.bound || !explanation.findings.empty())) continue;
    if (rule.restates == point.bound) continue;
    // Nothing else saves time while each addition waits for the one before.
    if (rule.importance == Importance::cause && point.bound == Bound::atomics) continue;
    if (has_executed_work_alone(point) ? is_of_declared_work(rule) : rule.is_for_programs) continue;
    std::vector<std::string_view> missing;
    if (!may_hold(rule.only_if, run, point, missing) || !may_hold(rule.when, run, point, missing)) continue;
    if (missing.empty()) {
      explanation.findings.push_back(finding_of(rule, run, point, next_step));
      if (rule.bound && is_latency(*rule.bound)) add_largest_shares(explanation.findings.back(), point);
    } else {
      explanation.unjudged.push_back({rule.id, std::move(missing)});
    }
  }
  if (point.bound == Bound::latency) {  // a cause says more than that launches wait
    std::stable_partition(explanation.findings.begin(), explanation.findings.end(),
                          [](const Finding& finding) { return finding.importance == Importance::cause; });
  }
  return explanation;
}

Explanations::Explanations(const Run& run, const ExperimentAnalysis& experiment)
    : run_(run), experiment_(experiment), points_(experiment.points.size()) {}

const PointExplanation& Explanations::of(const RooflinePoint& point) {
  auto& explanation = points_.at(static_cast<std::size_t>(&point - experiment_.points.data()));
  if (!explanation) explanation = explain(run_, point);
  return *explanation;
}

StepExplanation Explanations::of(const LadderStep& step) {
  const PointExplanation& before = of(*step.from);
  const PointExplanation& after = of(*step.to);
  return {.gone = only_in(before, after), .came = only_in(after, before)};
}

}  // namespace rooflinectl
