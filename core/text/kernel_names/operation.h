// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/text/kernel_names/cpp_name.h"

namespace rooflinectl::kernel_names {

/// What a generic kernel (PyTorch's elementwise and reduction kernels, CUB, Thrust) is instantiated with.
struct Operation {
  std::string name;
  /// What it works on; empty if its arguments do not tell.
  std::string type;
  /// Has no name of its own, but refines the one before it: `plus`, a lambda.
  bool is_detail = false;
};

/// The first operation among `arguments`, with the one that refines it: `BinaryOpListAlphaFunctor<…>,
/// plus<…>`.
std::optional<Operation> find_operation(const std::vector<CppName>& arguments);

}  // namespace rooflinectl::kernel_names
