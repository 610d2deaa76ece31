// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/enum_names.h"
#include "core/text/mistakes.h"

/// YAML as plans use it: nodes with their places in the file. Private to the plan parser.
namespace rooflinectl::yaml {

/// The only document of a file. Throws Error(usage) if the text is not YAML, more than one document, or
/// larger, deeper or, with its aliases followed, longer than any plan.
YAML::Node load(std::string_view text, Mistakes& mistakes);

Position position_of(const YAML::Node& node);

/// Where the text of a scalar begins: behind its quote.
Position text_position(const YAML::Node& node);

/// A value and where it stands.
template <typename T>
struct Located {
  T value{};
  Position position;
};

template <typename T>
using List = std::vector<Located<T>>;

/// A member of a YAML map.
struct Field {
  std::string key;
  Position position;
  YAML::Node value;
};

/// Where the value of a member stands; the member itself if it has none.
Position value_position(const Field& field);

/// The members of a map by their keys.
using Fields = std::map<std::string, Field>;

/// Null if there is no such member.
inline const Field* find(const Fields& fields, const std::string& key) {
  const auto found = fields.find(key);
  return found == fields.end() ? nullptr : &found->second;
}

/// The text that `text_of` finds in each of `items`.
template <typename Items, typename TextOf>
std::vector<std::string> texts_of(const Items& items, TextOf text_of) {
  std::vector<std::string> texts;
  for (const auto& item : items) texts.emplace_back(std::invoke(text_of, item));
  return texts;
}

/// Reads nodes; what is wrong with them goes to the mistakes, each at its place.
class Reader {
 public:
  explicit Reader(Mistakes& mistakes) : mistakes_(mistakes) {}

  void fail(Position position, std::string text) { mistakes_.add(position, std::move(text)); }
  std::string place(Position position) const { return mistakes_.place(position); }

  /// The members of a map, without those whose key is repeated; nothing if it is not a map.
  std::vector<Field> fields(const YAML::Node& node, Position position, std::string_view what);
  /// Those of a member that is a map.
  std::vector<Field> fields(const Field& field);

  /// The members of a map that may have the keys `valid` only.
  Fields settings(const YAML::Node& node, Position position, std::string_view what,
                  const std::vector<std::string>& valid);
  Fields settings(const Field& field, const std::vector<std::string>& valid);

  /// Reports a map at `position` without the key. A key without a value counts as present: that was reported
  /// where the map was read.
  void require(const YAML::Node& map, std::string_view key, Position position, std::string_view what);

  /// The text of a node that must be a single value.
  std::optional<std::string> single_value(const YAML::Node& node);
  /// That of a member; empty if there is none.
  std::string text(const Fields& fields, const std::string& key);

  /// What `parse` makes of the text of a member. If that is nothing, the text is reported not to be `form`.
  template <typename Parse>
  auto parsed(const Field& field, Parse parse, std::string_view form) -> decltype(parse(std::string())) {
    const auto text = single_value(field.value);
    if (!text) return std::nullopt;
    const auto value = parse(*text);
    if (!value) fail(position_of(field.value), fmt::format("{} is not {}", in_quotes(*text), form));
    return value;
  }

  /// A list of values, or a single one; `parse` turns a text into a value or reports why it cannot.
  template <typename T, typename Parse>
  List<T> list(const Field& field, Parse parse) {
    const YAML::Node& node = field.value;
    if (node.IsSequence() && node.size() == 0) {
      fail(position_of(node), fmt::format("'{}' is empty", field.key));
    }
    List<T> values;
    std::set<T> seen;
    const auto add = [&](const YAML::Node& entry) {
      const auto text = single_value(entry);
      const std::optional<T> value = text ? parse(*text, position_of(entry)) : std::nullopt;
      if (!value) return;
      if (!seen.insert(*value).second) {
        fail(position_of(entry), fmt::format("{} is listed twice", in_quotes(*text)));
        return;
      }
      values.push_back({*value, position_of(entry)});
    };
    if (!node.IsSequence()) {
      add(node);
    } else {
      for (const auto& entry : node) add(entry);
    }
    return values;
  }

  /// Those of `all` that a list of patterns stands for, each once, in the order of the list. Reports a
  /// pattern for which `matches(pattern, one)` is true of none: an unknown `what`, perhaps a misspelt one of
  /// `names`.
  template <typename T, typename Matches>
  std::vector<const T*> chosen(const Field& field, std::string_view what, const std::vector<T>& all,
                               const std::vector<std::string>& names, Matches matches) {
    std::vector<const T*> chosen;
    list<std::string>(field, [&](const std::string& pattern, Position position) {
      bool is_known = false;
      for (const T& one : all) {
        if (!matches(pattern, one)) continue;
        is_known = true;
        if (std::ranges::find(chosen, &one) == chosen.end()) chosen.push_back(&one);
      }
      if (is_known) return std::optional(pattern);
      fail(position, fmt::format("unknown {} {}{}", what, in_quotes(pattern), suggestion(pattern, names)));
      return std::optional<std::string>();
    });
    return chosen;
  }

  /// The enumerator with this name.
  template <typename Enum>
  std::optional<Enum> one_of(const std::string& text, Position position, std::string_view what) {
    if (const auto value = enumerator_from<Enum>(text)) return value;
    const auto names = texts_of(kEnumerators<Enum>, [](Enum value) { return to_string(value); });
    fail(position, fmt::format("unknown {} {}{}", what, in_quotes(text), suggestion(text, names)));
    return std::nullopt;
  }

  /// A name that can be part of a file name and of a profiler's range.
  void check_name(const std::string& name, Position position, std::string_view what);

 private:
  Mistakes& mistakes_;
};

}  // namespace rooflinectl::yaml
