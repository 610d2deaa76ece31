// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/program/recoverable.h"
#include "core/enum_names.h"
#include "core/json/json.h"
#include "core/serial/field_writer.h"
#include "core/serial/fields/application_fields.h"
#include "reports/formats/formats.h"
#include "reports/model/report_model.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/tables.h"

namespace rooflinectl {

namespace {

using serial::Json;

Json evidence_json(const QuantityValue& evidence) {
  const Quantity& quantity = *evidence.quantity;
  return {{"name", quantity.name}, {"value", evidence.value}, {"unit", to_string(quantity.unit)}};
}

Json unjudged_json(const UnjudgedRule& rule) {
  return {{"rule", rule.rule}, {"missing", rule.missing}};
}

Json explained_change_json(const CounterChange& change) {
  return {{"text", change.meaning()},
          {"quantity", change.quantity->name},
          {"from", change.from},
          {"to", change.to}};
}

Json finding_json(const Finding& finding) {
  return {{"rule", finding.rule},
          {"importance", to_string(finding.importance)},
          {"text", finding.text},
          {"evidence", serial::list_of(finding.evidence, evidence_json)},
          {"next_step", finding.next_step}};
}

/// As `run.json` has them, each with its share.
Json source_lines_json(const SampledLines& sampled) {
  Json value = serial::to_json(sampled);
  for (std::size_t i = 0; i < sampled.lines.size(); ++i) {
    value["lines"][i]["share"] =
        static_cast<double>(sampled.lines[i].samples) / static_cast<double>(sampled.samples);
  }
  return value;
}

// What tells `point` from all others of its run, and is the same in another run of the same program or plan:
// its range name; in runs of several devices, ranks or processes also which of them.
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

Json explained_point_json(const Run& run, const RooflinePoint& point, const PointExplanation& explanation) {
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
  value["implausible"] =
      serial::list_of(point.implausible, [](const auto& finding) { return finding.text(); });
  value["evidence"] = point.evidence;
  value["findings"] = serial::list_of(explanation.findings, finding_json);
  value["not_judged"] = serial::list_of(explanation.unjudged, unjudged_json);
  if (const SampledLines* sampled = sampled_lines(point)) value["sampled"] = source_lines_json(*sampled);
  return value;
}

Json step_json(const LadderStep& step, const StepExplanation& explanation) {
  return {
      {"from", step.from->label}, {"to", step.to->label},
      {"speedup", step.speedup},  {"changes", serial::list_of(step.counter_changes, explained_change_json)},
      {"gone", explanation.gone}, {"came", explanation.came}};
}

Json range_json(const RangeUse& use) {
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
  constexpr std::array<std::string_view, kEnumerators<LossKind>.size()> kIds = {
      "waiting", "idle", "fusion", "short", "kernel", "kernel"};
  return kIds.at(static_cast<std::size_t>(kind));
}

Json ranges_json(const Run& run, const ExperimentAnalysis& experiment) {
  const auto program = program_use(run, experiment);
  if (!program) return Json::array();
  Json ranges = serial::list_of(program->ranges, range_json);
  if (program->outside.launches > 0) ranges.push_back(range_json(program->outside));
  return ranges;
}

constexpr int kBriefDigits = 4;

Json brief_number(double value) {
  return serial::rounded(value, kBriefDigits);
}

/// How sure the verdict on a point is, and so what can be gained.
enum class Confidence { high, medium, low };

/// A point, and what it could gain at its roof.
struct Candidate {
  const ExperimentAnalysis* experiment = nullptr;
  const RooflinePoint* point = nullptr;
  std::optional<double> gain_s;         ///< of all launches of a program, or of one; nothing without a roof
  std::optional<double> gain_fraction;  ///< of the program's GPU time, or of the launch
  double time_s = 0;                    ///< that the gain is a part of; 0 where it was not timed

  bool is_broken() const {
    return point->measurement->status == Status::failed || point->measurement->status == Status::unverified;
  }
};

Candidate candidate(const ExperimentAnalysis& experiment, const RooflinePoint& point) {
  Candidate made = {&experiment, &point, {}, {}, 0};
  if (point.launches) {
    made.time_s = point.launches->total_s;
    made.gain_s = point.launches->recoverable_s;
    if (made.gain_s && made.time_s > 0) {
      made.gain_fraction = *made.gain_s / made.time_s * point.launches->share;
    }
  } else if (point.measurement->time) {
    made.time_s = point.measurement->time->median_s;
    if (point.fraction_of_roofline) {
      made.gain_fraction = std::max(0.0, 1 - *point.fraction_of_roofline);
      made.gain_s = *made.gain_fraction * made.time_s;
    }
  }
  return made;
}

/// Those that failed first, then by what they could gain; those without a roof last, by their time.
bool comes_first(const Candidate& a, const Candidate& b) {
  if (a.is_broken() != b.is_broken()) return a.is_broken();
  if (a.gain_s.has_value() != b.gain_s.has_value()) return a.gain_s.has_value();
  return a.gain_s ? *a.gain_s > *b.gain_s : a.time_s > b.time_s;
}

std::vector<Candidate> candidates(const Analysis& analysis, const ExplanationSelection& selection) {
  std::vector<Candidate> all;
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    for (const RooflinePoint& point : experiment.points) {
      if (is_named(point, selection.point)) all.push_back(candidate(experiment, point));
    }
  }
  std::ranges::stable_sort(all, comes_first);
  return all;
}

bool overlaps_others(const RooflinePoint& point) {
  return point.launches && point.launches->is_overlapped;
}

Confidence confidence(const RooflinePoint& point, const std::vector<Finding>& findings) {
  if (point.bound == Bound::unknown || !point.fraction_of_roofline || findings.empty() ||
      !point.implausible.empty()) {
    return Confidence::low;
  }
  const bool is_sure = point.flags.empty() && point.verdict.unjudged.empty() && !overlaps_others(point);
  return is_sure ? Confidence::high : Confidence::medium;
}

/// Why it is not surer than that.
Json doubts(const RooflinePoint& point) {
  Json texts = Json::array();
  for (const std::string_view flag : names_of(point.flags)) texts.push_back(flag);
  for (const Implausible& reason : point.implausible) texts.push_back(reason.text());
  if (overlaps_others(point)) texts.push_back("overlapped: the program may gain less than its kernel");
  if (!point.roof_missing.empty()) texts.push_back("no roof: " + plain_cause(point.roof_missing));
  for (const std::string& reason : point.verdict.unjudged)
    texts.push_back("not judged: " + plain_cause(reason));
  return texts;
}

/// What every row has.
Json short_row(const Candidate& candidate, const std::vector<Finding>& findings) {
  const RooflinePoint& point = *candidate.point;
  Json row = {{"point", point.label}, {"experiment", candidate.experiment->name}};
  if (candidate.is_broken()) {
    row["status"] = to_string(point.measurement->status);
    row["cause"] = point.measurement->cause;
    return row;
  }
  row["verdict"] = to_string(point.bound);
  if (point.fraction_of_roofline) row["fraction_of_roofline"] = brief_number(*point.fraction_of_roofline);
  if (candidate.gain_s) row["gain_s"] = brief_number(*candidate.gain_s);
  if (candidate.gain_fraction) row["gain_fraction"] = brief_number(*candidate.gain_fraction);
  row["confidence"] = to_string(confidence(point, findings));
  if (!findings.empty()) row["next_step"] = findings.front().next_step;
  return row;
}

Json full_row(const Candidate& candidate, const std::vector<Finding>& findings) {
  const RooflinePoint& point = *candidate.point;
  Json row = short_row(candidate, findings);
  if (candidate.is_broken()) return row;
  if (point.measurement->time) row["time_s"] = brief_number(point.measurement->time->median_s);
  if (point.launches) row["share_of_gpu_time"] = brief_number(point.launches->share);
  const auto brief = [](const QuantityValue& number) -> Json {
    return {{"name", number.quantity->name},
            {"value", brief_number(number.value)},
            {"unit", to_string(number.quantity->unit)}};
  };
  row["evidence"] = findings.empty() ? Json::array() : serial::list_of(findings.front().evidence, brief);
  row["also"] = Json::array();
  for (std::size_t i = 1; i < findings.size(); ++i) row["also"].push_back(findings[i].rule);
  row["doubts"] = doubts(point);
  return row;
}

/// Rows as text, and the document that they make.
class Brief {
 public:
  Brief(const Json& head, std::size_t bytes) : head_(serial::to_text(head)), bytes_(bytes) {
    head_.pop_back();
  }

  /// Adds those of `losses` for which there is space beside the account of `left_out`, before any row.
  /// Returns how many are left out.
  std::size_t add_losses(const Json& losses, const Json& left_out) {
    std::string texts;
    std::size_t added = 0;
    for (const Json& loss : losses) {
      const std::string text = (texts.empty() ? "" : ",") + serial::to_text(loss);
      if (head_.size() + texts.size() + text.size() + kBetween + end(left_out).size() > bytes_) break;
      texts += text;
      ++added;
    }
    if (added > 0) head_ += ",\"losses\":[" + texts + "]";
    head_ += ",\"rows\":[";
    return losses.size() - added;
  }

  /// Adds `row` if there is space for it beside the account of `left_out`.
  bool add(const Json& row, const Json& left_out) {
    const std::string text = (rows_.empty() ? "" : ",") + serial::to_text(row);
    if (head_.size() + rows_.size() + text.size() + end(left_out).size() > bytes_) return false;
    rows_ += text;
    return true;
  }

  std::string document(const Json& left_out) const { return head_ + rows_ + end(left_out); }

 private:
  static constexpr std::size_t kBetween = 32;  // the names of both lists

  static std::string end(const Json& left_out) {
    return "],\"left_out\":" + serial::to_text(left_out) + "}\n";
  }

  std::string head_;
  std::size_t bytes_;
  std::string rows_;
};

/// What is not in the rows: points, and what they could gain.
Json left_out_json(const std::vector<Candidate>& all, std::size_t shown, std::size_t losses,
                   std::size_t devices) {
  double gain_s = 0;
  for (std::size_t i = shown; i < all.size(); ++i) gain_s += all[i].gain_s.value_or(0);
  Json value = {{"points", all.size() - shown}, {"gain_s", brief_number(gain_s)}};
  if (losses > 0) value["losses"] = losses;
  if (devices > 0) value["devices"] = devices;
  return value;
}

/// A few devices with names of usual length; returns how many of the others there are.
std::size_t shorten_devices(Json& devices) {
  constexpr std::size_t kMost = 1;
  constexpr std::size_t kLongest = 64;
  const std::size_t all = devices.size();
  while (devices.size() > kMost) devices.erase(devices.size() - 1);
  for (Json& device : devices) {
    for (auto& [name, value] : device.items()) {
      if (value.get_ref<const std::string&>().size() > kLongest) value = "";
    }
  }
  return all - devices.size();
}

}  // namespace

Json losses_json(const ReportModel& report) {
  Json list = Json::array();
  if (report.experiments.empty() || !report.experiments.front().program) return list;
  const ProgramUse& program = *report.experiments.front().program;
  const LossBasis basis = loss_basis(program);
  for (const Loss& loss : losses(program)) {
    const LossText text = loss_text(program, loss);
    if (text.cause.empty()) continue;
    list.push_back({{"loss", loss_id(loss.kind)},
                    {"name", text.name},
                    {"share", brief_number(loss.share)},
                    {"cost_s", brief_number(loss.share * basis.time_s)},
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
      if (is_named(point, selection.point))
        points.push_back(explained_point_json(run, point, explanations.of(point)));
    }
    Json steps = Json::array();
    for (const LadderStep& step : experiment.steps) {
      if (is_named(*step.to, selection.point)) steps.push_back(step_json(step, explanations.of(step)));
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

std::string brief_json(const Run& run, const Analysis& analysis, const ExplanationSelection& selection,
                       const Json& losses, Json head, std::size_t bytes) {
  const std::size_t devices = shorten_devices(head["devices"]);
  const std::vector<Candidate> all = candidates(analysis, selection);
  Brief brief(head, bytes);
  const std::size_t losses_left = brief.add_losses(losses, left_out_json(all, 0, losses.size(), devices));
  std::size_t shown = 0;
  for (; shown < all.size(); ++shown) {
    const std::vector<Finding> findings = explain(run, *all[shown].point).findings;
    const Json rest = left_out_json(all, shown + 1, losses_left, devices);
    if (!brief.add(full_row(all[shown], findings), rest) &&
        !brief.add(short_row(all[shown], findings), rest)) {
      break;
    }
  }
  return brief.document(left_out_json(all, shown, losses_left, devices));
}

}  // namespace rooflinectl
