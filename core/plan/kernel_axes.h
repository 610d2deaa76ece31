// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/plan/kernels_section.h"
#include "core/plan/yaml_reader.h"

/// What the points of a kernel differ in.
namespace rooflinectl::yaml {

/// Whether expressions can use the name.
bool is_identifier(std::string_view name);

/// Reads the member `axes` of a kernel: a map from a name to its values.
void read_axes(Reader& reader, KernelEntry& entry, const Field& member);

/// Reads the member `cases`, after the axes: sets of values that are measured in place of all combinations, a
/// list or a map from names, which are an axis of their own. All set the axes that the first one sets; an
/// axis with a value in `axes` has that where a case sets none.
void read_cases(Reader& reader, KernelEntry& entry, const Field& member);

}  // namespace rooflinectl::yaml
