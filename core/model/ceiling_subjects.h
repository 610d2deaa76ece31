// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/model/ceiling_kind.h"

namespace rooflinectl {

struct Ceiling;

/// The place of a `Ceiling::subject` among all subjects: the memory levels from DRAM to the SMs, then the
/// precisions from the widest to the narrowest; unknown subjects come last.
std::size_t subject_rank(std::string_view subject);

/// The place of a ceiling among all: by kind, Tensor Cores after the other pipes, then by subject. The
/// operations of one subject share a place.
std::tuple<CeilingKind, bool, std::size_t> ceiling_rank(const Ceiling& ceiling);

/// The precisions that compute ceilings can have, in that order.
std::vector<std::string_view> ceiling_precisions();

/// The name of a subject as people write it: `DRAM`, `FP32`. An unknown subject is its own name.
std::string_view subject_name(std::string_view subject);

}  // namespace rooflinectl
