// SPDX-License-Identifier: Apache-2.0
#include "core/plan/variants_section.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "core/text/names.h"
#include "core/text/written_number.h"

namespace rooflinectl::yaml {

namespace {

List<int> read_positive_integers(Reader& reader, const Field& field) {
  return reader.list<int>(field, [&](const std::string& text, Position position) {
    constexpr int kLargest = 1 << 20;  // far beyond use, and sums of such numbers still fit an int
    auto value = parse_number<int>(text);
    if (!value || *value <= 0 || *value > kLargest) {
      reader.fail(position, fmt::format("{} is not an integer from 1 to {}", in_quotes(text), kLargest));
      value.reset();
    }
    return value;
  });
}

std::vector<std::string> ids_of(const Catalogue& catalogue) {
  return texts_of(catalogue.variants, &VariantInfo::id);
}

/// `id`, or `id: {its own settings}`.
void add_entries(Reader& reader, const YAML::Node& node, std::vector<VariantEntry>& entries) {
  if (node.IsScalar()) {
    entries.push_back({node.Scalar(), position_of(node), {}, {}});
    return;
  }
  for (const Field& field : reader.fields(node, position_of(node), "a variant with its own settings")) {
    const std::string what = fmt::format("the settings of {}", in_quotes(field.key));
    const auto settings = reader.settings(field.value, value_position(field), what, kLaunchKeys);
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

namespace {

/// Only the id of the variant is known.
bool is_id_only(const VariantInfo& variant) {
  return variant.dtypes.empty();
}

bool takes_dtype(const VariantInfo& variant, Dtype dtype) {
  return is_id_only(variant) || std::ranges::count(variant.dtypes, dtype) > 0;
}

bool takes_block(const VariantInfo& variant, int block) {
  return is_id_only(variant) || std::ranges::count(variant.block_sizes, block) > 0;
}

bool takes_elements_per_thread(const VariantInfo& variant) {
  return is_id_only(variant) || variant.default_elements_per_thread.has_value();
}

bool has_choice_of_block(const VariantInfo& variant) {
  return is_id_only(variant) || variant.block_sizes.size() > 1;
}

template <typename T>
std::string joined(const std::vector<T>& values) {
  return fmt::format("{}", fmt::join(values, ", "));
}

std::string joined(const std::vector<Dtype>& dtypes) {
  return joined(texts_of(dtypes, [](Dtype dtype) { return to_string(dtype); }));
}

/// Block sizes that `variant` runs with: those of its entry, those of the experiment where it has a choice,
/// its own.
std::vector<int> block_sizes(const VariantInfo& variant, const LaunchSettings& entry,
                             const LaunchSettings& experiment) {
  const bool ask_experiment = entry.block.empty() && has_choice_of_block(variant);
  std::vector<int> sizes;
  for (const auto& block : ask_experiment ? experiment.block : entry.block) {
    if (takes_block(variant, block.value)) sizes.push_back(block.value);
  }
  const bool asked = !entry.block.empty() || (ask_experiment && !experiment.block.empty());
  return asked ? sizes : std::vector{variant.default_block_size};
}

std::vector<std::optional<int>> values_of(const List<int>& list) {
  std::vector<std::optional<int>> values;
  for (const auto& one : list) values.emplace_back(one.value);
  return values;
}

std::vector<std::optional<int>> elements_per_thread(const VariantInfo& variant, const LaunchSettings& entry,
                                                    const LaunchSettings& experiment) {
  if (!takes_elements_per_thread(variant)) return {std::nullopt};
  // From an id alone, one cannot tell whether the experiment's setting is meant for it.
  const bool ask_experiment = entry.elements_per_thread.empty() && !is_id_only(variant);
  const List<int>& asked = ask_experiment ? experiment.elements_per_thread : entry.elements_per_thread;
  if (asked.empty()) return {variant.default_elements_per_thread};
  return values_of(asked);
}

/// GPUs that share the elements of `variant`: nothing where it runs on one. A glob includes variants for
/// several GPUs only where a number of GPUs is asked for.
std::vector<std::optional<int>> numbers_of_gpus(const VariantInfo& variant, const VariantEntry& entry,
                                                const LaunchSettings& experiment) {
  constexpr int kDefault = 2;
  const List<int>& asked = entry.launch.gpus.empty() ? experiment.gpus : entry.launch.gpus;
  if (!variant.several_gpus && !(is_id_only(variant) && !entry.launch.gpus.empty())) return {std::nullopt};
  if (asked.empty() && !entry.by_name()) return {};
  if (asked.empty()) return {kDefault};
  return values_of(asked);
}

template <typename Predicate>
bool any_variant(const std::vector<VariantEntry>& entries, Predicate predicate) {
  return std::ranges::any_of(entries, [&](const VariantEntry& entry) {
    return std::ranges::any_of(entry.variants,
                               [&](const VariantInfo* variant) { return predicate(*variant); });
  });
}

bool has_variants(const std::vector<VariantEntry>& entries) {
  return any_variant(entries, [](const VariantInfo&) { return true; });
}

/// A variant that a glob brought in may refuse a value, one that is listed by name may not.
template <typename Refuses, typename Explain>
bool check_named(Reader& reader, const std::vector<VariantEntry>& entries, Refuses refuses, Explain explain) {
  bool accepted = true;
  for (const VariantEntry& entry : entries) {
    if (!entry.by_name() || entry.variants.empty() || !refuses(*entry.variants.front())) continue;
    reader.fail(entry.position, explain(*entry.variants.front()));
    accepted = false;
  }
  return accepted;
}

void check_dtypes(Reader& reader, const std::vector<VariantEntry>& entries, const Settings& settings) {
  if (!has_variants(entries)) return;
  for (const auto& [value, position] : settings.dtypes) {
    const Dtype dtype = value;
    const auto takes = [&](const VariantInfo& variant) { return takes_dtype(variant, dtype); };
    const bool accepted = check_named(reader, entries, std::not_fn(takes), [&](const VariantInfo& variant) {
      return fmt::format("{} does not support {}, only {}", in_quotes(variant.id), to_string(dtype),
                         joined(variant.dtypes));
    });
    if (accepted && !any_variant(entries, takes)) {
      reader.fail(position, fmt::format("no variant of this experiment supports {}", to_string(dtype)));
    }
  }
}

void check_some_takes_block(Reader& reader, const std::vector<VariantEntry>& entries,
                            const Located<int>& block) {
  const auto takes = [&](const VariantInfo& variant) { return takes_block(variant, block.value); };
  if (!has_variants(entries) || any_variant(entries, takes)) return;
  std::set<int> possible;
  for (const VariantEntry& entry : entries) {
    for (const VariantInfo* variant : entry.variants) {
      possible.insert(variant->block_sizes.begin(), variant->block_sizes.end());
    }
  }
  reader.fail(block.position,
              fmt::format("no variant of this experiment supports {} threads per block; supported: {}",
                          block.value, fmt::join(possible, ", ")));
}

void check_blocks(Reader& reader, const std::vector<VariantEntry>& entries, const LaunchSettings& launch) {
  std::vector<VariantEntry> asked;  // what the experiment's setting is meant for
  for (const VariantEntry& entry : entries) {
    for (const auto& block : entry.launch.block) check_some_takes_block(reader, {entry}, block);
    if (entry.launch.block.empty()) asked.push_back(entry);
  }
  for (const auto& block : launch.block) {
    const auto refuses = [&](const VariantInfo& variant) {
      return has_choice_of_block(variant) && !takes_block(variant, block.value);
    };
    const bool accepted = check_named(reader, asked, refuses, [&](const VariantInfo& variant) {
      return fmt::format("{} does not support {} threads per block; supported: {}", in_quotes(variant.id),
                         block.value, joined(variant.block_sizes));
    });
    if (accepted) check_some_takes_block(reader, asked, block);
  }
}

/// Reports values that none of the variants takes; `refusal` is their key, and why.
template <typename Takes>
void check_some_takes(Reader& reader, const std::vector<VariantEntry>& entries, const List<int>& values,
                      Takes takes, const char* refusal) {
  if (values.empty() || !has_variants(entries) || any_variant(entries, takes)) return;
  reader.fail(values.front().position, fmt::format("no variant of this experiment supports {}", refusal));
}

void check_elements_per_thread(Reader& reader, const std::vector<VariantEntry>& entries,
                               const LaunchSettings& launch) {
  const auto check = [&](const std::vector<VariantEntry>& of_entries, const List<int>& elements) {
    check_some_takes(reader, of_entries, elements, takes_elements_per_thread,
                     "'elements_per_thread': their kernels fix it");
  };
  std::vector<VariantEntry> asked;
  for (const VariantEntry& entry : entries) {
    check({entry}, entry.launch.elements_per_thread);
    if (entry.launch.elements_per_thread.empty()) asked.push_back(entry);
  }
  check(asked, launch.elements_per_thread);
}

bool takes_several_gpus(const VariantInfo& variant) {
  return is_id_only(variant) || variant.several_gpus;
}

void check_gpus(Reader& reader, const std::vector<VariantEntry>& entries, const Settings& settings,
                const LaunchSettings& launch) {
  int most = 1;
  const auto check = [&](const std::vector<VariantEntry>& of_entries, const List<int>& asked) {
    check_some_takes(reader, of_entries, asked, takes_several_gpus, "'gpus': each runs on one GPU");
    for (const auto& gpus : asked) most = std::max(most, gpus.value);
  };
  for (const VariantEntry& entry : entries) check({entry}, entry.launch.gpus);
  check(entries, launch.gpus);
  for (const auto& size : settings.sizes) {
    if (!settings.sizes_are_per_gpu || size.value <= kMaxElements / static_cast<std::uint64_t>(most))
      continue;
    reader.fail(size.position,
                fmt::format("{} elements on each of {} GPUs are more than 2^40", size.value, most));
  }
}

/// `point` has the size as it is listed.
void add_points_of(const VariantEntry& entry, const LaunchSettings& launch, Reduction point,
                   bool size_is_per_gpu, const std::string& experiment, std::vector<PointId>& points) {
  const std::uint64_t size = point.n_elements;
  for (const VariantInfo* variant : entry.variants) {
    if (!takes_dtype(*variant, point.dtype)) continue;
    for (const auto& gpus : numbers_of_gpus(*variant, entry, launch)) {
      point.gpus = gpus;
      point.n_elements = size * static_cast<std::uint64_t>(size_is_per_gpu ? gpus.value_or(1) : 1);
      for (const int block : block_sizes(*variant, entry.launch, launch)) {
        point.block_size = block;
        for (const auto& elements : elements_per_thread(*variant, entry.launch, launch)) {
          point.elements_per_thread = elements;
          points.push_back({experiment, variant->id, axes_of(point)});
        }
      }
    }
  }
}

}  // namespace

void check_variants(Reader& reader, const std::vector<VariantEntry>& entries, const Settings& settings,
                    const LaunchSettings& launch) {
  check_dtypes(reader, entries, settings);
  check_blocks(reader, entries, launch);
  check_elements_per_thread(reader, entries, launch);
  check_gpus(reader, entries, settings, launch);
}

std::vector<PointId> variant_points(const std::vector<VariantEntry>& entries, const Settings& settings,
                                    const LaunchSettings& launch, const std::string& experiment,
                                    std::size_t most) {
  std::vector<PointId> points;
  Reduction point;
  for (const auto& size : settings.sizes) {
    point.n_elements = size.value;
    for (const auto& dtype : settings.dtypes) {
      point.dtype = dtype.value;
      for (const auto& cache : settings.cache) {
        point.cache = cache.value;
        for (const auto& mode : settings.launch) {
          point.launch_mode = mode.value;
          for (const VariantEntry& entry : entries) {
            add_points_of(entry, launch, point, settings.sizes_are_per_gpu, experiment, points);
          }
          if (points.size() > most) return points;
        }
      }
    }
  }
  return points;
}

}  // namespace rooflinectl::yaml
