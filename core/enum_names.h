// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// The enumerators of an enumeration that counts from 0, and the names that they have in the source, where
/// the compiler (GCC or clang) reads them.
namespace rooflinectl {

/// Empty for a number that no enumerator has.
template <auto kValue>
constexpr auto enumerator_name() {
  // … [kValue = rooflinectl::Enum::name] or … [kValue = (rooflinectl::Enum)7]
  std::string_view name = __PRETTY_FUNCTION__;
  name.remove_suffix(1);
  name.remove_prefix(name.rfind(':') + 1);
  return name.find(')') == std::string_view::npos ? name : std::string_view();
}

template <typename Enum, std::size_t kPlace = 0>
constexpr std::size_t enumerator_count() {
  if constexpr (enumerator_name<static_cast<Enum>(kPlace)>().empty()) {
    return kPlace;
  } else {
    return enumerator_count<Enum, kPlace + 1>();
  }
}

template <typename Enum>
inline constexpr auto kEnumerators = []<std::size_t... kPlaces>(std::index_sequence<kPlaces...>) {
  return std::array{static_cast<Enum>(kPlaces)...};
}
(std::make_index_sequence<enumerator_count<Enum>()>());

template <typename Enum>
inline constexpr auto kEnumeratorNames = []<std::size_t... kPlaces>(std::index_sequence<kPlaces...>) {
  return std::array{enumerator_name<static_cast<Enum>(kPlaces)>()...};
}
(std::make_index_sequence<enumerator_count<Enum>()>());

template <typename Enum>
constexpr std::string_view enumerator_name(Enum value) {
  return kEnumeratorNames<Enum>[static_cast<std::size_t>(value)];
}

/// The same with a separator for each `_`: `power-capped`.
template <char kSeparator, typename Enum>
std::string_view separated_name(Enum value) {
  static const auto separated = [] {
    std::array<std::string, kEnumerators<Enum>.size()> names;
    std::ranges::copy(kEnumeratorNames<Enum>, names.begin());
    for (std::string& name : names) std::ranges::replace(name, '_', kSeparator);
    return names;
  }();
  return separated[static_cast<std::size_t>(value)];
}

/// The name of an enumerator in files and on the command line. An enumeration with other names than those in
/// the source declares a `to_string` of its own beside it, in the same header.
template <typename Enum>
requires std::is_enum_v<Enum>
constexpr std::string_view to_string(Enum value) {
  return enumerator_name(value);
}

/// The one that `to_string` calls so; nothing if there is none.
template <typename Enum>
constexpr std::optional<Enum> enumerator_from(std::string_view name) {
  for (const Enum value : kEnumerators<Enum>) {
    if (to_string(value) == name) return value;
  }
  return std::nullopt;
}

}  // namespace rooflinectl
