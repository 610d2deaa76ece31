// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/kernel_names/cpp_name.h"

namespace rooflinectl::kernel_names {

using Words = std::vector<std::string>;

/// A kernel in words: `elementwise` and `add`, `bf16`.
struct Description {
  /// With the namespace that matters. Empty if the name is not understood.
  std::string base;
  /// At most 28 characters each.
  Words details;

  void add(std::string_view detail);
};

/// What `name`, the name of a kernel, amounts to.
Description describe(const CppName& name);

}  // namespace rooflinectl::kernel_names
