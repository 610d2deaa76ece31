// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// What the lists of fields in `core/serial/fields/` are made of.
///
/// Each struct that JSON holds has one list, `fields(f, object)`, which serves both ways: `f` is a
/// FieldWriter and the object const, or `f` is a FieldReader and fills in the object. An example:
///
///     void fields(auto& f, Is<Verification> auto& verification) {
///       f("passed", verification.passed);
///       f("worst_error_over_bound", verification.worst_error_over_bound, Range::not_negative);
///       f("detail", verification.detail);
///     }
///
/// `f(key, member)` is a field that is always there; `f.optional(key, member)` one that is left out where the
/// member is empty, nothing, or 0; `f.added(key, member)` one that is always written, and absent in older
/// files. A type determines its JSON: numbers, text, enums by their names, lists, maps, other structs.
namespace rooflinectl::serial {

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

/// The values of an enum that occur in JSON; `to_string` has their names.
template <typename Enum>
inline constexpr auto kValues = nullptr;

}  // namespace rooflinectl::serial
