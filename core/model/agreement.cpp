// SPDX-License-Identifier: Apache-2.0
#include "core/model/agreement.h"

#include <algorithm>
#include <cmath>

namespace rooflinectl {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "agrees";
    case Verdict::differs:
      return "differs";
    case Verdict::unavailable:
      return "unavailable";
  }
  return "";
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
  switch (tool) {
    case CrossCheckTool::ncu:
      return "ncu";
    case CrossCheckTool::nsys:
      return "nsys";
    case CrossCheckTool::activity:
      return "activity";
  }
  return "";
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
