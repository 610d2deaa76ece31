// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/json/json.h"

namespace rooflinectl::serial {

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
