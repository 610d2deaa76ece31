// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "core/model/dtype.h"
#include "core/model/primitive.h"

namespace rooflinectl {

/// What a variant leaves behind: the whole result, or one partial result per block that somebody else adds
/// up.
enum class OutputKind { scalar, partials };

/// A variant as the rest of the tool sees it (its code stays in `kernels/`).
struct VariantInfo {
  std::string id;
  std::string label;  ///< short form for pictures and narrow tables: `V3`
  std::string title;  ///< the idea in a few words
  std::string family;
  std::vector<Dtype> dtypes;
  std::vector<int> block_sizes;
  int default_block_size = 0;
  /// Elements that one thread reads before it passes its result on, where the caller may choose; nothing
  /// where the variant fixes it.
  std::optional<int> default_elements_per_thread;
  OutputKind output = OutputKind::scalar;
  bool destroys_input = false;
  bool deterministic = false;
  int minimum_sm = 75;
  bool several_gpus = false;  ///< whether several GPUs can share the elements

  bool operator==(const VariantInfo&) const = default;
};

/// Everything that a plan can name. Variants are sorted by id, numbers in ids by value (`v2` before `v10`).
struct Catalogue {
  std::vector<VariantInfo> variants;
  std::vector<std::string> ceilings;
  std::vector<PrimitiveInfo> primitives;

  const VariantInfo* find_variant(std::string_view id) const {
    for (const VariantInfo& variant : variants) {
      if (variant.id == id) return &variant;
    }
    return nullptr;
  }

  bool operator==(const Catalogue&) const = default;
};

/// One of our counters on one chip.
struct CounterInfo {
  std::string key;
  std::string meaning;
  std::string metric;  ///< the hardware metric that it comes from; empty where the chip has none

  bool operator==(const CounterInfo&) const = default;
};

/// What the basic counter set is on one chip.
struct ChipCounters {
  std::string chip;  ///< CUPTI's name, for example GH100
  int passes = 0;    ///< how often a launch is repeated to collect all of them
  std::vector<CounterInfo> counters;

  bool operator==(const ChipCounters&) const = default;
};

enum class CheckStatus { ok, warning, fails };

/// The subject of the check for other programs on a GPU.
inline constexpr const char* kOtherProgramsCheck = "other programs";

/// One thing that `rooflinectl doctor` looked at.
struct Check {
  std::string subject;  ///< `driver`, `counters`
  CheckStatus status = CheckStatus::ok;
  std::string detail;            ///< what was found
  std::string fix;               ///< what to do; empty if the check is ok
  bool stops_measuring = false;  ///< nothing at all can be measured as long as this fails

  bool operator==(const Check&) const = default;
};

}  // namespace rooflinectl
