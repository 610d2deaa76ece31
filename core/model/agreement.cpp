// SPDX-License-Identifier: Apache-2.0
#include "core/model/agreement.h"

#include <algorithm>
#include <cmath>

#include "core/enum_names.h"

namespace rooflinectl {

std::string_view to_string(Verdict verdict) {
  return enumerator_name(verdict);
}

std::string_view to_string(ComparedUnit unit) {
  switch (unit) {
    case ComparedUnit::count:
      return "";
    case ComparedUnit::operations:
      return "operations";
    case ComparedUnit::instructions:
      return "instructions";
    case ComparedUnit::wavefronts:
      return "wavefronts";
    case ComparedUnit::bytes:
      return "bytes";
    case ComparedUnit::ratio:
      return "ratio";
    case ComparedUnit::seconds:
      return "s";
  }
  return "";
}

std::string_view to_string(CrossCheckTool tool) {
  return enumerator_name(tool);
}

Verdict Agreement::verdict() const {
  if (!ours.available() || !reference.available()) return Verdict::unavailable;
  const double allowed = is_relative ? tolerance * std::abs(*reference.value()) : tolerance;
  const double difference = std::abs(*ours.value() - *reference.value());
  return std::isfinite(allowed) && difference <= allowed ? Verdict::agrees : Verdict::differs;
}

bool SelfTest::passed() const {
  const auto has = [this](Verdict verdict) {
    return std::any_of(agreements.begin(), agreements.end(),
                       [verdict](const Agreement& agreement) { return agreement.verdict() == verdict; });
  };
  return has(Verdict::agrees) && !has(Verdict::differs);
}

}  // namespace rooflinectl
