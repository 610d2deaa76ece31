// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/program/profile_record.h"

namespace rooflinectl::injection {

/// An instruction of a function.
struct CodePlace {
  std::uint64_t code = 0;  ///< the checksum of its cubin
  std::string function;    ///< mangled
  std::uint64_t offset = 0;

  auto operator<=>(const CodePlace&) const = default;  // NOLINT(modernize-use-nullptr): there is no null
};

/// How many warps were there when they were sampled, by what they waited for: ids of `StallReason`, or
/// `selected` for those that issued an instruction.
using StallSamples = std::map<std::string, std::uint64_t>;
using SampledCode = std::map<CodePlace, StallSamples>;

struct SourceLine {
  std::string file;
  int line = 0;

  auto operator<=>(const SourceLine&) const = default;  // NOLINT(modernize-use-nullptr): there is no null
};
/// The line that an instruction comes from; nothing if its code does not tell.
using LineOf = std::function<std::optional<SourceLine>(const CodePlace&)>;

/// The functions of which any instruction has a line, those with the most samples first, each with the lines
/// that have the most; no more than `kMostSampledKernels`, with no more than `kMostRecordedLines`. Functions
/// with one name in several cubins are left out: nobody could tell them apart.
std::vector<record::SampledKernel> sampled_kernels(const SampledCode& sampled, int device,
                                                   const LineOf& line_of);

inline constexpr std::size_t kMostSampledKernels = 200;
inline constexpr std::size_t kMostRecordedLines = 50;

}  // namespace rooflinectl::injection
