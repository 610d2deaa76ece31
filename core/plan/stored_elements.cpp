// SPDX-License-Identifier: Apache-2.0
#include "core/plan/stored_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/error.h"
#include "core/text/mistakes.h"

namespace rooflinectl {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

[[noreturn]] void refuse_array(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::usage, fmt::format("{}: {}", name, what),
              "numpy.save(file, numpy.ascontiguousarray(array)) writes what can be read");
}

/// What follows `'key':` in the header, without leading blanks.
std::string_view header_value(std::string_view header, std::string_view key, const std::string& name) {
  const std::string quoted = fmt::format("'{}':", key);
  const std::size_t found = header.find(quoted);
  if (found == std::string_view::npos) refuse_array(name, fmt::format("its header has no '{}'", key));
  header.remove_prefix(found + quoted.size());
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

/// `'<f4'` is f32.
ArgumentType element_type(std::string_view value, const std::string& name) {
  const std::size_t end = value.find('\'', 1);
  const std::string_view descr = value.starts_with('\'') && end != std::string_view::npos
                                     ? value.substr(1, end - 1)
                                     : std::string_view();
  const bool has_known_order = !descr.empty() && (descr.front() == '<' || descr.front() == '|');
  if (has_known_order && descr.size() == 3) {
    const std::string known = fmt::format("{}{}", descr[1], 8 * (descr[2] - '0'));
    if (const auto type = enumerator_from<ArgumentType>(known)) return *type;
  }
  refuse_array(name, fmt::format("no argument has elements of type {}", in_quotes(std::string(descr))));
}

/// The product of the sizes in `(3, 4)`.
std::uint64_t element_count(std::string_view value, const std::string& name) {
  const std::size_t end = value.find(')');
  if (!value.starts_with('(') || end == std::string_view::npos)
    refuse_array(name, "its shape cannot be read");
  value = value.substr(1, end - 1);
  std::uint64_t count = 1;
  while (true) {
    value.remove_prefix(std::min(value.find_first_not_of(" ,"), value.size()));
    if (value.empty()) return count;
    std::uint64_t size = 0;
    const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), size);
    const bool is_too_large = size != 0 && count > std::numeric_limits<std::uint64_t>::max() / size;
    if (error != std::errc() || is_too_large) refuse_array(name, "its shape cannot be read");
    count *= size;
    value.remove_prefix(static_cast<std::size_t>(rest - value.data()));
  }
}

/// The header, and how far it reaches.
std::string_view npy_header(std::string_view content, const std::string& name) {
  const auto byte_at = [&](std::size_t place) {
    return std::size_t{static_cast<unsigned char>(content[place])};
  };
  constexpr std::size_t kVersion = kMagic.size();
  constexpr std::size_t kLength = kVersion + 2;
  if (content.size() < kLength + 4) refuse_array(name, "it is cut off");
  const bool is_first_version = byte_at(kVersion) == 1;
  std::size_t length = byte_at(kLength) | byte_at(kLength + 1) << 8U;
  if (!is_first_version) length |= byte_at(kLength + 2) << 16U | byte_at(kLength + 3) << 24U;
  const std::size_t begin = kLength + (is_first_version ? 2 : 4);
  if (content.size() - begin < length) refuse_array(name, "it is cut off");
  return content.substr(begin, length);
}

}  // namespace

StoredElements stored_elements(std::string_view content, const std::string& name, ArgumentType raw) {
  if (!content.starts_with(kMagic)) {
    if (content.size() % size_bytes(raw) != 0) {
      throw Error(ErrorKind::usage, fmt::format("{}: its {} bytes are no elements of {}", name,
                                                content.size(), to_string(raw)));
    }
    return {raw, content.size() / size_bytes(raw), content};
  }
  const std::string_view header = npy_header(content, name);
  StoredElements elements;
  elements.type = element_type(header_value(header, "descr", name), name);
  elements.count = element_count(header_value(header, "shape", name), name);
  if (!header_value(header, "fortran_order", name).starts_with("False")) {
    refuse_array(name, "its elements are in Fortran's order");
  }
  const std::size_t begin = static_cast<std::size_t>(header.data() + header.size() - content.data());
  if (elements.count > (content.size() - begin) / size_bytes(elements.type)) {
    refuse_array(name, "it is cut off");
  }
  elements.bytes = content.substr(begin, elements.count * size_bytes(elements.type));
  return elements;
}

}  // namespace rooflinectl
