// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the core types look in JSON. For the serialisers alone: `run_json.cpp` and `protocol.cpp` here, the
// data of the page in `reports/`.

#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/check.h"
#include "core/model/run.h"

namespace rooflinectl::json_fields {

using Json = nlohmann::ordered_json;

/// A place in a JSON document. Every accessor throws Error(usage) naming the document and the place, for
/// example `run.json: /measurements/3/time/median_s: expected a number`.
class Reader {
 public:
  /// The root of `document`, which errors name.
  Reader(const Json& root, std::string document) : Reader(root, std::move(document), {}) {}

  /// The member `key` of an object, which must be there.
  Reader operator[](const char* key) const;
  bool has(const char* key) const;
  /// The elements of an array that has no more than `most`.
  std::vector<Reader> elements(std::size_t most = std::numeric_limits<std::size_t>::max()) const;
  /// The members of an object: name and value.
  std::vector<std::pair<std::string, Reader>> members() const;

  /// What can have been measured: 0, or from 1e-30 to 1e30.
  double number() const;
  double positive_number() const;  ///< the same without 0
  double any_number() const;       ///< not negative
  std::int64_t integer() const;
  std::uint64_t size() const;              ///< an integer that is not negative
  int small_integer(int least = 0) const;  ///< an integer from `least` on that fits an int
  bool boolean() const;
  const std::string& text() const;
  std::vector<std::string> texts() const;
  std::vector<double> numbers() const;
  std::vector<double> positive_numbers() const;

  bool is_number() const { return value_.is_number(); }

  [[noreturn]] void fail(std::string_view problem) const;

 private:
  Reader(const Json& value, std::string document, std::string pointer)
      : value_(value), document_(std::move(document)), pointer_(std::move(pointer)) {}

  /// The part of this value under `key`.
  template <typename Key>
  Reader child(const Json& value, const Key& key) const;

  const Json& value_;
  std::string document_;
  std::string pointer_;  ///< where in the document: a JSON pointer, empty for the root
};

/// Parses `text`; throws Error(usage) naming `document` if it is not a JSON object.
Json parse_object(std::string_view text, std::string_view document);

/// The text of `value`: one line, or indented by `indent` spaces. Bytes that are not UTF-8, which JSON cannot
/// hold, become U+FFFD.
std::string to_text(const Json& value, int indent = -1);

template <typename T>
void set_if(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

Json to_json(const Catalogue& catalogue);
Json to_json(const ChipCounters& chip);
Json to_json(const Check& check);
Json to_json(const Plan& plan);
Json to_json(const Environment& environment);
Json to_json(const DeviceSettings& settings);
Json to_json(const DeviceInfo& device);
Json to_json(const Ceiling& ceiling);
Json to_json(const Counters& counters);
Json to_json(const CounterSession& session);
Json to_json(const Measurement& measurement);
Json to_json(const PrimitiveInfo& primitive);
Json to_json(const PrimitiveResult& result);
Json to_json(const Agreement& agreement);
Json to_json(const SelfTest& self_test);
Json to_json(const CrossCheck& cross_check);

Catalogue catalogue_from(const Reader& reader);
ChipCounters chip_counters_from(const Reader& reader);
Check check_from(const Reader& reader);
Plan plan_from(const Reader& reader);
Environment environment_from(const Reader& reader);
DeviceSettings device_settings_from(const Reader& reader);
DeviceInfo device_from(const Reader& reader);
Ceiling ceiling_from(const Reader& reader);
Counters counters_from(const Reader& reader);
CounterSession counter_session_from(const Reader& reader);
Measurement measurement_from(const Reader& reader);
PrimitiveInfo primitive_info_from(const Reader& reader);
PrimitiveResult primitive_result_from(const Reader& reader);
Agreement agreement_from(const Reader& reader);
SelfTest self_test_from(const Reader& reader);
CrossCheck cross_check_from(const Reader& reader);

}  // namespace rooflinectl::json_fields
