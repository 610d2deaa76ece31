// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/serial/field_reader.h"
#include "core/serial/field_writer.h"
#include "core/text/mistakes.h"

/// Lines of JSON that hold one of several structs. The member `type` tells them apart: it is the `kType` of
/// the struct.
namespace rooflinectl::serial {

/// One line, without the newline.
template <typename... Contents>
std::string to_line(const std::variant<Contents...>& content) {
  return std::visit(
      []<typename Content>(const Content& held) {
        Json line = {{"type", Content::kType}};
        line.update(to_json(held));
        return to_text(line);
      },
      content);
}

/// Reads the struct of the variant that `line` holds. Errors call it `what`.
template <typename Variant>
struct LineReader;

template <typename... Contents>
struct LineReader<std::variant<Contents...>> {
  static std::variant<Contents...> read(const Reader& line, std::string_view what) {
    const std::string& type = line["type"].text();
    std::optional<std::variant<Contents...>> content;
    const auto read_if = [&]<typename Content>(std::type_identity<Content> /*which*/) {
      if (type != Content::kType) return false;
      content = serial::read<Content>(line);
      return true;
    };
    if (!(read_if(std::type_identity<Contents>()) || ...)) {
      line["type"].fail(fmt::format("unknown {} {}", what, in_quotes(type)));
    }
    return *std::move(content);
  }
};

}  // namespace rooflinectl::serial
