// SPDX-License-Identifier: Apache-2.0
#include "core/plan/yaml_reader.h"

#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <cstddef>
#include <sstream>

#include "core/text/names.h"
#include "core/text/printable.h"

namespace rooflinectl::yaml {

namespace {

constexpr std::size_t kMaxFileBytes = 1 << 20;
/// An alias repeats what it stands for, and that may hold aliases in turn: a short file can be endless.
constexpr std::size_t kMaxValues = 1'000'000;
constexpr int kMaxDepth = 100;

Position place_of(const YAML::Mark& mark) {
  return mark.is_null() ? Position{} : Position{mark.line + 1, mark.column + 1};
}

// ---- the characters of the file ----

/// A plan is UTF-8 text without control characters; anything else is not a file that somebody wrote as a
/// plan.
void check_characters(std::string_view text, Mistakes& mistakes) {
  const auto is_control = [](char c) {
    return (c >= 0 && c < ' ' && c != '\n' && c != '\r' && c != '\t') || c == 0x7F;
  };
  const std::size_t n_valid = valid_utf8_bytes(text);
  const std::string_view before =
      text.substr(0, static_cast<std::size_t>(std::find_if(text.begin(), text.begin() + n_valid, is_control) -
                                              text.begin()));
  if (before.size() == text.size()) return;
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 if there is none
  mistakes.add({static_cast<int>(std::ranges::count(before, '\n')) + 1,
                static_cast<int>(before.size() - line_start) + 1},
               before.size() == n_valid ? "not UTF-8 text" : "a control character");
}

/// The first tab in the indentation of a line, which YAML does not allow.
std::optional<Position> tab_in_indentation(std::string_view text) {
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = take_field(text, '\n');
    const std::size_t tab = line.substr(0, line.find_first_not_of(" \t")).find('\t');
    if (tab != std::string_view::npos) return Position{number, static_cast<int>(tab) + 1};
  }
  return std::nullopt;
}

/// What yaml-cpp found wrong, with a clearer message where its own does not help.
void add_syntax_mistake(const YAML::Exception& error, std::string_view text, Mistakes& mistakes) {
  if (const auto tab = tab_in_indentation(text)) {
    mistakes.add(*tab, "a tab in the indentation; YAML requires spaces");
  } else if (error.msg == YAML::ErrorMsg::ALIAS_NOT_FOUND || error.msg == YAML::ErrorMsg::CHAR_IN_ALIAS ||
             error.msg == YAML::ErrorMsg::UNKNOWN_ANCHOR) {
    mistakes.add(place_of(error.mark), "a glob that begins with '*' needs quotes, for example \"*_shuffle\"");
  } else {
    mistakes.add(place_of(error.mark), fmt::format("not valid YAML: {}", error.msg));
  }
}

/// Notes where documents begin.
class DocumentStarts : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { last_ = place_of(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}

  Position last() const { return last_; }

 private:
  Position last_;
};

/// Where the second document begins. YAML::LoadAll could tell, too, but finds an endless series of documents
/// where a stray `]` or `,` follows the first one.
std::optional<Position> second_document(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStarts starts;
  const bool has_two = parser.HandleNextDocument(starts) && parser.HandleNextDocument(starts);
  return has_two ? std::optional(starts.last()) : std::nullopt;
}

/// Counts the values below `node` as often as aliases repeat them. Stops with a mistake at the limits.
void count_values(const YAML::Node& node, int depth, std::size_t& n_values, Mistakes& mistakes) {
  if (depth > kMaxDepth) {
    mistakes.add(place_of(node.Mark()), fmt::format("nested deeper than {} levels", kMaxDepth));
    mistakes.throw_if_any();
  }
  if (++n_values > kMaxValues) {
    mistakes.add(place_of(node.Mark()),
                 fmt::format("the plan has more than {} values, aliases included", kMaxValues));
    mistakes.throw_if_any();
  }
  for (const auto& entry : node) {
    if (node.IsMap()) {
      count_values(entry.first, depth + 1, n_values, mistakes);
      count_values(entry.second, depth + 1, n_values, mistakes);
    } else {
      count_values(entry, depth + 1, n_values, mistakes);
    }
  }
}

void check_values(const YAML::Node& root, Mistakes& mistakes) {
  std::size_t n_values = 0;
  count_values(root, 0, n_values, mistakes);
}

const char* kind_of(const YAML::Node& node) {
  if (node.IsMap()) return "a map";
  if (node.IsSequence()) return "a list";
  if (node.IsScalar()) return "a single value";
  return "nothing";
}

}  // namespace

Position position_of(const YAML::Node& node) {
  return place_of(node.Mark());
}

Position text_position(const YAML::Node& node) {
  Position position = position_of(node);
  if (node.Tag() == "!") ++position.column;  // a quote
  return position;
}

Position value_position(const Field& field) {
  return field.value.IsNull() ? field.position : position_of(field.value);
}

YAML::Node load(std::string_view text, Mistakes& mistakes) {
  if (text.size() > kMaxFileBytes) mistakes.add({}, "the file is larger than 1 MiB");
  mistakes.throw_if_any();
  check_characters(text, mistakes);
  mistakes.throw_if_any();
  YAML::Node root;
  try {
    const std::string copy(text);
    if (const auto second = second_document(copy))
      mistakes.add(*second, "a second YAML document; a plan is a single one");
    root = YAML::Load(copy);
  } catch (const YAML::Exception& error) {
    add_syntax_mistake(error, text, mistakes);
  }
  mistakes.throw_if_any();
  if (root.IsNull()) mistakes.add({}, "the file is empty");
  mistakes.throw_if_any();
  check_values(root, mistakes);
  return root;
}

std::vector<Field> Reader::fields(const YAML::Node& node, Position position, std::string_view what) {
  if (!node.IsMap()) {
    fail(position, fmt::format("{} must be a map of `key: value`, not {}", what, kind_of(node)));
    return {};
  }
  std::vector<Field> fields;
  std::set<std::string> seen;
  for (const auto& member : node) {
    const Position key_position = position_of(member.first);
    if (!member.first.IsScalar()) {
      fail(key_position, fmt::format("a key must be a single value, not {}", kind_of(member.first)));
    } else if (!seen.insert(member.first.Scalar()).second) {
      fail(key_position, fmt::format("{} is listed twice", in_quotes(member.first.Scalar())));
    } else {
      fields.push_back({member.first.Scalar(), key_position, member.second});
    }
  }
  return fields;
}

std::vector<Field> Reader::fields(const Field& field) {
  return fields(field.value, position_of(field.value), fmt::format("'{}'", field.key));
}

Fields Reader::settings(const Field& field, const std::vector<std::string>& valid) {
  return settings(field.value, position_of(field.value), fmt::format("'{}'", field.key), valid);
}

Fields Reader::settings(const YAML::Node& node, Position position, std::string_view what,
                        const std::vector<std::string>& valid) {
  Fields settings;
  for (Field& field : fields(node, position, what)) {
    if (!contains(valid, field.key)) {
      const bool is_rest_of_expression = field.key.find(')') != std::string::npos;
      fail(field.position,
           fmt::format("unknown key {}{}", in_quotes(field.key),
                       is_rest_of_expression ? "; between { }, an expression with a comma needs quotes"
                                             : suggestion(field.key, valid)));
    } else if (field.value.IsNull()) {
      fail(field.position, fmt::format("'{}' has no value", field.key));
    } else {
      settings.emplace(field.key, field);
    }
  }
  return settings;
}

void Reader::require(const YAML::Node& map, std::string_view key, Position position, std::string_view what) {
  if (!map.IsMap()) return;
  const bool has_key = std::any_of(map.begin(), map.end(), [&](const auto& member) {
    return member.first.IsScalar() && member.first.Scalar() == key;
  });
  if (!has_key) fail(position, fmt::format("{} has no '{}'", what, key));
}

std::optional<std::string> Reader::single_value(const YAML::Node& node) {
  if (node.IsScalar()) return node.Scalar();
  fail(position_of(node), fmt::format("expected a single value, not {}", kind_of(node)));
  return std::nullopt;
}

std::string Reader::text(const Fields& fields, const std::string& key) {
  const Field* const field = find(fields, key);
  return field == nullptr ? "" : single_value(field->value).value_or("");
}

void Reader::check_name(const std::string& name, Position position, std::string_view what) {
  if (is_plain_name(name)) return;
  fail(position, fmt::format("the {} {} must consist of 1 to {} letters, digits, '_' and '-'", what,
                             in_quotes(name), kMaxNameLength));
}

}  // namespace rooflinectl::yaml
