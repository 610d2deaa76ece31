// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/catalogue.h"
#include "cli/commands.h"
#include "cli/table.h"

namespace rooflinectl {

namespace {

std::string joined(const std::vector<Dtype>& dtypes) {
  std::vector<std::string_view> names;
  names.reserve(dtypes.size());
  for (const Dtype dtype : dtypes) names.push_back(to_string(dtype));
  return fmt::format("{}", fmt::join(names, " "));
}

void print_variants(const std::vector<VariantInfo>& variants) {
  Table table({"variant", "dtypes", "block sizes", "elements/thread", "leaves", "idea"});
  for (const VariantInfo& variant : variants) {
    table.add(
        {variant.id, joined(variant.dtypes), fmt::format("{}", fmt::join(variant.block_sizes, " ")),
         variant.default_elements_per_thread ? fmt::format("{}", *variant.default_elements_per_thread) : "",
         std::string(to_string(variant.output)), variant.title});
  }
  fmt::print("{}", table.text());
}

int list() {
  const Catalogue catalogue = load_catalogue();
  if (find_collector()) {
    print_variants(catalogue.variants);
  } else {
    for (const VariantInfo& variant : catalogue.variants) fmt::print("{}\n", variant.id);
    fmt::print("\nThis build has no rooflinectl-collector, which knows more about them.\n");
  }
  fmt::print("\nceilings: {}\n", fmt::join(catalogue.ceilings, ", "));
  return 0;
}

}  // namespace

void add_list_command(CLI::App& app, Action& action) {
  CLI::App* const command = app.add_subcommand("list", "List the variants and ceilings that a plan can name");
  command->footer(
      "Where several block sizes or a number of elements per thread are listed, a plan can choose.");
  command->callback([&action] { action = list; });
}

}  // namespace rooflinectl
