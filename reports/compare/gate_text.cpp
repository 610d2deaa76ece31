// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "reports/compare/comparison_reports.h"
#include "reports/text/format.h"
#include "reports/text/markup.h"
#include "reports/text/text_table.h"

namespace rooflinectl {

namespace {

std::string value_text(GateCheck check, double value) {
  using Show = std::string (*)(double);
  constexpr std::array<Show, kGateChecks.size()> kShow = {
      format::duration, format::percent, [](double bytes) { return format::amount(bytes, "B"); },
      [](double operations) { return format::amount(operations, format::kOps); }};
  return kShow.at(static_cast<std::size_t>(check))(value);
}

std::string number_text(const GateResult& result, double value) {
  return result.outcome == GateOutcome::unchecked ? format::kUnavailable : value_text(result.check, value);
}

// A change that the usual digits would hide is shown to the last operation.
std::string change_text(const GateResult& result) {
  if (result.from == 0) return format::kUnavailable;
  const std::string usual = format::change(result.to / result.from);
  const bool is_hidden = result.to != result.from && usual.starts_with('0');
  if (!is_hidden || result.check != GateCheck::operations) return usual;
  return fmt::format("{:+.0f} {}", result.to - result.from, format::kOps);
}

// A check of a point whose smallest change that fails is known.
struct DetectableChange {
  double change = 0;
  std::string_view label;
};

std::vector<DetectableChange> detectable_changes(const Gate& gate, GateCheck check) {
  std::vector<DetectableChange> changes;
  for (const GatePoint& point : gate.points) {
    for (const GateResult& result : point.results) {
      if (result.check == check && result.detectable) {
        changes.push_back({*result.detectable, point.point->label});
      }
    }
  }
  std::ranges::stable_sort(changes, {}, &DetectableChange::change);
  return changes;
}

std::string detectable_text(GateCheck check, double change) {
  if (change == 0) return "any";
  return format::change(check == GateCheck::roof ? 1 - change : 1 + change);
}

// What was not checked, after the verdict.
std::string missing_note(const Gate& gate) {
  std::string note;
  if (!missing_texts(*gate.comparison).empty()) note += "; not all points of the plans were checked";
  const std::size_t groups = gate.coverage.missing_groups.size();
  if (groups > 0) note += fmt::format("; {} of the base missing", format::counted(groups, "launch group"));
  const std::size_t points = gate.coverage.missing_points.size();
  if (points > 0 && gate.options.allow_other_points) {
    note += fmt::format("; {} of the base missing", format::counted(points, "point"));
  }
  return note;
}

// A check worth a row: it regressed or is uncertain, or its time cannot be compared; or a lost point, which
// has no checks.
struct GateRow {
  const GatePoint* point = nullptr;
  const GateResult* result = nullptr;  // null where the point was lost
};

// Regressions first.
std::vector<GateRow> gate_rows(const Gate& gate) {
  std::vector<GateRow> rows;
  for (const GatePoint& point : gate.points) {
    if (!point.loss.empty()) rows.push_back({&point, nullptr});
  }
  const auto add = [&](auto is_wanted) {
    for (const GatePoint& point : gate.points) {
      for (const GateResult& result : point.results) {
        if (is_wanted(point, result)) rows.push_back({&point, &result});
      }
    }
  };
  for (const GateOutcome outcome : {GateOutcome::regressed, GateOutcome::uncertain}) {
    add([=](const GatePoint&, const GateResult& result) { return result.outcome == outcome; });
  }
  // Numbers that the base lacks are not news; a time that cannot be compared is.
  add([](const GatePoint& point, const GateResult& result) {
    return result.outcome == GateOutcome::unchecked &&
           point.point->change == PointChange::timed_differently && result.check == GateCheck::time;
  });
  return rows;
}

// Outcome, point, experiment, check, before, now, change, limit, cause: the rows of `gate_rows`.
Table gate_table(const Gate& gate) {
  Table table = {.columns = {column::text("outcome"), column::sentence("point"), column::text("experiment"),
                             column::text("check"), column::number("before"), column::number("now"),
                             column::number("change"), column::number("limit"), column::sentence("cause")},
                 .dispensable = {"experiment", "limit"}};
  const std::string& none = format::kUnavailable;
  for (const GateRow& row : gate_rows(gate)) {
    const PointComparison& point = *row.point->point;
    if (row.result == nullptr) {
      table.rows.push_back({std::string(to_string(point.change)), point.label, point.point.experiment, none,
                            none, none, none, none, row.point->loss});
      continue;
    }
    const GateResult& result = *row.result;
    table.rows.push_back({std::string(to_string(result.outcome)), point.label, point.point.experiment,
                          std::string(to_string(result.check)), number_text(result, result.from),
                          number_text(result, result.to), change_text(result),
                          number_text(result, result.limit), result.reason});
  }
  return table;
}

// A sentence, and what it counts.
struct GateNote {
  std::string text;
  std::span<const GateMissing> missing = {};
};

// What was not checked; about the new run as a whole, `failed: exit code: the program ended with exit code 1;
// …`, `note: groups: 3 groups of the base (1.2 % of its GPU time) are not in the new run`; and why the runs
// cannot be compared.
std::vector<GateNote> gate_notes(const Gate& gate) {
  std::vector<GateNote> notes;
  for (const std::string& missing : missing_texts(*gate.comparison))
    notes.push_back({"not checked: " + missing});
  for (const GateRunResult& result : gate.run) {
    if (result.text.empty()) continue;
    notes.push_back({fmt::format("{}: {}: {}{}", result.has_failed ? "failed" : "note",
                                 to_string(result.check), result.text, result.missing.empty() ? "" : ":"),
                     result.missing});
  }
  for (const std::string& reason : gate.incomparable) notes.push_back({reason});
  return notes;
}

// `   12.3 %  gemm<…> grid 64`, which goes on below its name where a line is too short.
std::string missing_lines(const GateMissing& missing, std::size_t width) {
  const std::string share = missing.share.empty() ? "  " : fmt::format("  {:>7}  ", missing.share);
  return paragraph(missing.label, width, share.size()).replace(0, share.size(), share);
}

// `FAILED: 2 of 142 checks of 36 points regressed, 1 point was lost; 3 uncertain, 2 unchecked`
std::string gate_verdict(const Gate& gate) {
  const std::string note = primitives_note(*gate.comparison) + missing_note(gate);
  if (!gate.incomparable.empty()) return "NOT COMPARABLE" + note;
  const std::size_t regressed = gate.count(GateOutcome::regressed);
  const std::size_t uncertain = gate.count(GateOutcome::uncertain);
  const std::size_t unchecked = gate.count(GateOutcome::unchecked);
  const auto is_lost = [](const GatePoint& point) { return !point.loss.empty(); };
  const auto lost = static_cast<std::size_t>(std::ranges::count_if(gate.points, is_lost));
  std::vector<std::string> parts;
  if (regressed > 0) parts.push_back(fmt::format("{} regressed", regressed));
  for (const GateRunResult& result : gate.run) {
    if (result.has_failed) parts.push_back(fmt::format("{} failed", to_string(result.check)));
  }
  if (lost > 0) parts.push_back(fmt::format("{} lost", format::counted(lost, "point")));
  parts.push_back(fmt::format("{} passed", gate.count(GateOutcome::passed)));
  if (uncertain > 0) parts.push_back(fmt::format("{} uncertain", uncertain));
  if (unchecked > 0) parts.push_back(fmt::format("{} unchecked", unchecked));
  const std::size_t checks = regressed + uncertain + unchecked + gate.count(GateOutcome::passed);
  return fmt::format("{}: {} of {}: {}{}", gate.regressed() ? "FAILED" : "PASSED",
                     format::counted(checks, "check"), format::counted(gate.points.size(), "point"),
                     format::joined(parts), note);
}

// `time +5 %, roof −5 %, dram +2 %, operations +0 %`
std::string gate_limits(const Gate& gate) {
  return format::joined(gate.options.checks, ", ", [&](GateCheck check) {
    const std::string_view sign = check == GateCheck::roof ? "−" : "+";
    return fmt::format("{} {}{:g} %", to_string(check), sign, gate.options.limit(check) * 100);
  });
}

// How small a change could have been and still fail, per check at the median point and at the noisiest:
// `time +5.4 %, at V7 +9.8 %; roof −5.3 %, at V7 −8.9 %; dram +2.1 %; operations any`. Empty if nothing was
// checked.
std::string gate_detectable(const Gate& gate) {
  std::vector<std::string> texts;
  for (const GateCheck check : gate.options.checks) {
    const std::vector<DetectableChange> changes = detectable_changes(gate, check);
    if (changes.empty()) continue;
    const DetectableChange& noisiest = changes.back();
    const std::string typical = detectable_text(check, changes[(changes.size() - 1) / 2].change);
    const std::string worst = detectable_text(check, noisiest.change);
    texts.push_back(fmt::format("{} {}", to_string(check), typical));
    if (worst != typical) texts.back() += fmt::format(", at {} {}", noisiest.label, worst);
  }
  return format::joined(texts, "; ");
}

}  // namespace

std::string gate_sentence(const GateResult& result) {
  if (result.outcome == GateOutcome::unchecked) {
    return fmt::format("{}: {}", to_string(result.check), result.reason);
  }
  return fmt::format("{} {}, was {} ({}); limit {}", to_string(result.check),
                     value_text(result.check, result.to), value_text(result.check, result.from),
                     change_text(result), value_text(result.check, result.limit));
}

std::string gate_text(const Gate& gate, int columns) {
  const auto width = static_cast<std::size_t>(std::max(columns, 1));
  std::string text;
  for (const AnalysedRun& base : gate.comparison->baseline) text += side_text("base:", base, width);
  for (const AnalysedRun& repeat : gate.comparison->repeats) text += side_text("new:", repeat, width);
  text += side_text("new:", *gate.comparison->now, width);
  text += paragraph(fmt::format("allowed: {}", gate_limits(gate)), width);
  const std::string detectable = gate_detectable(gate);
  if (!detectable.empty()) text += paragraph("smallest change that fails: " + detectable, width);
  Table table = gate_table(gate);
  table.remove_empty();
  if (!table.rows.empty()) text += fmt::format("\n{}\n", text_table(table, width));
  for (const GateNote& note : gate_notes(gate)) {
    text += paragraph(note.text, width);
    for (const GateMissing& missing : note.missing) text += missing_lines(missing, width);
  }
  return text + paragraph(gate_verdict(gate), width);
}

std::string gate_md(const Gate& gate) {
  std::string text = fmt::format("# Roofline gate: {}\n\n", markdown::escaped(gate_verdict(gate)));
  for (const GateNote& note : gate_notes(gate)) {
    text += fmt::format("- {}\n", markdown::escaped(note.text));
    for (const GateMissing& missing : note.missing)
      text += fmt::format("  - {}\n", markdown::escaped(missing_text(missing)));
  }
  const Table table = gate_table(gate);
  if (!table.rows.empty()) text += "\n" + markdown::table(table);
  text += fmt::format("\nAllowed: {}.\n", gate_limits(gate));
  const std::string detectable = gate_detectable(gate);
  if (!detectable.empty()) {
    text += fmt::format("\nSmallest change that fails: {}.\n", markdown::escaped(detectable));
  }
  text += "\n";
  for (const AnalysedRun& base : gate.comparison->baseline) text += side_item("base", base);
  for (const AnalysedRun& repeat : gate.comparison->repeats) text += side_item("new", repeat);
  return text + side_item("new", *gate.comparison->now);
}

}  // namespace rooflinectl
