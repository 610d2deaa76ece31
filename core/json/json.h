// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

namespace rooflinectl::serial {

using Json = nlohmann::ordered_json;

/// More letters than a word has for which JSON has none: `-Infinity`, `undefined`.
inline constexpr std::size_t kLongestWord = 32;

/// Parses `text`; throws Error(usage) naming `document` if it is not a JSON object, or has a member twice.
Json parse_object(std::string_view text, std::string_view document);

/// Throws Error(usage): `document` is not JSON. `error` is what the parser made of its `byte`, counted
/// from 1. What it read last is the end of `read`, at least its last word, and goes on in `rest`, at least to
/// the end of the word; nothing if it met the end of the document.
[[noreturn]] void refuse_as_not_json(std::string_view document, const Json::exception& error,
                                     std::size_t byte, std::string_view read,
                                     const std::optional<std::string>& rest);

/// `text` with an empty list or object in place of each that is the value of a member in `names`. Their
/// content is skipped, which takes a small part of the time of parsing it. Text that is not JSON stays
/// invalid.
std::string emptied(std::string_view text, const std::set<std::string_view>& names);

/// The text of `value`, one line. Bytes that are not UTF-8, which JSON cannot hold, become U+FFFD.
std::string to_text(const Json& value);

/// The text of `value` as a document that people read too: indented, each member and element on a line of its
/// own. The same holds for its bytes.
std::string to_document(const Json& value);

/// The text of `object` with each member, and each element of a list of objects, on a line of its own, so
/// that `grep` and `diff` find them.
std::string to_lines(const Json& object);

/// `value` with this many significant digits. Whole numbers stay as they are: they count something.
double rounded(double value, int digits);

/// What `make` makes of each of `items`, as an array.
template <typename Items, typename Make>
Json list_of(const Items& items, Make make) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(make(item));
  return list;
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// What the JSON `text` holds. An object that has a member twice, of which Json::parse would keep the last
/// without a word, is refused: Error(usage) names `document`, the place and the member. Otherwise throws as
/// Json::parse.
Json parsed(std::string_view text, std::string_view document);

/// A value in a JSON document. Every accessor throws Error(usage) naming the document and the place, for
/// example `run.json: /measurements/3/time/median_s: expected a number`.
///
/// A place is known by the reader that it was reached from, and spelled out only for an error. A reader must
/// therefore not outlive the one it came from.
class Reader {
 public:
  /// The root of `document`, which errors name.
  Reader(const Json& root, std::string_view document) : value_(root), name_(document) {}

  /// The member `key` of an object, which must be there.
  Reader operator[](std::string_view key) const&;
  Reader operator[](std::string_view key) const&& = delete;
  /// The element at this place of an array, which must be there.
  Reader operator[](std::size_t place) const& { return {array()[place], *this, place}; }
  Reader operator[](std::size_t place) const&& = delete;
  /// Whether an object has the member `key`, and it is not null.
  bool has(std::string_view key) const;

  /// Calls `visit` with each element of an array.
  template <typename Visit>
  void for_each_element(Visit visit) const {
    std::size_t index = 0;
    for (const Json& element : array()) visit(Reader(element, *this, index++));
  }
  /// Calls `visit` with the name and the value of each member of an object.
  template <typename Visit>
  void for_each_member(Visit visit) const {
    for (const auto& [key, value] : object().items()) visit(key, Reader(value, *this, key));
  }
  /// The number of elements of an array.
  std::size_t count() const { return array().size(); }

  double number() const;  ///< not negative
  std::int64_t integer() const;
  std::uint64_t size() const;          ///< an integer that is not negative
  int small_integer(int least) const;  ///< an integer from `least` on that fits an int
  bool boolean() const;
  const std::string& text() const;

  bool is_number() const { return value_.is_number(); }

  [[noreturn]] void fail(std::string_view problem) const;
  /// The same with what is below this value at `path`: names of members and places of elements.
  template <typename Step, typename... Path>
  [[noreturn]] void fail_at(std::string_view problem, Step step, Path... path) const {
    const Reader below = (*this)[step];
    if constexpr (sizeof...(path) == 0) {
      below.fail(problem);
    } else {
      below.fail_at(problem, path...);
    }
  }

 private:
  Reader(const Json& value, const Reader& parent, std::string_view key)
      : value_(value), parent_(&parent), name_(key) {}
  Reader(const Json& value, const Reader& parent, std::size_t index)
      : value_(value), parent_(&parent), index_(index) {}

  const Json& array() const;
  const Json& object() const;
  std::string_view document() const;
  /// Where in the document: a JSON pointer, empty for the root.
  std::string pointer() const;

  const Json& value_;
  const Reader* parent_ = nullptr;
  std::string_view name_;  ///< of the member; of the document at the root; nothing for an element
  std::size_t index_ = 0;  ///< of the element
};

// What the lists of fields in `core/serial/fields/` are made of.
//
// Each struct that JSON holds has one list, `fields(f, object)`, which serves both ways: `f` is a
// FieldWriter and the object const, or `f` is a FieldReader and fills in the object. An example:
//
//     void fields(auto& f, Is<Verification> auto& verification) {
//       f("passed", verification.passed);
//       f("worst_error_over_bound", verification.worst_error_over_bound, Range::not_negative);
//       f("detail", verification.detail);
//     }
//
// `f(key, member)` is a field that is always there; `f.optional(key, member)` one that is left out where the
// member is empty, nothing, or 0; `f.added(key, member)` one that is always written, and absent in older
// files. A type determines its JSON: numbers, text, enums by their names, lists, maps, other structs.

/// `Struct`, or `const Struct`.
template <typename T, typename Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;

/// The numbers that a field may hold.
enum class Range {
  measurable,    ///< 0, or from 1e-30 to 1e30: what can have been measured
  positive,      ///< the same without 0
  not_negative,  ///< any other number too
};

/// All digits of a number are written: somebody chose it. What was measured has no more than seven.
struct AllDigits {};

/// The least that an integer may be.
struct AtLeast {
  int value = 0;
};

/// The most that an integer may be, or the most entries that a list may have.
struct AtMost {
  std::uint64_t value = 0;
};

}  // namespace rooflinectl::serial
