// SPDX-License-Identifier: Apache-2.0
#include "core/json/json_document.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/text/mistakes.h"

namespace rooflinectl::serial {

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

}  // namespace rooflinectl::serial
