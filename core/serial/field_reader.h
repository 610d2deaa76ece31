// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/counters/counters.h"
#include "core/enum_names.h"
#include "core/error.h"
#include "core/json/json.h"
#include "core/machine/ranks.h"
#include "core/model/point_id.h"
#include "core/text/mistakes.h"

namespace rooflinectl::serial {

/// Fills in the fields of a struct from a JSON object (`core/json/json.h`), and checks them against
/// their rules.
class FieldReader {
 public:
  explicit FieldReader(const Reader& object) : object_(object) {}

  template <typename T, typename... Rule>
  void operator()(const char* key, T& value, Rule... rule) {
    read(object_[key], value, rule...);
  }

  template <typename T, typename... Rule>
  void optional(const char* key, T& value, Rule... rule) {
    if (object_.has(key)) read(object_[key], value, rule...);
  }

  template <typename T>
  void added(const char* key, T& value) {
    optional(key, value);
  }

  template <typename List>
  void object(const char* key, List list) {
    const Reader place = object_[key];
    FieldReader reader(place);
    list(reader);
  }

  template <typename T, typename List>
  void each(const char* key, std::vector<T>& values, List list) {
    object_[key].for_each_element([&](const Reader& element) {
      FieldReader reader(element);
      list(reader, values.emplace_back());
    });
  }

  template <typename T, typename... Member>
  void rows(const char* key, std::vector<T>& values, Member T::*... members) {
    object_[key].for_each_element([&](const Reader& row) {
      require_count(row, sizeof...(members));
      T& value = values.emplace_back();
      std::size_t place = 0;
      row.for_each_element([&](const Reader& cell) {
        std::size_t column = 0;
        ((column++ == place ? read(cell, value.*members) : void()), ...);
        ++place;
      });
    });
  }

  template <typename T, typename... Member>
  void optional_rows(const char* key, std::vector<T>& values, Member T::*... members) {
    if (object_.has(key)) rows(key, values, members...);
  }

  /// Calls `complete` with what was read: it adds what is not in the file, or not in older ones.
  template <typename T, typename Complete>
  void after_reading(T& value, Complete complete) {
    complete(value);
  }

  static void read(const Reader& place, bool& value) { value = place.boolean(); }
  static void read(const Reader& place, int& value, AtLeast least = {}) {
    value = place.small_integer(least.value);
  }
  static void read(const Reader& place, std::uint32_t& value);
  static void read(const Reader& place, std::uint64_t& value) { value = place.size(); }
  static void read(const Reader& place, std::uint64_t& value, AtMost most);
  static void read(const Reader& place, double& value, Range range = Range::measurable);
  static void read(const Reader& place, double& value, AllDigits /*rule*/) { read(place, value); }
  static void read(const Reader& place, std::string& value) { value = place.text(); }
  static void read(const Reader& place, ErrorKind& kind);  ///< by its exit code
  static void read(const Reader& place, CounterValue& value);
  static void read(const Reader& place, CounterValue& value, AllDigits /*rule*/) { read(place, value); }
  static void read(const Reader& place, Counters& counters);
  /// In older files, only its id.
  static void read(const Reader& place, ProgramProcess& process);
  /// Axes that we know may only have values that we know.
  static void read(const Reader& place, Axes& axes);

  template <typename T, typename... Rule>
  static void read(const Reader& place, std::optional<T>& value, Rule... rule) {
    read(place, value.emplace(), rule...);
  }

  template <typename T, typename... Rule>
  static void read(const Reader& place, std::vector<T>& values, Rule... rule) {
    values.clear();
    values.reserve(place.count());
    place.for_each_element([&](const Reader& element) { read(element, values.emplace_back(), rule...); });
  }
  template <typename T>
  static void read(const Reader& place, std::vector<T>& values, AtMost most) {
    if (place.count() > most.value) place.fail(fmt::format("more than {} entries", most.value));
    read(place, values);
  }

  template <typename T>
  static void read(const Reader& place, std::vector<T>& values, AtLeast least) {
    if (place.count() < static_cast<std::size_t>(least.value)) {
      place.fail(fmt::format("fewer than {} entries", least.value));
    }
    read(place, values);
  }

  template <typename T, std::size_t size>
  static void read(const Reader& place, std::array<T, size>& values) {
    require_count(place, size);
    std::size_t index = 0;
    place.for_each_element([&](const Reader& element) { read(element, values[index++]); });
  }
  template <typename Enum, typename T>
  requires std::is_enum_v<Enum>
  static void read(const Reader& place, std::map<Enum, T>& values) {
    place.for_each_member([&](const std::string& key, const Reader& member) {
      read(member, values[value_named<Enum>(member, key)]);
    });
  }
  template <typename T, typename Compare>
  static void read(const Reader& place, std::map<std::string, T, Compare>& values) {
    place.for_each_member([&](const std::string& key, const Reader& member) {
      read(member, values.try_emplace(key).first->second);
    });
  }

  template <typename T>
  static void read(const Reader& place, T& value) {
    if constexpr (std::is_enum_v<T>) {
      value = value_named<T>(place, place.text());
    } else {
      FieldReader reader(place);
      fields(reader, value);
    }
  }

 private:
  static void require_count(const Reader& list, std::size_t count) {
    if (list.count() != count) list.fail(fmt::format("not {} entries", count));
  }

  /// The value of this name; if there is none, `place` is reported as wrong.
  template <typename Enum>
  static Enum value_named(const Reader& place, std::string_view name) {
    if (const auto value = enumerator_from<Enum>(name)) return *value;
    place.fail(fmt::format("unknown value {}", in_quotes(name)));
  }

  const Reader& object_;
};

template <typename T>
T read(const Reader& place) {
  T value;
  FieldReader::read(place, value);
  return value;
}

}  // namespace rooflinectl::serial
