// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "reports/compare/comparison_reports.h"
#include "reports/text/format.h"
#include "reports/text/markup.h"

namespace rooflinectl {
namespace {

/// A test suite in the making: its cases and what they came to.
class Suite {
 public:
  explicit Suite(std::string name) : name_(std::move(name)) {}

  void pass(const std::string& name, double seconds) { add(name, seconds, ""); }

  /// Something to say about what passed.
  void note(const std::string& text) { notes_ += text + "\n"; }

  void skip(const std::string& name) {
    ++skipped_;
    add(name, 0, "      <skipped/>\n");
  }

  void fail(const std::string& name, double seconds, const std::string& message) {
    ++failures_;
    add(name, seconds, complaint("failure", "regression", message));
  }

  void error(const std::string& name, const std::string& message) {
    ++errors_;
    add(name, 0, complaint("error", "not comparable", message));
  }

  const std::string& name() const { return name_; }

  std::string xml(std::size_t id, const Run& run) const {
    // Ant's schema has whole seconds and no time zone.
    const std::string timestamp = run.started_utc.substr(0, 19);
    return fmt::format(
        "  <testsuite id=\"{}\" package=\"rooflinectl\" name=\"{}\" timestamp=\"{}\" hostname=\"{}\" "
        "tests=\"{}\" "
        "failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n    <properties/>\n{}    "
        "<system-out>{}</system-out>\n"
        "    <system-err/>\n  </testsuite>\n",
        id, escape_markup(name_), escape_markup(timestamp),
        escape_markup(run.host.empty() ? "localhost" : run.host), tests_, failures_, errors_, skipped_,
        seconds_, cases_, escape_markup(notes_));
  }

 private:
  void add(const std::string& name, double seconds, const std::string& content) {
    ++tests_;
    seconds_ += seconds;
    cases_ += fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"{:.9f}\"", escape_markup(name),
                          escape_markup(fmt::format("rooflinectl.{}", name_)), seconds);
    cases_ += content.empty() ? "/>\n" : fmt::format(">\n{}    </testcase>\n", content);
  }

  static std::string complaint(std::string_view element, std::string_view type, const std::string& message) {
    const std::string text = escape_markup(message);
    return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{2}</{0}>\n", element, type, text);
  }

  std::string name_;
  std::string cases_;
  std::string notes_;
  std::size_t tests_ = 0;
  std::size_t failures_ = 0;
  std::size_t errors_ = 0;
  std::size_t skipped_ = 0;
  double seconds_ = 0;
};

void add_result(Suite& suite, const GateRunResult& result) {
  const std::string name(to_string(result.check));
  const auto missing = [](const GateMissing& one) { return missing_text(one); };
  const std::string text = fmt::format("{}{}{}", result.text, result.missing.empty() ? "" : ": ",
                                       format::joined(result.missing, ", ", missing));
  if (result.has_failed) return suite.fail(name, 0, text);
  suite.pass(name, 0);
  if (!text.empty()) suite.note(fmt::format("{}: {}", name, text));
}

void add_result(Suite& suite, const std::string& point, const GateResult& result) {
  const std::string name = fmt::format("{} {}", point, to_string(result.check));
  // The point was timed only once: its time goes with the check of the time.
  const double seconds = result.check == GateCheck::time ? result.to : 0;
  if (result.outcome == GateOutcome::regressed) return suite.fail(name, seconds, gate_sentence(result));
  if (result.outcome == GateOutcome::unchecked) return suite.skip(name);
  suite.pass(name, seconds);
}

Suite& suite_of(std::vector<Suite>& suites, const std::string& name) {
  const auto known = std::ranges::find(suites, name, &Suite::name);
  return known != suites.end() ? *known : suites.emplace_back(name);
}

}  // namespace

std::string gate_junit(const Gate& gate) {
  std::vector<Suite> suites;
  Suite& runs = suite_of(suites, "runs");
  for (const std::string& reason : gate.incomparable) runs.error("comparable", reason);
  if (gate.incomparable.empty()) runs.pass("comparable", 0);
  for (const GateRunResult& result : gate.run) add_result(runs, result);
  for (const GatePoint& point : gate.points) {
    Suite& suite = suite_of(suites, point.point->point.experiment);
    const std::string name =
        range_name(point.point->point) + device_suffix(*gate.comparison, point.point->device);
    if (!point.loss.empty()) suite.fail(fmt::format("{} measured", name), 0, point.loss);
    for (const GateResult& result : point.results) add_result(suite, name, result);
  }
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  std::size_t id = 0;
  for (const Suite& suite : suites) xml += suite.xml(id++, gate.comparison->now->run);
  return xml + "</testsuites>\n";
}

}  // namespace rooflinectl
