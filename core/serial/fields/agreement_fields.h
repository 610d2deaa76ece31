// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "core/json/rules.h"
#include "core/model/agreement.h"

namespace rooflinectl::serial {

template <>
inline constexpr auto kValues<ComparedUnit> = std::array{
    ComparedUnit::count, ComparedUnit::operations, ComparedUnit::instructions, ComparedUnit::wavefronts,
    ComparedUnit::bytes, ComparedUnit::ratio,      ComparedUnit::seconds};
template <>
inline constexpr auto kValues<CrossCheckTool> =
    std::array{CrossCheckTool::ncu, CrossCheckTool::nsys, CrossCheckTool::activity};

void fields(auto& f, Is<Agreement> auto& agreement) {
  f("subject", agreement.subject);
  f("quantity", agreement.quantity);
  f("unit", agreement.unit);
  // The verdict is derived from them again when they are read.
  f("ours", agreement.ours, AllDigits{});
  f("reference", agreement.reference, AllDigits{});
  f("tolerance", agreement.tolerance, AllDigits{});
  f("is_relative", agreement.is_relative);
  f("note", agreement.note);
}

void fields(auto& f, Is<SelfTest> auto& self_test) {
  f("reason", self_test.reason);
  f("wall_s", self_test.wall_s);
  f("agreements", self_test.agreements);
}

void fields(auto& f, Is<CrossCheck> auto& cross_check) {
  f("tool", cross_check.tool);
  f("version", cross_check.version);
  f("source", cross_check.source);
  f("reason", cross_check.reason);
  f("hint", cross_check.hint);
  f("agreements", cross_check.agreements);
}

}  // namespace rooflinectl::serial
