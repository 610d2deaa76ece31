// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/counters/counters.h"
#include "core/error.h"
#include "core/json/json.h"
#include "core/model/point_id.h"

namespace rooflinectl::serial {

/// Writes the fields of a struct into a JSON object (`core/json/json.h`).
class FieldWriter {
 public:
  /// Finer than anything here can be measured, and half as many as a double has.
  static constexpr int kMeasuredDigits = 7;

  explicit FieldWriter(Json& object) : object_(object) {}

  template <typename T, typename... Rule>
  void operator()(const char* key, const T& value, Rule... /*rule*/) {
    object_[key] = written(value);
  }
  void operator()(const char* key, double value, AllDigits /*rule*/) { object_[key] = value; }
  void operator()(const char* key, const CounterValue& value, AllDigits /*rule*/) {
    object_[key] = value.available() ? Json(*value.value()) : unavailable(value);
  }

  template <typename T, typename... Rule>
  void optional(const char* key, const T& value, Rule... /*rule*/) {
    if (value != T{}) object_[key] = written(value);
  }

  template <typename T>
  void added(const char* key, const T& value) {
    object_[key] = written(value);
  }

  /// An object within this one: `list` gets its fields.
  template <typename List>
  void object(const char* key, List list) {
    Json object = Json::object();
    FieldWriter writer(object);
    list(writer);
    object_[key] = std::move(object);
  }

  /// A list whose elements are objects: `list` gets the fields of each, and the element.
  template <typename T, typename List>
  void each(const char* key, const std::vector<T>& values, List list) {
    Json array = Json::array();
    for (const T& value : values) {
      FieldWriter writer(array.emplace_back(Json::object()));
      list(writer, value);
    }
    object_[key] = std::move(array);
  }

  /// A list whose elements are lists of these members, where objects would be too long.
  template <typename T, typename... Member>
  void rows(const char* key, const std::vector<T>& values, Member T::*... members) {
    Json array = Json::array();
    for (const T& value : values) array.push_back(Json::array({written(value.*members)...}));
    object_[key] = std::move(array);
  }

  /// Such a list, left out where it is empty.
  template <typename T, typename... Member>
  void optional_rows(const char* key, const std::vector<T>& values, Member T::*... members) {
    if (!values.empty()) rows(key, values, members...);
  }

  template <typename T, typename Complete>
  void after_reading(const T& /*value*/, Complete /*complete*/) {}

  /// The JSON of a value.
  template <typename T>
  static Json written(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return to_string(value);
    } else if constexpr (std::is_class_v<T>) {
      Json object = Json::object();
      FieldWriter writer(object);
      fields(writer, value);
      return object;
    } else {
      return value;
    }
  }
  static Json written(double value) { return rounded(value, kMeasuredDigits); }
  static Json written(const std::string& value) { return value; }
  static Json written(ErrorKind kind) { return static_cast<int>(kind); }
  static Json written(const Axes& axes) {
    Json object = Json::object();
    for (const auto& [name, value] : axes) {
      object[name] = std::visit([](const auto& of_axis) { return Json(of_axis); }, value);
    }
    return object;
  }
  static Json written(const CounterValue& value) {
    return value.available() ? written(*value.value()) : unavailable(value);
  }
  template <typename T>
  static Json written(const std::optional<T>& value) {
    return written(*value);
  }
  template <typename T>
  static Json written(const std::vector<T>& values) {
    Json array = Json::array();
    for (const T& value : values) array.push_back(written(value));
    return array;
  }
  template <typename T, std::size_t size>
  static Json written(const std::array<T, size>& values) {
    return Json(values);
  }
  template <typename Enum, typename T>
  requires std::is_enum_v<Enum>
  static Json written(const std::map<Enum, T>& values) {
    Json object = Json::object();
    for (const auto& [key, value] : values) object[std::string(to_string(key))] = written(value);
    return object;
  }
  template <typename T, typename Compare>
  static Json written(const std::map<std::string, T, Compare>& values) {
    Json object = Json::object();
    for (const auto& [key, value] : values) object[key] = written(value);
    return object;
  }

 private:
  static Json unavailable(const CounterValue& value) { return {{"unavailable", value.reason()}}; }

  Json& object_;
};

template <typename T>
Json to_json(const T& value) {
  return FieldWriter::written(value);
}

}  // namespace rooflinectl::serial
