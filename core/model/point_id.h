// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/model/dtype.h"
#include "core/program/launch.h"

namespace rooflinectl {

/// Axes with a meaning beyond their name, in the order in which points have them. Any other axis is welcome
/// too.
namespace axis {
inline constexpr std::string_view kDtype = "dtype";  ///< element type, a name of `Dtype`
inline constexpr std::string_view kSize = "n";       ///< number of elements
inline constexpr std::string_view kBlock =
    "block";  ///< threads per block, or 16x16; 0 where a library chooses
inline constexpr std::string_view kElements = "elements";  ///< per thread, where the kernel lets one choose
inline constexpr std::string_view kCache = "cache";        ///< a name of `CacheState`
inline constexpr std::string_view kMode = "mode";          ///< a name of `LaunchMode`
inline constexpr std::string_view kGpus = "gpus";          ///< that share the elements, where several can

inline constexpr std::array kKnown = {kDtype, kSize, kBlock, kElements, kCache, kMode, kGpus};
}  // namespace axis

/// The named values that tell the points of one subject apart: the axes above in their order, then others in
/// the order in which they were set.
class Axes {
 public:
  using Value = std::variant<std::uint64_t, std::string>;
  using Axis = std::pair<std::string, Value>;

  /// Adds an axis, or gives it another value.
  void set(std::string_view name, std::uint64_t value) { set_value(name, value); }
  void set(std::string_view name, std::string value) { set_value(name, std::move(value)); }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void set(std::string_view name, Enum value) { set_value(name, std::string(to_string(value))); }
  void set_value(std::string_view name, Value value);
  void erase(std::string_view name);

  const Value* find(std::string_view name) const;
  /// Nothing where there is no such axis, or its value is a text.
  std::optional<std::uint64_t> number(std::string_view name) const;
  /// Nothing where there is no such axis, or its value is a number.
  std::optional<std::string_view> text(std::string_view name) const;
  /// A number or a text as it is written. Empty where there is no such axis.
  std::string written(std::string_view name) const;

  auto begin() const { return axes_.begin(); }
  auto end() const { return axes_.end(); }

  bool operator==(const Axes&) const = default;
  bool operator<(const Axes& other) const { return axes_ < other.axes_; }

 private:
  std::vector<Axis> axes_;
};

/// The identity of a point: the same in the plan, in the collector, in `run.json` and in a comparison.
struct PointId {
  std::string experiment;
  std::string subject;  ///< what runs: the id of a variant
  Axes axes;

  bool operator==(const PointId&) const = default;
};

/// The values of the axes above. Nothing where the point has no such axis, or no such value.
std::optional<Dtype> dtype_of(const PointId& point);
std::optional<std::uint64_t> size_of(const PointId& point);
std::optional<CacheState> cache_of(const PointId& point);
std::optional<LaunchMode> mode_of(const PointId& point);
/// 1 for a point without that axis.
int gpus_of(const PointId& point);

/// What the axes of a reduction stand for.
struct Reduction {
  Dtype dtype = Dtype::f32;
  std::uint64_t n_elements = 0;
  int block_size = 0;
  std::optional<int> elements_per_thread;  ///< only where the variant lets the caller choose
  CacheState cache = CacheState::cold;
  LaunchMode launch_mode = LaunchMode::graph;
  std::optional<int> gpus;  ///< only where several can share the elements
};

Axes axes_of(const Reduction& reduction);
/// The reverse. Throws Error(usage) if the axes lack one of a reduction, or hold a value that it cannot have.
Reduction reduction_of(const PointId& point);

/// The value of an axis as names of points have it: `f32`, `n1024`, `b256`, `e8`, `cold`; empty for a launch
/// in a graph, which goes without saying.
std::string axis_text(const Axes::Axis& axis);

/// The NVTX and counter range of a point, for example
/// `ladder.reduce_v3_sequential.f32.n268435456.b256.cold` or, with elements per thread, `….b256.e8.cold`;
/// what is not launched in a graph ends in `.plain`. Free of the characters `/ @ , [ ]` that have a meaning
/// in `ncu --nvtx-include`, as experiment, subject and axes are.
std::string range_name(const PointId& point);

}  // namespace rooflinectl
