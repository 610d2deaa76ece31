// SPDX-License-Identifier: Apache-2.0
#include "core/plan/variants_section.h"

#include <charconv>

#include "core/text/names.h"

namespace rooflinectl::yaml {

namespace {

List<int> read_positive_integers(Reader& reader, const Field& field) {
  return reader.list<int>(field, [&](const std::string& text, Position position) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    constexpr int kLargest = 1 << 20;  // far beyond use, and sums of such numbers still fit an int
    const bool valid =
        error == std::errc() && end == text.data() + text.size() && value > 0 && value <= kLargest;
    if (!valid)
      reader.fail(position, fmt::format("{} is not an integer from 1 to {}", in_quotes(text), kLargest));
    return valid ? std::optional(value) : std::nullopt;
  });
}

std::vector<std::string> ids_of(const Catalogue& catalogue) {
  std::vector<std::string> ids;
  for (const VariantInfo& variant : catalogue.variants) ids.push_back(variant.id);
  return ids;
}

/// `id`, or `id: {its own settings}`.
void add_entries(Reader& reader, const YAML::Node& node, std::vector<VariantEntry>& entries) {
  if (node.IsScalar()) {
    entries.push_back({node.Scalar(), position_of(node), {}, {}});
    return;
  }
  for (const Field& field : reader.fields(node, position_of(node), "a variant with its own settings")) {
    const std::string what = fmt::format("the settings of {}", in_quotes(field.key));
    const Position position = field.value.IsNull() ? field.position : position_of(field.value);
    const auto settings = reader.settings(field.value, position, what, kLaunchKeys);
    entries.push_back({field.key, field.position, read_launch_settings(reader, settings), {}});
  }
}

void expand_glob(Reader& reader, VariantEntry& entry, const Catalogue& catalogue,
                 std::set<const VariantInfo*>& taken) {
  bool matches_any = false;
  for (const VariantInfo& variant : catalogue.variants) {
    if (entry.pattern != "all" && !matches_glob(entry.pattern, variant.id)) continue;
    matches_any = true;
    if (taken.insert(&variant).second) entry.variants.push_back(&variant);
  }
  if (!matches_any) {
    reader.fail(entry.position, fmt::format("no variant matches {}{}", in_quotes(entry.pattern),
                                            suggestion(entry.pattern, ids_of(catalogue))));
  } else if (entry.variants.empty()) {
    reader.fail(entry.position,
                fmt::format("{} adds nothing: the list already has every variant that it matches",
                            in_quotes(entry.pattern)));
  }
}

/// Finds the variants of every entry, names before globs.
void expand(Reader& reader, const Catalogue& catalogue, std::vector<VariantEntry>& entries) {
  std::set<const VariantInfo*> taken;
  for (VariantEntry& entry : entries) {
    if (!entry.by_name()) continue;
    const VariantInfo* const variant = catalogue.find_variant(entry.pattern);
    if (variant == nullptr) {
      reader.fail(entry.position, fmt::format("unknown variant {}{}", in_quotes(entry.pattern),
                                              suggestion(entry.pattern, ids_of(catalogue))));
    } else if (!taken.insert(variant).second) {
      reader.fail(entry.position, fmt::format("{} is listed twice", in_quotes(entry.pattern)));
    } else {
      entry.variants = {variant};
    }
  }
  for (VariantEntry& entry : entries) {
    if (!entry.by_name()) expand_glob(reader, entry, catalogue, taken);
  }
}

}  // namespace

const std::vector<std::string> kLaunchKeys = {"block", "elements_per_thread", "gpus"};

LaunchSettings read_launch_settings(Reader& reader, const Fields& fields) {
  LaunchSettings settings;
  if (const Field* block = find(fields, "block")) settings.block = read_positive_integers(reader, *block);
  if (const Field* elements = find(fields, "elements_per_thread")) {
    settings.elements_per_thread = read_positive_integers(reader, *elements);
  }
  if (const Field* gpus = find(fields, "gpus")) settings.gpus = read_positive_integers(reader, *gpus);
  return settings;
}

std::vector<VariantEntry> read_variants(Reader& reader, const Field& field, const Catalogue& catalogue) {
  std::vector<VariantEntry> entries;
  const YAML::Node& node = field.value;
  if (!node.IsSequence()) {
    add_entries(reader, node, entries);
  } else {
    if (node.size() == 0) reader.fail(position_of(node), "'variants' is empty");
    for (const auto& entry : node) add_entries(reader, entry, entries);
  }
  expand(reader, catalogue, entries);
  return entries;
}

}  // namespace rooflinectl::yaml
