// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/file_kernel.h"
#include "core/program/launch.h"

namespace rooflinectl {

/// What the elements of an argument are filled with.
enum class FillKind {
  value,     ///< the same for all
  uniform,   ///< fractions in [0, 1)
  integers,  ///< -7 … 7; for unsigned types 0 … 14
  index,     ///< 0, 1, 2, …
};

struct Fill {
  FillKind kind = FillKind::value;
  double value = 0;
  std::uint64_t seed = 0;

  bool operator==(const Fill&) const = default;
};

/// An argument of one launch.
struct CallArgument {
  std::string name;
  ArgumentKind kind = ArgumentKind::in;
  ArgumentType type = ArgumentType::f32;
  std::uint64_t count = 1;  ///< elements
  Fill fill;                ///< the value of a scalar; unused for `out`

  std::size_t bytes() const { return count * size_bytes(type); }
};

using Dimensions = std::array<std::uint32_t, 3>;

/// A kernel from a file as a point launches it.
struct KernelCall {
  std::string function;
  std::vector<std::string> options;
  Dimensions grid = {1, 1, 1};
  Dimensions block = {1, 1, 1};
  Dimensions cluster = {1, 1, 1};
  std::uint32_t shared_bytes = 0;
  std::vector<CallArgument> arguments;
  std::string reference;  ///< the function of a reference in C++, as it is called; else empty
  Work work;              ///< all zeros where none is declared
};

/// Whether it has an argument that it reads and writes.
bool changes_inputs(const KernelCall& call);

/// An expression, or another text, of a kernel's description that cannot be used.
class KernelMistake : public std::runtime_error {
 public:
  KernelMistake(std::string field, std::size_t place, const std::string& what)
      : std::runtime_error(what), field_(std::move(field)), place_(place) {}

  /// `launch.grid`, `arguments.x.count`.
  const std::string& field() const { return field_; }
  /// Bytes of its text before the mistake.
  std::size_t place() const { return place_; }

 private:
  std::string field_;
  std::size_t place_;
};

/// The names in code in C++.
std::set<std::string> identifiers_in(std::string_view code);

/// The name of the file with what a kernel's reference in Python or C++ expects as `argument`: the same for
/// all points with the same data.
std::string reference_file(const PointId& point, const std::string& argument);
/// The name of the file that says why there are none; there is none if all went well.
std::string reference_cause_file(const PointId& point);

/// The call that `kernel` stands for with these values of its axes; an axis that they lack has its first
/// value. Throws KernelMistake.
KernelCall call_of(const FileKernel& kernel, const Axes& axes);

}  // namespace rooflinectl
