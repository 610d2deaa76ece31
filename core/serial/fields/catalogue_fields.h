// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "core/json/rules.h"
#include "core/machine/catalogue.h"
#include "core/machine/check.h"
#include "core/serial/fields/primitive_fields.h"

namespace rooflinectl::serial {

template <>
inline constexpr auto kValues<OutputKind> = std::array{OutputKind::scalar, OutputKind::partials};
template <>
inline constexpr auto kValues<CheckStatus> =
    std::array{CheckStatus::ok, CheckStatus::warning, CheckStatus::fails};

void fields(auto& f, Is<VariantInfo> auto& variant) {
  f("id", variant.id);
  f("label", variant.label);
  f("title", variant.title);
  f("family", variant.family);
  f("dtypes", variant.dtypes);
  f("block_sizes", variant.block_sizes);
  f("default_block_size", variant.default_block_size);
  f.optional("default_elements_per_thread", variant.default_elements_per_thread);
  f("output", variant.output);
  f("destroys_input", variant.destroys_input);
  f("deterministic", variant.deterministic);
  f("minimum_sm", variant.minimum_sm);
  f.optional("several_gpus", variant.several_gpus);
}

void fields(auto& f, Is<Catalogue> auto& catalogue) {
  f("variants", catalogue.variants);
  f("ceilings", catalogue.ceilings);
  f.optional("primitives", catalogue.primitives);
}

void fields(auto& f, Is<CounterInfo> auto& counter) {
  f("key", counter.key);
  f("meaning", counter.meaning);
  f("metric", counter.metric);
}

void fields(auto& f, Is<ChipCounters> auto& chip) {
  f("chip", chip.chip);
  f("passes", chip.passes);
  f("counters", chip.counters);
}

void fields(auto& f, Is<Check> auto& check) {
  f("subject", check.subject);
  f("status", check.status);
  f("detail", check.detail);
  f("fix", check.fix);
  f("stops_measuring", check.stops_measuring);
}

}  // namespace rooflinectl::serial
