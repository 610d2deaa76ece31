// SPDX-License-Identifier: Apache-2.0
#include "core/plan/plan_yaml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/model/quantity.h"
#include "core/plan/yaml_reader.h"
#include "core/text/mistakes.h"
#include "core/text/names.h"

namespace rooflinectl {

namespace {

using yaml::Field;
using yaml::List;
using yaml::Located;
using yaml::position_of;
using yaml::Reader;
using Names = std::vector<std::string>;

// ---- settings ----

/// What an experiment, or the `defaults` of the file, can set for all its points.
struct Settings {
  List<Dtype> dtypes;  ///< f32 if empty
  List<std::uint64_t> sizes;
  List<CacheState> cache = {{CacheState::cold, {}}};
  List<LaunchMode> launch = {{LaunchMode::graph, {}}};
  CounterSet counters = CounterSet::basic;
  bool energy = false;
  TimingTarget timing;
};

const Names kSharedKeys = {"sizes", "dtypes", "cache", "launch", "counters", "energy", "timing"};
const Names kLaunchKeys = {"block", "elements_per_thread"};

List<std::uint64_t> read_sizes(Reader& reader, const Field& field) {
  return reader.list<std::uint64_t>(field, [&](const std::string& text, Position position) {
    const auto elements = parse_elements(text);
    if (!elements) {
      reader.fail(position,
                  fmt::format("{} is not a number of elements, such as 2^28, 32Mi or 1000000 (maximum 2^40)",
                              quoted(text)));
    }
    return elements;
  });
}

List<int> read_positive_integers(Reader& reader, const Field& field) {
  return reader.list<int>(field, [&](const std::string& text, Position position) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    constexpr int kLargest = 1 << 20;  // far beyond use, and sums of such numbers still fit an int
    const bool valid =
        error == std::errc() && end == text.data() + text.size() && value > 0 && value <= kLargest;
    if (!valid)
      reader.fail(position, fmt::format("{} is not an integer from 1 to {}", quoted(text), kLargest));
    return valid ? std::optional(value) : std::nullopt;
  });
}

List<Dtype> read_dtypes(Reader& reader, const Field& field) {
  return reader.list<Dtype>(field, [&](const std::string& text, Position position) {
    return reader.one_of<Dtype>(text, position, "dtype", kAllDtypes);
  });
}

List<CacheState> read_cache_states(Reader& reader, const Field& field) {
  return reader.list<CacheState>(field, [&](const std::string& text, Position position) {
    return reader.one_of<CacheState>(text, position, "cache state",
                                     std::array{CacheState::cold, CacheState::warm});
  });
}

List<LaunchMode> read_launch_modes(Reader& reader, const Field& field) {
  return reader.list<LaunchMode>(field, [&](const std::string& text, Position position) {
    return reader.one_of<LaunchMode>(text, position, "launch mode",
                                     std::array{LaunchMode::graph, LaunchMode::plain});
  });
}

CounterSet read_counters(Reader& reader, const Field& field) {
  const auto text = reader.single_value(field.value);
  if (!text) return {};
  return reader
      .one_of<CounterSet>(*text, position_of(field.value), "counter set",
                          std::array{CounterSet::none, CounterSet::basic})
      .value_or(CounterSet::basic);
}

bool read_energy(Reader& reader, const Field& field) {
  const auto text = reader.single_value(field.value);
  if (text && *text != "true" && *text != "false") {
    reader.fail(position_of(field.value), fmt::format("{} is neither true nor false", quoted(*text)));
  }
  return text == "true";
}

TimingTarget read_timing(Reader& reader, const Field& field, TimingTarget timing) {
  const auto settings =
      reader.settings(field.value, position_of(field.value), "'timing'", {"target", "time_limit"});
  const auto read = [&](const char* key, auto parse, std::string_view form, double& value) {
    const auto found = settings.find(key);
    if (found == settings.end()) return;
    const auto text = reader.single_value(found->second.value);
    if (!text) return;
    const std::optional<double> number = parse(*text);
    if (!number) {
      reader.fail(position_of(found->second.value), fmt::format("{} is not {}", quoted(*text), form));
    }
    value = number.value_or(value);
  };
  read("target", parse_percentage, "a percentage between 0 and 100, such as 0.5 %",
       timing.relative_half_width);
  read("time_limit", parse_duration_s, "a duration of at most one hour, such as 2 s or 500 ms",
       timing.time_limit_s);
  return timing;
}

/// `defaults` overridden by what `fields` holds.
Settings read_settings(Reader& reader, const std::map<std::string, Field>& fields, Settings settings) {
  for (const auto& [key, field] : fields) {
    if (key == "sizes") settings.sizes = read_sizes(reader, field);
    if (key == "dtypes") settings.dtypes = read_dtypes(reader, field);
    if (key == "cache") settings.cache = read_cache_states(reader, field);
    if (key == "launch") settings.launch = read_launch_modes(reader, field);
    if (key == "counters") settings.counters = read_counters(reader, field);
    if (key == "energy") settings.energy = read_energy(reader, field);
    if (key == "timing") settings.timing = read_timing(reader, field, settings.timing);
  }
  return settings;
}

// ---- variants ----

/// Launch parameters asked for, where the variant has them. Empty: the variant's own.
struct LaunchSettings {
  List<int> block;
  List<int> elements_per_thread;
};

LaunchSettings read_launch_settings(Reader& reader, const std::map<std::string, Field>& fields) {
  LaunchSettings settings;
  if (const auto found = fields.find("block"); found != fields.end()) {
    settings.block = read_positive_integers(reader, found->second);
  }
  if (const auto found = fields.find("elements_per_thread"); found != fields.end()) {
    settings.elements_per_thread = read_positive_integers(reader, found->second);
  }
  return settings;
}

/// One entry of the list `variants`.
struct Entry {
  std::string pattern;  ///< an id, a glob, or `all`
  Position position;
  LaunchSettings launch;
  std::vector<const VariantInfo*> variants;  ///< that it stands for
  bool by_name() const { return pattern.find_first_of("*?") == std::string::npos && pattern != "all"; }
};

/// Nothing is known of the variant but its id.
bool is_id_only(const VariantInfo& variant) {
  return variant.dtypes.empty();
}

bool takes_dtype(const VariantInfo& variant, Dtype dtype) {
  return is_id_only(variant) || std::count(variant.dtypes.begin(), variant.dtypes.end(), dtype) > 0;
}

bool takes_block(const VariantInfo& variant, int block) {
  return is_id_only(variant) || std::count(variant.block_sizes.begin(), variant.block_sizes.end(), block) > 0;
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
  Names names;
  for (const Dtype dtype : dtypes) names.emplace_back(to_string(dtype));
  return joined(names);
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

std::vector<std::optional<int>> elements_per_thread(const VariantInfo& variant, const LaunchSettings& entry,
                                                    const LaunchSettings& experiment) {
  if (!takes_elements_per_thread(variant)) return {std::nullopt};
  // Of an id alone nobody knows whether the experiment's setting is meant for it.
  const bool ask_experiment = entry.elements_per_thread.empty() && !is_id_only(variant);
  const List<int>& asked = ask_experiment ? experiment.elements_per_thread : entry.elements_per_thread;
  if (asked.empty()) return {variant.default_elements_per_thread};
  std::vector<std::optional<int>> values;
  for (const auto& elements : asked) values.emplace_back(elements.value);
  return values;
}

// ---- the plan ----

class PlanReader {
 public:
  PlanReader(Mistakes& mistakes, const Catalogue& catalogue)
      : mistakes_(mistakes), reader_(mistakes), catalogue_(catalogue) {
    for (const VariantInfo& variant : catalogue.variants) variant_ids_.push_back(variant.id);
  }

  Plan read(const YAML::Node& root) {
    const auto fields = reader_.settings(root, position_of(root), "a plan",
                                         {"name", "ceilings", "primitives", "defaults", "experiments"});
    require_key(root, "name", position_of(root), "the plan");
    // Primitives alone are something to measure.
    if (!fields.contains("primitives")) require_key(root, "experiments", position_of(root), "the plan");
    Plan plan;
    plan.name = read_name(fields);
    plan.ceilings = read_ceilings(fields);
    plan.primitives = read_primitives(fields);
    const Settings defaults = read_defaults(fields);
    if (const auto found = fields.find("experiments"); found != fields.end()) {
      read_experiments(found->second, defaults, plan);
    }
    return plan;
  }

 private:
  /// Whether the map has the key, be it without a value (which has been reported where the map was read).
  static bool has_key(const YAML::Node& map, std::string_view key) {
    return std::any_of(map.begin(), map.end(), [&](const auto& member) {
      return member.first.IsScalar() && member.first.Scalar() == key;
    });
  }

  void require_key(const YAML::Node& map, std::string_view key, Position position, std::string_view what) {
    if (map.IsMap() && !has_key(map, key)) reader_.fail(position, fmt::format("{} has no '{}'", what, key));
  }

  std::string read_name(const std::map<std::string, Field>& fields) {
    const auto found = fields.find("name");
    if (found == fields.end()) return {};
    const auto name = reader_.single_value(found->second.value);
    if (name) reader_.check_name(*name, position_of(found->second.value), "name of the plan");
    return name.value_or("");
  }

  Names read_ceilings(const std::map<std::string, Field>& fields) {
    const auto found = fields.find("ceilings");
    const bool all =
        found == fields.end() || (found->second.value.IsScalar() && found->second.value.Scalar() == "all");
    if (all) return catalogue_.ceilings;
    Names ids;
    reader_.list<std::string>(
        found->second, [&](const std::string& pattern, Position position) -> std::optional<std::string> {
          bool matched = false;
          for (const std::string& id : catalogue_.ceilings) {
            if (!matches_glob(pattern, id)) continue;
            matched = true;
            if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
          }
          if (matched) return pattern;
          reader_.fail(position, fmt::format("unknown ceiling {}{}", quoted(pattern),
                                             suggestion(pattern, catalogue_.ceilings)));
          return std::nullopt;
        });
    return ids;
  }

  /// Ids, families and globs of ids; in the order of the catalogue.
  Names read_primitives(const std::map<std::string, Field>& fields) {
    const auto found = fields.find("primitives");
    if (found == fields.end()) return {};
    Names known;
    for (const PrimitiveInfo& primitive : catalogue_.primitives) {
      known.push_back(primitive.id);
      if (std::find(known.begin(), known.end(), primitive.family) == known.end()) {
        known.push_back(primitive.family);
      }
    }
    std::set<std::string> wanted;
    reader_.list<std::string>(
        found->second, [&](const std::string& pattern, Position position) -> std::optional<std::string> {
          bool matched = false;
          for (const PrimitiveInfo& primitive : catalogue_.primitives) {
            if (pattern != "all" && pattern != primitive.family && !matches_glob(pattern, primitive.id))
              continue;
            matched = true;
            wanted.insert(primitive.id);
          }
          if (matched) return pattern;
          reader_.fail(position,
                       fmt::format("unknown primitive {}{}", quoted(pattern), suggestion(pattern, known)));
          return std::nullopt;
        });
    Names ids;
    for (const PrimitiveInfo& primitive : catalogue_.primitives) {
      if (wanted.contains(primitive.id)) ids.push_back(primitive.id);
    }
    return ids;
  }

  Settings read_defaults(const std::map<std::string, Field>& fields) {
    const auto found = fields.find("defaults");
    if (found == fields.end()) return {};
    const Field& field = found->second;
    return read_settings(
        reader_, reader_.settings(field.value, position_of(field.value), "'defaults'", kSharedKeys), {});
  }

  void read_experiments(const Field& field, const Settings& defaults, Plan& plan) {
    const auto experiments = reader_.fields(field.value, position_of(field.value), "'experiments'");
    if (field.value.IsMap() && experiments.empty()) {
      reader_.fail(field.position, "the plan has no experiments");
    }
    for (const Field& experiment : experiments) {
      reader_.check_name(experiment.key, experiment.position, "name of the experiment");
      plan.experiments.push_back(read_experiment(experiment, defaults));
      n_points_ += plan.experiments.back().points.size();
    }
  }

  Experiment read_experiment(const Field& field, const Settings& defaults) {
    Names valid = {"title", "variants"};
    valid.insert(valid.end(), kSharedKeys.begin(), kSharedKeys.end());
    valid.insert(valid.end(), kLaunchKeys.begin(), kLaunchKeys.end());
    const std::string what = fmt::format("the experiment '{}'", field.key);
    const Position position =
        field.value.IsMap() || field.value.IsNull() ? field.position : position_of(field.value);
    const auto fields = reader_.settings(field.value, position, what, valid);

    Experiment experiment;
    experiment.name = field.key;
    experiment.title = field.key;
    if (const auto found = fields.find("title"); found != fields.end()) {
      experiment.title = reader_.single_value(found->second.value).value_or("");
    }
    Settings settings = read_settings(reader_, fields, defaults);
    if (settings.dtypes.empty()) settings.dtypes = {{Dtype::f32, field.position}};
    experiment.timing = settings.timing;
    experiment.counters = settings.counters;
    experiment.energy = settings.energy;

    const LaunchSettings launch = read_launch_settings(reader_, fields);
    require_key(field.value, "variants", field.position, what);
    if (defaults.sizes.empty()) require_key(field.value, "sizes", field.position, what);
    if (const auto found = fields.find("variants"); found != fields.end()) {
      const std::vector<Entry> entries = read_variants(found->second);
      check_dtypes(entries, settings);
      check_blocks(entries, launch);
      check_elements_per_thread(entries, launch);
      add_points(entries, settings, launch, field.position, experiment);
    }
    return experiment;
  }

  // -- the list of variants --

  std::vector<Entry> read_variants(const Field& field) {
    std::vector<Entry> entries;
    const YAML::Node& node = field.value;
    if (!node.IsSequence()) {
      add_entries(node, entries);
    } else {
      if (node.size() == 0) reader_.fail(position_of(node), "'variants' is empty");
      for (const auto& entry : node) add_entries(entry, entries);
    }
    expand(entries);
    return entries;
  }

  /// `id`, or `id: {its own settings}`.
  void add_entries(const YAML::Node& node, std::vector<Entry>& entries) {
    if (node.IsScalar()) {
      entries.push_back({node.Scalar(), position_of(node), {}, {}});
      return;
    }
    for (const Field& field : reader_.fields(node, position_of(node), "a variant with its own settings")) {
      const std::string what = fmt::format("the settings of {}", quoted(field.key));
      const Position position = field.value.IsNull() ? field.position : position_of(field.value);
      const auto settings = reader_.settings(field.value, position, what, kLaunchKeys);
      entries.push_back({field.key, field.position, read_launch_settings(reader_, settings), {}});
    }
  }

  /// Finds the variants of every entry, names before globs.
  void expand(std::vector<Entry>& entries) {
    std::set<const VariantInfo*> taken;
    for (Entry& entry : entries) {
      if (!entry.by_name()) continue;
      const VariantInfo* const variant = catalogue_.find_variant(entry.pattern);
      if (variant == nullptr) {
        reader_.fail(entry.position, fmt::format("unknown variant {}{}", quoted(entry.pattern),
                                                 suggestion(entry.pattern, variant_ids_)));
      } else if (!taken.insert(variant).second) {
        reader_.fail(entry.position, fmt::format("{} is listed twice", quoted(entry.pattern)));
      } else {
        entry.variants = {variant};
      }
    }
    for (Entry& entry : entries) {
      if (!entry.by_name()) expand_glob(entry, taken);
    }
  }

  void expand_glob(Entry& entry, std::set<const VariantInfo*>& taken) {
    bool matches_any = false;
    for (const VariantInfo& variant : catalogue_.variants) {
      if (entry.pattern != "all" && !matches_glob(entry.pattern, variant.id)) continue;
      matches_any = true;
      if (taken.insert(&variant).second) entry.variants.push_back(&variant);
    }
    if (!matches_any) {
      reader_.fail(entry.position, fmt::format("no variant matches {}{}", quoted(entry.pattern),
                                               suggestion(entry.pattern, variant_ids_)));
    } else if (entry.variants.empty()) {
      reader_.fail(entry.position,
                   fmt::format("{} adds nothing: the list already has every variant that it matches",
                               quoted(entry.pattern)));
    }
  }

  // -- what the variants take --

  template <typename Predicate>
  static bool any_variant(const std::vector<Entry>& entries, Predicate predicate) {
    return std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
      return std::any_of(entry.variants.begin(), entry.variants.end(),
                         [&](const VariantInfo* variant) { return predicate(*variant); });
    });
  }

  static bool has_variants(const std::vector<Entry>& entries) {
    return any_variant(entries, [](const VariantInfo&) { return true; });
  }

  /// A variant that a glob brought in may refuse a value, one that is listed by name may not.
  template <typename Refuses, typename Explain>
  bool check_named(const std::vector<Entry>& entries, Refuses refuses, Explain explain) {
    bool accepted = true;
    for (const Entry& entry : entries) {
      if (!entry.by_name() || entry.variants.empty() || !refuses(*entry.variants.front())) continue;
      reader_.fail(entry.position, explain(*entry.variants.front()));
      accepted = false;
    }
    return accepted;
  }

  void check_dtypes(const std::vector<Entry>& entries, const Settings& settings) {
    if (!has_variants(entries)) return;
    for (const auto& [value, position] : settings.dtypes) {
      const Dtype dtype = value;
      const auto takes = [&](const VariantInfo& variant) { return takes_dtype(variant, dtype); };
      const bool accepted = check_named(entries, std::not_fn(takes), [&](const VariantInfo& variant) {
        return fmt::format("{} does not support {}, only {}", quoted(variant.id), to_string(dtype),
                           joined(variant.dtypes));
      });
      if (accepted && !any_variant(entries, takes)) {
        reader_.fail(position, fmt::format("no variant of this experiment supports {}", to_string(dtype)));
      }
    }
  }

  void check_blocks(const std::vector<Entry>& entries, const LaunchSettings& launch) {
    std::vector<Entry> asked;  // what the experiment's setting is meant for
    for (const Entry& entry : entries) {
      for (const auto& block : entry.launch.block) check_some_takes_block({entry}, block);
      if (entry.launch.block.empty()) asked.push_back(entry);
    }
    for (const auto& block : launch.block) {
      const auto refuses = [&](const VariantInfo& variant) {
        return has_choice_of_block(variant) && !takes_block(variant, block.value);
      };
      const bool accepted = check_named(asked, refuses, [&](const VariantInfo& variant) {
        return fmt::format("{} does not support {} threads per block; supported: {}", quoted(variant.id),
                           block.value, joined(variant.block_sizes));
      });
      if (accepted) check_some_takes_block(asked, block);
    }
  }

  void check_some_takes_block(const std::vector<Entry>& entries, const Located<int>& block) {
    const auto takes = [&](const VariantInfo& variant) { return takes_block(variant, block.value); };
    if (!has_variants(entries) || any_variant(entries, takes)) return;
    std::set<int> possible;
    for (const Entry& entry : entries) {
      for (const VariantInfo* variant : entry.variants) {
        possible.insert(variant->block_sizes.begin(), variant->block_sizes.end());
      }
    }
    reader_.fail(block.position,
                 fmt::format("no variant of this experiment supports {} threads per block; supported: {}",
                             block.value, fmt::join(possible, ", ")));
  }

  void check_elements_per_thread(const std::vector<Entry>& entries, const LaunchSettings& launch) {
    std::vector<Entry> asked;
    for (const Entry& entry : entries) {
      check_some_takes_elements({entry}, entry.launch.elements_per_thread);
      if (entry.launch.elements_per_thread.empty()) asked.push_back(entry);
    }
    check_some_takes_elements(asked, launch.elements_per_thread);
  }

  void check_some_takes_elements(const std::vector<Entry>& entries, const List<int>& elements) {
    if (elements.empty() || !has_variants(entries) || any_variant(entries, takes_elements_per_thread)) return;
    reader_.fail(elements.front().position,
                 "no variant of this experiment supports 'elements_per_thread': their kernels fix it");
  }

  // -- points --

  void add_points(const std::vector<Entry>& entries, const Settings& settings, const LaunchSettings& launch,
                  Position position, Experiment& experiment) {
    Reduction point;
    for (const auto& size : settings.sizes) {
      point.n_elements = size.value;
      for (const auto& dtype : settings.dtypes) {
        point.dtype = dtype.value;
        for (const auto& cache : settings.cache) {
          point.cache = cache.value;
          for (const auto& mode : settings.launch) {
            point.launch_mode = mode.value;
            for (const Entry& entry : entries) add_points_of(entry, launch, point, experiment);
            if (n_points_ + experiment.points.size() > kMaxPoints) {
              reader_.fail(position, fmt::format("the plan has more than {} points", kMaxPoints));
              mistakes_.throw_if_any();
            }
          }
        }
      }
    }
  }

  static void add_points_of(const Entry& entry, const LaunchSettings& launch, Reduction point,
                            Experiment& experiment) {
    for (const VariantInfo* variant : entry.variants) {
      if (!takes_dtype(*variant, point.dtype)) continue;
      for (const int block : block_sizes(*variant, entry.launch, launch)) {
        point.block_size = block;
        for (const auto& elements : elements_per_thread(*variant, entry.launch, launch)) {
          point.elements_per_thread = elements;
          experiment.points.push_back({experiment.name, variant->id, axes_of(point)});
        }
      }
    }
  }

  Mistakes& mistakes_;
  Reader reader_;
  const Catalogue& catalogue_;
  Names variant_ids_;
  std::size_t n_points_ = 0;
};

}  // namespace

Plan parse_plan(std::string_view text, std::string_view file_name, const Catalogue& catalogue) {
  Mistakes mistakes(file_name);
  const YAML::Node root = yaml::load(text, mistakes);
  Plan plan = PlanReader(mistakes, catalogue).read(root);
  mistakes.throw_if_any();
  plan.text = text;
  return plan;
}

}  // namespace rooflinectl
