// SPDX-License-Identifier: Apache-2.0
#include "core/json/json_reader.h"

#include <fmt/format.h>

#include <limits>

#include "core/error.h"

namespace rooflinectl::serial {

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
