// SPDX-License-Identifier: Apache-2.0
#include "core/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/text/mistakes.h"
#include "core/text/printable.h"

namespace rooflinectl::serial {

namespace {

/// What is between the quote at `begin` and the one that ends the string; the rest of the text if there is no
/// such quote.
std::string_view string_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return text.substr(begin + 1, std::min(end, text.size()) - begin - 1);
}

/// The place behind the list or object that begins at `begin`; `npos` where it has no end, or is neither.
std::size_t end_of_nested(std::string_view text, std::size_t begin) {
  std::size_t depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '"')
      i += string_at(text, i).size() + 1;
    else if (text[i] == '[' || text[i] == '{')
      ++depth;
    else if ((text[i] == ']' || text[i] == '}') && --depth == 0)
      return i + 1;
    if (depth == 0) break;
  }
  return std::string_view::npos;
}

bool is_part_of_word(char c) {
  return c == '-' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The word in which the parser stopped, between `read` and `rest`; empty if it stopped in something else.
std::string word_around(std::string_view read, std::string_view rest) {
  const auto start = std::find_if_not(read.rbegin(), read.rend(), is_part_of_word).base();
  if (start != read.begin() && std::string_view(" \t\r\n[{:,").find(*(start - 1)) == std::string_view::npos)
    return {};
  const std::string word(start, read.end());
  if (word.empty()) return {};
  return word + std::string(rest.begin(), std::ranges::find_if_not(rest, is_part_of_word));
}

/// What stands in the place where the parser stopped; empty where that says nothing.
std::string intruder(const Json::exception& error, std::string_view read, std::string_view rest) {
  if (std::string_view(error.what()).find("ill-formed UTF-8") != std::string_view::npos) {
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    const auto byte = std::find_if_not(read.rbegin(), read.rend(), is_ascii);
    return byte == read.rend() ? ""
                               : fmt::format("byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(*byte));
  }
  const std::string word = word_around(read, rest);
  return word.empty() || word.size() > kLongestWord ? "" : fmt::format("{} is not JSON", word);
}

/// On one line if `indent` is -1.
std::string indented(const Json& value, int indent) {
  return printable_json(value.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

Json parse_object(std::string_view text, std::string_view document) {
  Json value;
  try {
    value = parsed(text, document);
  } catch (const Json::parse_error& error) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
      throw Error(ErrorKind::usage, fmt::format("{}: the file is empty", document));
    }
    const bool is_at_end = error.byte > text.size();
    refuse_as_not_json(
        document, error, error.byte, text.substr(0, error.byte),
        is_at_end ? std::nullopt : std::optional(std::string(text.substr(error.byte, kLongestWord))));
  } catch (const Json::out_of_range&) {
    throw Error(ErrorKind::usage, fmt::format("{}: not valid JSON: a number is too large", document));
  }
  if (!value.is_object()) throw Error(ErrorKind::usage, fmt::format("{}: expected a JSON object", document));
  return value;
}

void refuse_as_not_json(std::string_view document, const Json::exception& error, std::size_t byte,
                        std::string_view read, const std::optional<std::string>& rest) {
  std::string message = fmt::format("{}: not valid JSON at byte {}", document, byte);
  if (!rest) throw Error(ErrorKind::usage, message, "the file may be truncated");
  const std::string found = intruder(error, read, *rest);
  throw Error(ErrorKind::usage, found.empty() ? message : fmt::format("{}: {}", message, found));
}

std::string emptied(std::string_view text, const std::set<std::string_view>& names) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::string result;
  std::size_t copied = 0;
  for (std::size_t quote = text.find('"'); quote < text.size(); quote = text.find('"', quote)) {
    const std::string_view name = string_at(text, quote);
    quote += name.size() + 2;
    const std::size_t colon = text.find_first_not_of(kSpace, quote);
    if (colon >= text.size() || text[colon] != ':' || !names.contains(name)) continue;
    const std::size_t value = text.find_first_not_of(kSpace, colon + 1);
    const std::size_t end = value < text.size() ? end_of_nested(text, value) : value;
    if (end > text.size()) continue;
    result.append(text.substr(copied, value + 1 - copied));
    copied = end - 1;
    quote = end;
  }
  if (copied < text.size()) result.append(text.substr(copied));
  return result;
}

std::string to_text(const Json& value) {
  return indented(value, -1);
}

std::string to_document(const Json& value) {
  return indented(value, 1) + "\n";
}

std::string to_lines(const Json& object) {
  std::string text = "{";
  const char* separator = "\n";
  for (const auto& [key, value] : object.items()) {
    text += fmt::format("{}{}:", separator, to_text(key));
    separator = ",\n";
    if (!value.is_array() || value.empty() || !value.front().is_object()) {
      text += to_text(value);
      continue;
    }
    const char* element_separator = "[\n";
    for (const Json& element : value) {
      text += element_separator + to_text(element);
      element_separator = ",\n";
    }
    text += "]";
  }
  return text + "\n}\n";
}

double rounded(double value, int digits) {
  if (value == std::floor(value)) return value;
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

namespace {

/// Builds a value from what the parser finds.
class DocumentBuilder : public nlohmann::json_sax<Json> {
 public:
  explicit DocumentBuilder(std::string_view document) : document_(document) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& value) override { return add(std::move(value)); }

  bool start_object(std::size_t /*size*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    auto& object = open_.back()->get_ref<Json::object_t&>();
    // Growth copies the names, which are constant: by more than the factor of 2 of a vector.
    if (object.size() == object.capacity()) object.reserve(4 * object.size() + 4);
    const auto [member, is_new] = object.emplace(name, nullptr);
    if (!is_new) refuse(name);
    member_ = &member->second;
    return true;
  }

  bool parse_error(std::size_t /*byte*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    if (const auto* const too_large = dynamic_cast<const Json::out_of_range*>(&error)) throw *too_large;
    throw dynamic_cast<const Json::parse_error&>(error);
  }

  Json take() { return std::move(root_); }

 private:
  /// The place for the next value.
  Json& next() {
    if (open_.empty()) return root_;
    return open_.back()->is_array() ? open_.back()->emplace_back() : *member_;
  }
  template <typename Value>
  bool add(Value&& value) {
    next() = std::forward<Value>(value);
    return true;
  }
  bool open(Json&& empty) {
    Json& value = next();
    value = std::move(empty);
    open_.push_back(&value);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  [[noreturn]] void refuse(const std::string& name) const {
    std::string place;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      const Json& value = *open_[i];
      // What is open is what came last.
      place += value.is_array() ? fmt::format("/{}", value.size() - 1)
                                : fmt::format("/{}", value.get_ref<const Json::object_t&>().back().first);
    }
    throw Error(ErrorKind::usage, fmt::format("{}: {}{}{} occurs twice", document_, place,
                                              place.empty() ? "" : ": ", in_quotes(name)));
  }

  std::string_view document_;
  Json root_;
  std::vector<Json*> open_;  ///< objects and arrays, from the outermost to the innermost
  Json* member_ = nullptr;   ///< the value of the last key
};

}  // namespace

Json parsed(std::string_view text, std::string_view document) {
  DocumentBuilder builder(document);
  Json::sax_parse(text, &builder);
  return builder.take();
}

std::string_view Reader::document() const {
  return parent_ == nullptr ? name_ : parent_->document();
}

std::string Reader::pointer() const {
  if (parent_ == nullptr) return {};
  const std::string parent = parent_->pointer();
  return name_.data() == nullptr ? fmt::format("{}/{}", parent, index_) : fmt::format("{}/{}", parent, name_);
}

void Reader::fail(std::string_view problem) const {
  const std::string place = pointer();
  throw Error(ErrorKind::usage,
              fmt::format("{}: {}{}{}", document(), place, place.empty() ? "" : ": ", problem));
}

const Json& Reader::array() const {
  if (!value_.is_array()) fail("expected an array");
  return value_;
}

const Json& Reader::object() const {
  if (!value_.is_object()) fail("expected an object");
  return value_;
}

Reader Reader::operator[](std::string_view key) const& {
  const auto found = object().find(key);
  if (found == value_.end()) fail(fmt::format("the field '{}' is missing", key));
  return {*found, *this, key};
}

bool Reader::has(std::string_view key) const {
  const auto found = object().find(key);
  return found != value_.end() && !found->is_null();
}

double Reader::number() const {
  if (!value_.is_number()) fail("expected a number");
  const double value = value_.get<double>();
  if (value < 0) fail(fmt::format("expected a non-negative number, found {}", value));
  return value == 0 ? 0 : value;  // not -0
}

std::int64_t Reader::integer() const {
  if (!value_.is_number_integer()) fail("expected an integer");
  if (value_.is_number_unsigned() &&
      value_.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    fail("the integer is too large");
  }
  return value_.get<std::int64_t>();
}

std::uint64_t Reader::size() const {
  if (value_.is_number_unsigned()) return value_.get<std::uint64_t>();
  const std::int64_t value = integer();
  if (value < 0) fail("expected a non-negative integer");
  return static_cast<std::uint64_t>(value);
}

int Reader::small_integer(int least) const {
  const std::int64_t value = integer();
  if (value < least) fail(fmt::format("expected an integer of at least {}, found {}", least, value));
  if (value > std::numeric_limits<int>::max()) fail("the integer is too large");
  return static_cast<int>(value);
}

bool Reader::boolean() const {
  if (!value_.is_boolean()) fail("expected true or false");
  return value_.get<bool>();
}

const std::string& Reader::text() const {
  if (!value_.is_string()) fail("expected a string");
  return value_.get_ref<const std::string&>();
}

}  // namespace rooflinectl::serial
