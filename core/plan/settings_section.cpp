// SPDX-License-Identifier: Apache-2.0
#include "core/plan/settings_section.h"

#include <algorithm>

#include "core/text/names.h"
#include "core/text/written_number.h"

namespace rooflinectl::yaml {
namespace {

List<std::uint64_t> read_sizes(Reader& reader, const Field& field) {
  return reader.list<std::uint64_t>(field, [&](const std::string& text, Position position) {
    const auto elements = parse_elements(text);
    if (!elements) {
      reader.fail(
          position,
          fmt::format("{} is not a number of elements, such as 2^28, 32Mi, 1M or 1000000 (maximum 2^40)",
                      in_quotes(text)));
    }
    return elements;
  });
}

template <typename Enum>
List<Enum> read_names(Reader& reader, const Field& field, std::string_view what) {
  return reader.list<Enum>(field, [&](const std::string& text, Position position) {
    return reader.one_of<Enum>(text, position, what);
  });
}

CounterSet read_counters(Reader& reader, const Field& field) {
  const auto text = reader.single_value(field.value);
  if (!text) return {};
  return reader.one_of<CounterSet>(*text, position_of(field.value), "counter set")
      .value_or(CounterSet::basic);
}

bool read_energy(Reader& reader, const Field& field) {
  const auto text = reader.single_value(field.value);
  if (text && *text != "true" && *text != "false") {
    reader.fail(position_of(field.value), fmt::format("{} is neither true nor false", in_quotes(*text)));
  }
  return text == "true";
}

TimingTarget read_timing(Reader& reader, const Field& field, TimingTarget timing) {
  const Fields settings = reader.settings(field, {"target", "time_limit"});
  if (const Field* target = find(settings, "target")) {
    timing.relative_half_width =
        reader.parsed(*target, parse_percentage, "a percentage between 0 and 100, such as 0.5 %")
            .value_or(timing.relative_half_width);
  }
  if (const Field* limit = find(settings, "time_limit")) {
    timing.time_limit_s =
        reader.parsed(*limit, parse_duration_s, "a duration of at most one hour, such as 2 s or 500 ms")
            .value_or(timing.time_limit_s);
  }
  return timing;
}

}  // namespace

const std::vector<std::string> kSettingsKeys = {"sizes",  "sizes_per_gpu", "dtypes", "cache",
                                                "launch", "counters",      "energy", "timing"};

Settings read_settings(Reader& reader, const Fields& fields, Settings settings) {
  const Field* const per_gpu = find(fields, "sizes_per_gpu");
  if (per_gpu != nullptr && find(fields, "sizes") != nullptr) {
    reader.fail(per_gpu->position, "'sizes' and 'sizes_per_gpu' exclude each other");
  }
  for (const auto& [key, field] : fields) {
    if (key == "sizes" || key == "sizes_per_gpu") {
      settings.sizes = read_sizes(reader, field);
      settings.sizes_are_per_gpu = key == "sizes_per_gpu";
    }
    if (key == "dtypes") settings.dtypes = read_names<Dtype>(reader, field, "dtype");
    if (key == "cache") settings.cache = read_names<CacheState>(reader, field, "cache state");
    if (key == "launch") settings.launch = read_names<LaunchMode>(reader, field, "launch mode");
    if (key == "counters") settings.counters = read_counters(reader, field);
    if (key == "energy") settings.energy = read_energy(reader, field);
    if (key == "timing") settings.timing = read_timing(reader, field, settings.timing);
  }
  return settings;
}

using Names = std::vector<std::string>;

Names read_ceilings(Reader& reader, const Fields& fields, const Catalogue& catalogue) {
  const Field* const field = find(fields, "ceilings");
  if (field == nullptr || (field->value.IsScalar() && field->value.Scalar() == "all"))
    return catalogue.ceilings;
  const auto chosen = reader.chosen(*field, "ceiling", catalogue.ceilings, catalogue.ceilings, matches_glob);
  return texts_of(chosen, [](const std::string* id) { return *id; });
}

Names read_primitives(Reader& reader, const Fields& fields, const Catalogue& catalogue) {
  const Field* const field = find(fields, "primitives");
  if (field == nullptr) return {};
  Names known;
  for (const PrimitiveInfo& primitive : catalogue.primitives) {
    known.push_back(primitive.id);
    if (!contains(known, primitive.family)) known.push_back(primitive.family);
  }
  auto chosen = reader.chosen(*field, "primitive", catalogue.primitives, known,
                              [](const std::string& pattern, const PrimitiveInfo& primitive) {
                                return pattern == "all" || pattern == primitive.family ||
                                       matches_glob(pattern, primitive.id);
                              });
  std::ranges::sort(chosen);  // by their places in the catalogue
  return texts_of(chosen, &PrimitiveInfo::id);
}

}  // namespace rooflinectl::yaml
