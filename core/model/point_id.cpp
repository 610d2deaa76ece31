// SPDX-License-Identifier: Apache-2.0
#include "core/model/point_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/error.h"

namespace rooflinectl {

namespace {

std::size_t rank(std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(axis::kKnown, name) - axis::kKnown.begin());
}

}  // namespace

void Axes::set_value(std::string_view name, Value value) {
  const auto found = std::ranges::find(axes_, name, &Axis::first);
  if (found != axes_.end()) {
    found->second = std::move(value);
  } else {
    const auto place =
        std::ranges::find_if(axes_, [&](const Axis& axis) { return rank(axis.first) > rank(name); });
    axes_.emplace(place, name, std::move(value));
  }
}

void Axes::erase(std::string_view name) {
  std::erase_if(axes_, [&](const Axis& axis) { return axis.first == name; });
}

const Axes::Value* Axes::find(std::string_view name) const {
  const auto found = std::ranges::find(axes_, name, &Axis::first);
  return found == axes_.end() ? nullptr : &found->second;
}

std::optional<std::uint64_t> Axes::number(std::string_view name) const {
  const Value* value = find(name);
  const auto* number = value == nullptr ? nullptr : std::get_if<std::uint64_t>(value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::optional<std::string_view> Axes::text(std::string_view name) const {
  const Value* value = find(name);
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return text == nullptr ? std::nullopt : std::optional<std::string_view>(*text);
}

std::string Axes::written(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) return {};
  return std::visit([](const auto& content) { return fmt::format("{}", content); }, *value);
}

namespace {

template <typename Enum>
std::optional<Enum> named(const PointId& point, std::string_view name) {
  const auto text = point.axes.text(name);
  return text ? enumerator_from<Enum>(*text) : std::nullopt;
}

}  // namespace

std::optional<Dtype> dtype_of(const PointId& point) {
  return named<Dtype>(point, axis::kDtype);
}

std::optional<std::uint64_t> size_of(const PointId& point) {
  return point.axes.number(axis::kSize);
}

std::optional<CacheState> cache_of(const PointId& point) {
  return named<CacheState>(point, axis::kCache);
}

std::optional<LaunchMode> mode_of(const PointId& point) {
  return named<LaunchMode>(point, axis::kMode);
}

int gpus_of(const PointId& point) {
  constexpr std::uint64_t kMost = 1 << 20;
  return static_cast<int>(std::clamp<std::uint64_t>(point.axes.number(axis::kGpus).value_or(1), 1, kMost));
}

Axes axes_of(const Reduction& reduction) {
  Axes axes;
  axes.set(axis::kDtype, reduction.dtype);
  axes.set(axis::kSize, reduction.n_elements);
  axes.set(axis::kBlock, static_cast<std::uint64_t>(reduction.block_size));
  if (reduction.elements_per_thread) {
    axes.set(axis::kElements, static_cast<std::uint64_t>(*reduction.elements_per_thread));
  }
  axes.set(axis::kCache, reduction.cache);
  axes.set(axis::kMode, reduction.launch_mode);
  if (reduction.gpus) axes.set(axis::kGpus, static_cast<std::uint64_t>(*reduction.gpus));
  return axes;
}

Reduction reduction_of(const PointId& point) {
  const auto require = [&](const auto& value, std::string_view name) {
    if (value) return *value;
    throw Error(ErrorKind::usage,
                fmt::format("{} is not a reduction: its axis '{}' is missing or has no such value",
                            range_name(point), name));
  };
  const auto small = [&](std::string_view name) {
    auto value = point.axes.number(name);
    if (value && *value > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) value.reset();
    return static_cast<int>(require(value, name));
  };
  Reduction reduction;
  reduction.dtype = require(dtype_of(point), axis::kDtype);
  reduction.n_elements = require(size_of(point), axis::kSize);
  reduction.block_size = small(axis::kBlock);
  if (point.axes.find(axis::kElements) != nullptr) reduction.elements_per_thread = small(axis::kElements);
  reduction.cache = require(cache_of(point), axis::kCache);
  reduction.launch_mode = require(mode_of(point), axis::kMode);
  if (point.axes.find(axis::kGpus) != nullptr) reduction.gpus = small(axis::kGpus);
  return reduction;
}

std::string axis_text(const Axes::Axis& axis) {
  const auto& [name, value] = axis;
  if (const auto* text = std::get_if<std::string>(&value)) {
    return name == axis::kMode && *text == to_string(LaunchMode::graph) ? std::string() : *text;
  }
  const std::string_view prefix = name == axis::kBlock      ? "b"
                                  : name == axis::kElements ? "e"
                                                            : std::string_view(name);
  return fmt::format("{}{}", prefix, std::get<std::uint64_t>(value));
}

std::string range_name(const PointId& point) {
  std::string name = fmt::format("{}.{}", point.experiment, point.subject);
  for (const Axes::Axis& axis : point.axes) {
    const std::string part = axis_text(axis);
    if (!part.empty()) name.append(".").append(part);
  }
  return name;
}

}  // namespace rooflinectl
