// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/text/kernel_names/cpp_name.h"

/// What the template arguments of kernels are.
namespace rooflinectl::kernel_names {

/// The numeric type that `name`, or what it points to, is; empty if it is not one. The types of PyTorch's
/// copies show only their size.
std::string scalar(const CppName& name);

/// Whether `name` is the type of an address.
bool is_pointer(const CppName& name);

/// Whether `name` is a constant of an enumeration, whose number tells nothing: `(cudnnKernelDataType_t)2`,
/// `padding_t=1`.
bool is_enumerator(const CppName& name);

/// A number, `true` or `false`, without its type; empty for others.
std::string literal(const CppName& name);

/// Namespaces that tell the reader of a kernel's name nothing.
bool is_silent(const NamePart& part);

/// Classes about how a kernel is tuned or where its data lie.
bool is_plumbing(const NamePart& part);

/// The last part with a name of its own, from `last` back; null if there is none.
const NamePart* named_part(const CppName& name, std::size_t last);

/// The last part with a name of its own; null if there is none.
const NamePart* named_part(const CppName& name);

/// The first `scalar` among `names`.
std::string first_scalar(const std::vector<CppName>& names);

}  // namespace rooflinectl::kernel_names
