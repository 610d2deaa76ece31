// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/kernels_section.h"
#include "core/text/names.h"
#include "core/text/written_number.h"

namespace rooflinectl::yaml {

namespace {

/// The axis that has the names of cases.
constexpr std::string_view kCase = "case";

/// Reports a name that no axis can have.
bool check_axis_name(Reader& reader, const Field& axis) {
  if (!is_identifier(axis.key)) {
    reader.fail(axis.position, fmt::format("the name of an axis, {}, must consist of letters, digits and '_'",
                                           in_quotes(axis.key)));
    return false;
  }
  if (axis.key == axis::kCache || axis.key == axis::kMode || axis.key == axis::kGpus) {
    reader.fail(axis.position, fmt::format("'{}' cannot be an axis of a kernel", axis.key));
    return false;
  }
  return true;
}

std::optional<Axes::Value> axis_value(Reader& reader, const std::string& axis, const std::string& text,
                                      Position position) {
  if (const auto number = parse_elements(text)) {
    const bool is_launched = axis == axis::kBlock || axis == axis::kElements;
    if (axis != axis::kDtype && (!is_launched || *number <= (1U << 20U))) return Axes::Value(*number);
  }
  if (axis == axis::kDtype) {
    const auto dtype = reader.one_of<Dtype>(text, position, "dtype");
    return dtype ? std::optional(Axes::Value(std::string(to_string(*dtype)))) : std::nullopt;
  }
  const bool is_number_only = axis == axis::kSize || axis == axis::kBlock || axis == axis::kElements;
  if (!is_number_only && is_plain_name(text)) return Axes::Value(text);
  reader.fail(position, is_number_only
                            ? fmt::format("{} is not a number, such as 256 or 2^28", in_quotes(text))
                            : fmt::format("{} is neither a number nor a name of letters, digits, '_' and '-'",
                                          in_quotes(text)));
  return std::nullopt;
}

void read_axis(Reader& reader, KernelEntry& entry, const Field& axis) {
  const List<Axes::Value> values =
      reader.list<Axes::Value>(axis, [&](const std::string& text, Position position) {
        return axis_value(reader, axis.key, text, position);
      });
  if (values.empty()) return;
  entry.places["axes." + axis.key] = axis.position;
  KernelAxis& added = entry.axes.emplace_back(KernelAxis{axis.key, {}});
  for (const auto& value : values) added.values.push_back(value.value);
  entry.kernel.first.set_value(axis.key, added.values.front());
}

/// Reads the cases of one kernel.
class CasesReader {
 public:
  CasesReader(Reader& reader, KernelEntry& entry) : reader_(reader), entry_(entry) {}

  void read(const Field& member) {
    const YAML::Node& node = member.value;
    if ((!node.IsMap() && !node.IsSequence()) || node.size() == 0) {
      reader_.fail(
          member.position,
          "'cases' is a list of values, `[{m: 1, n: 64}, {m: 64, n: 64}]`, or a map from names to such");
      return;
    }
    for (const KernelAxis& axis : entry_.axes) {
      if (axis.values.size() == 1) continue;
      reader_.fail(
          entry_.places["axes." + axis.name],
          fmt::format("'{}' has several values, and 'cases' are not multiplied: list it in each case",
                      axis.name));
      has_failed_ = true;
    }
    if (node.IsMap() && has_default(std::string(kCase))) {
      fail(entry_.places[fmt::format("axes.{}", kCase)], "the axis 'case' has the names of cases");
    }
    if (node.IsSequence()) {
      for (const auto& one : node) read_case(one, position_of(one), "");
    } else {
      for (const Field& one : reader_.fields(member)) {
        if (is_plain_name(one.key)) {
          read_case(one.value, one.position, one.key);
        } else {
          fail(one.position,
               fmt::format("the name of a case, {}, must consist of letters, digits, '_' and '-'",
                           in_quotes(one.key)));
        }
      }
    }
    if (!entry_.cases.empty()) entry_.kernel.first = entry_.cases.front();
    // None is measured while one is wrong.
    if (has_failed_) entry_.cases.resize(std::min<std::size_t>(entry_.cases.size(), 1));
  }

 private:
  void read_case(const YAML::Node& node, Position position, const std::string& name) {
    if (!node.IsMap() || node.size() == 0) {
      fail(position, "a case is a map from axes to values, such as `{m: 1, n: 64}`");
      return;
    }
    Axes axes = first_;  // whose order of axes all have
    if (!name.empty()) axes.set(kCase, name);
    for (const KernelAxis& axis : entry_.axes) axes.set_value(axis.name, axis.values.front());
    std::set<std::string> given;
    for (const Field& axis : reader_.fields(node, position, "the case")) {
      given.insert(axis.key);
      const auto value = value_of(axis, !name.empty());
      if (value) axes.set_value(axis.key, *value);
      has_failed_ = has_failed_ || !value;
    }
    if (is_first_) {
      first_ = axes;
      required_ = given;
    }
    is_first_ = false;
    require_all(given, position);
    Axes values = axes;
    if (!name.empty()) values.erase(kCase);
    if (!seen_.insert(std::move(values)).second && !has_failed_) {
      fail(position, "an earlier case has the same values");
    }
    entry_.cases.push_back(std::move(axes));
  }

  /// Nothing, which is reported, unless it is a value of an axis that a case can set.
  std::optional<Axes::Value> value_of(const Field& axis, bool is_named) {
    if (!check_axis_name(reader_, axis)) return std::nullopt;
    if (is_named && axis.key == kCase) {
      reader_.fail(axis.position, "the axis 'case' has the names of cases");
      return std::nullopt;
    }
    if (!is_first_ && !required_.contains(axis.key) && !has_default(axis.key)) {
      std::vector<std::string> names(required_.begin(), required_.end());
      for (const KernelAxis& known : entry_.axes) names.push_back(known.name);
      reader_.fail(axis.position,
                   fmt::format("unknown axis {}{}", in_quotes(axis.key), suggestion(axis.key, names)));
      return std::nullopt;
    }
    const auto text = reader_.single_value(axis.value);
    return text ? axis_value(reader_, axis.key, *text, position_of(axis.value)) : std::nullopt;
  }

  /// Whether `axes` has a value for it.
  bool has_default(const std::string& axis) const {
    return std::ranges::any_of(entry_.axes, [&](const KernelAxis& known) { return known.name == axis; });
  }

  void require_all(const std::set<std::string>& given, Position position) {
    for (const std::string& axis : required_) {
      if (given.contains(axis) || has_default(axis)) continue;
      fail(position, fmt::format("the case has no '{}', which the first one has", axis));
    }
  }

  void fail(Position position, const std::string& text) {
    reader_.fail(position, text);
    has_failed_ = true;
  }

  Reader& reader_;
  KernelEntry& entry_;
  bool is_first_ = true;
  bool has_failed_ = false;
  Axes first_;
  std::set<std::string> required_;  // the axes that the first case sets
  std::set<Axes> seen_;
};

}  // namespace

bool is_identifier(std::string_view name) {
  const bool begins_with_digit = !name.empty() && name.front() >= '0' && name.front() <= '9';
  return is_plain_name(name) && !begins_with_digit && name.find('-') == std::string_view::npos;
}

void read_axes(Reader& reader, KernelEntry& entry, const Field& member) {
  for (const Field& axis : reader.fields(member)) {
    if (check_axis_name(reader, axis)) read_axis(reader, entry, axis);
  }
}

void read_cases(Reader& reader, KernelEntry& entry, const Field& member) {
  CasesReader(reader, entry).read(member);
}

}  // namespace rooflinectl::yaml
