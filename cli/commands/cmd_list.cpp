// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "core/error.h"
#include "core/serial/protocol.h"
#include "reports/text/format.h"
#include "reports/text/text_table.h"
#include "runner/machine/catalogue.h"

namespace rooflinectl {

namespace {

struct ListOptions {
  std::string topic;
  std::string chip;
  bool json = false;
};

void print_list(const std::string& json) {
  terminal::print("{}\n", serial::to_text(answered(answer_head("list", {}), json)));
}

// ---- variants and ceilings ----

std::string joined(const std::vector<Dtype>& dtypes) {
  std::vector<std::string_view> names;
  names.reserve(dtypes.size());
  for (const Dtype dtype : dtypes) names.push_back(to_string(dtype));
  return fmt::format("{}", fmt::join(names, " "));
}

void print_variants(const std::vector<VariantInfo>& variants) {
  Table table = {
      .columns = {
          {"variant"}, {"label"}, {"dtypes"}, {"block sizes"}, {"elements/thread"}, {"output"}, {"idea"}}};
  for (const VariantInfo& variant : variants) {
    if (variant.dtypes.empty()) {  // only its id is known
      table.rows.push_back({variant.id, "", "", "", "", "", ""});
      continue;
    }
    table.rows.push_back(
        {variant.id, variant.label, joined(variant.dtypes),
         fmt::format("{}", fmt::join(variant.block_sizes, " ")),
         variant.default_elements_per_thread ? fmt::format("{}", *variant.default_elements_per_thread) : "",
         std::string(to_string(variant.output)), variant.title});
  }
  terminal::print("{}", text_table(table));
}

void list_variants(const ListOptions& options) {
  const Catalogue catalogue = load_catalogue();
  if (options.json) return print_list(encode(catalogue));
  print_variants(catalogue.variants);
  if (!find_collector()) {
    terminal::print(
        "\nrooflinectl-collector, which describes its kernels, is not installed: labels and the rest come "
        "from\n"
        "the shipped recordings, and a variant that none of them has is shown by its id alone.\n");
  }
}

void list_ceilings(const ListOptions& options) {
  Catalogue catalogue = load_catalogue();
  catalogue.variants.clear();
  if (options.json) return print_list(encode(catalogue));
  terminal::print("ceilings: {}\n", fmt::join(catalogue.ceilings, ", "));
}

// ---- primitives ----

void list_primitives(const ListOptions& options) {
  const std::vector<PrimitiveInfo> primitives = load_catalogue().primitives;
  if (options.json) return print_list(encode(Catalogue{.primitives = primitives}));
  Table table = {
      .columns = {
          {"primitive"}, {"family"}, {"by"}, {"type"}, {"scope"}, {"instructions"}, {"what it does"}}};
  for (const PrimitiveInfo& primitive : primitives) {
    table.rows.push_back({primitive.id, primitive.family, primitive.by,
                          std::string(to_string(primitive.dtype)), std::string(to_string(primitive.scope)),
                          primitive.instructions ? fmt::format("{}", *primitive.instructions) : "",
                          primitive.title});
  }
  terminal::print("{}", text_table(table));
}

// ---- metrics ----

void print_chip(const ChipCounters& chip) {
  terminal::print("{}: {} {}\n\n", chip.chip, chip.passes, chip.passes == 1 ? "pass" : "passes");
  Table table = {.columns = {{"counter"}, {"hardware metric"}, {"meaning"}}};
  for (const CounterInfo& counter : chip.counters) {
    table.rows.push_back(
        {counter.key, counter.metric.empty() ? "(none on this chip)" : counter.metric, counter.meaning});
  }
  terminal::print("{}", text_table(table));
}

void print_chips(const std::vector<ChipCounters>& chips) {
  Table table = {.columns = {{"chip"}, {"passes"}, {"missing counters"}}};
  for (const ChipCounters& chip : chips) {
    std::vector<std::string> missing;
    for (const CounterInfo& counter : chip.counters) {
      if (counter.metric.empty()) missing.push_back(counter.key);
    }
    table.rows.push_back(
        {chip.chip, fmt::format("{}", chip.passes), fmt::format("{}", fmt::join(missing, " "))});
  }
  terminal::print(
      "{}\n`rooflinectl list metrics --chip {}` lists the counters with their hardware metrics.\n",
      text_table(table), chips.empty() ? "CHIP" : chips.back().chip);
}

void list_metrics(const ListOptions& options) {
  const std::vector<ChipCounters> chips = load_chips(options.chip);
  if (options.json) {
    print_list(encode(chips));
  } else if (options.chip.empty()) {
    print_chips(chips);
  } else {
    for (const ChipCounters& chip : chips) print_chip(chip);
  }
}

// ---- devices ----

void list_devices(const ListOptions& options) {
  const std::vector<DeviceInfo> devices = load_devices();
  if (options.json) return print_list(encode(devices));
  Table table = {
      .columns = {{"index"}, {"name"}, {"compute capability"}, {"SMs"}, {"memory"}, {"L2"}, {"UUID"}}};
  for (const DeviceInfo& device : devices) {
    table.rows.push_back(
        {fmt::format("{}", device.index), device.name,
         fmt::format("{}.{}", device.compute_capability / 10, device.compute_capability % 10),
         fmt::format("{}", device.sm_count), format::memory_size(device.memory_bytes),
         format::memory_size(device.l2_bytes), device.uuid});
  }
  terminal::print("{}", text_table(table));
}

// ---- the command ----

constexpr std::array<std::pair<const char*, void (*)(const ListOptions&)>, 5> kTopics = {
    {{"variants", list_variants},
     {"ceilings", list_ceilings},
     {"primitives", list_primitives},
     {"metrics", list_metrics},
     {"devices", list_devices}}};

int list(const ListOptions& options) {
  if (!options.chip.empty() && options.topic != "metrics") {
    throw Error(ErrorKind::usage, "--chip is only valid with `list metrics`");
  }
  for (const auto& [name, list_topic] : kTopics) {
    if (options.topic == name) list_topic(options);
  }
  return 0;
}

}  // namespace

void add_list_command(const Commands& commands) {
  const auto [command, options] = add_command(
      commands, "list", "List variants, ceilings, primitives, metrics of a chip, or devices", list);
  add_option(command, "topic", "TOPIC", options->topic,
             "variants, ceilings or primitives (what a plan can name), metrics, devices")
      ->default_val("variants")
      ->check(CLI::IsMember({"variants", "ceilings", "primitives", "metrics", "devices"}));
  add_option(command, "--chip", "CHIP", options->chip,
             "With metrics: the chip, such as GH100 (default: a summary of all chips)");
  add_json_flag(*command, options->json);
  command->footer(
      "Where several block sizes, or a number of elements per thread, are listed, a\n"
      "plan can choose its own.\n"
      "\n"
      "Examples:\n"
      "  rooflinectl list\n"
      "  rooflinectl list metrics --chip GH100    every counter and its passes\n"
      "  rooflinectl list devices --json");
}

}  // namespace rooflinectl
