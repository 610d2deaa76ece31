// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/chart_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "analysis/recoverable.h"
#include "core/model/quantity.h"
#include "core/text/kernel_names/words.h"
#include "core/text/typeset.h"
#include "core/text/utf8.h"
#include "reports/charts/detail_window.h"
#include "reports/tables/point_table.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

// The axes reach at least this far to the left of the lowest ridge, to the right of the highest, and above
// all roofs.
constexpr double kRoomLeft = 300;
constexpr double kRoomRight = 30;
constexpr double kRoomAbove = 1.2;
// Executed and useful marks that are closer than this would cover each other.
constexpr double kNotableDifference = 0.02;
// What the axes show where there is nothing to take them from.
constexpr Window kDefaultAxes = {{1e-2, 1e3}, {1e9, 1e14}};

std::vector<double> values_of(const std::vector<RoofLine>& roofs, CeilingKind kind, CeilingSource source) {
  std::vector<double> values;
  for (const RoofLine& roof : roofs) {
    if (roof.kind == kind && roof.source == source) values.push_back(roof.value);
  }
  return values;
}

// The bandwidth whose ridges are marked: that of most points, else the fastest measured one, else the
// theoretical one.
std::optional<double> main_bandwidth(const std::vector<RoofLine>& roofs,
                                     const std::vector<RooflinePoint>& points) {
  std::map<double, int> points_under;
  for (const RoofLine& roof : roofs) {
    if (roof.kind != CeilingKind::bandwidth || roof.source != CeilingSource::measured) continue;
    const auto is_under = [&](const RooflinePoint& point) {
      const ResourceUse* dram = find_use(point, Bound::dram);
      if (dram != nullptr) {
        constexpr double kRounding = 1e-9;
        return dram->time_s.value_or(0) > 0 &&
               std::abs(dram->amount / *dram->time_s / roof.value - 1) < kRounding;
      }
      return point.roof && point.roof->memory_bytes_per_s == roof.value;
    };
    const auto count = std::count_if(points.begin(), points.end(), is_under);
    if (count > 0) points_under[roof.value] = static_cast<int>(count);
  }
  if (!points_under.empty()) {
    const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
    return std::max_element(points_under.begin(), points_under.end(), by_count)->first;
  }
  for (const CeilingSource source : {CeilingSource::measured, CeilingSource::theoretical}) {
    const auto values = values_of(roofs, CeilingKind::bandwidth, source);
    if (!values.empty()) return values.front();
  }
  return std::nullopt;
}

std::vector<Ridge> ridges_of(const std::vector<RoofLine>& roofs, const std::vector<RooflinePoint>& points) {
  const auto bandwidth = main_bandwidth(roofs, points);
  if (!bandwidth) return {};
  auto rates = values_of(roofs, CeilingKind::compute, CeilingSource::measured);
  if (rates.empty()) rates = values_of(roofs, CeilingKind::compute, CeilingSource::theoretical);
  std::vector<Ridge> ridges;
  for (const double rate : rates) ridges.push_back({ridge_ai(*bandwidth, rate), rate});
  return ridges;
}

bool holds(const Range& range, double value) {
  return value >= range.low && value <= range.high;
}

void extend(Range& range, double value) {
  range.low = std::min(range.low, value);
  range.high = std::max(range.high, value);
}

Range whole_decades(Range range) {
  // A tiny margin: a bound that is a power of ten up to rounding stays where it is.
  constexpr double kRounding = 1e-9;
  return {std::pow(10, std::floor(std::log10(range.low) + kRounding)),
          std::pow(10, std::ceil(std::log10(range.high) - kRounding))};
}

std::optional<Window> axes_from_ceilings(const std::vector<RoofLine>& roofs,
                                         const std::vector<Ridge>& ridges) {
  if (ridges.empty()) return std::nullopt;
  const auto by_ai = [](const Ridge& a, const Ridge& b) { return a.ai < b.ai; };
  const auto [first, last] = std::minmax_element(ridges.begin(), ridges.end(), by_ai);
  const Range ai = whole_decades({first->ai / kRoomLeft, last->ai * kRoomRight});
  // The slope leaves the picture near its lower left corner.
  Range flop_per_s = {first->flop_per_s / first->ai * ai.low, last->flop_per_s * kRoomAbove};
  for (const RoofLine& roof : roofs) {
    if (roof.kind == CeilingKind::compute) extend(flop_per_s, roof.value * kRoomAbove);
  }
  return Window{ai, flop_per_s};
}

// The axes come from the ceilings alone, so that two runs on one device can be laid side by side; only a
// point that would fall off them moves them, by whole decades.
Window axes_of(const ChartModel& chart, const std::vector<Ridge>& ridges) {
  Window axes = axes_from_ceilings(chart.roofs, ridges).value_or(kDefaultAxes);
  const auto include = [&](const std::optional<PlanePoint>& mark) {
    if (!mark) return;
    extend(axes.ai, mark->ai);
    extend(axes.flop_per_s, mark->flop_per_s);
  };
  for (const ChartPoint& point : chart.points) {
    include(point.useful);
    include(point.executed);
    for (const LevelMark& mark : point.levels) include(mark.at);
  }
  return {whole_decades(axes.ai), whole_decades(axes.flop_per_s)};
}

std::optional<PlanePoint> plane_point(const std::optional<double>& ai,
                                      const std::optional<double>& flop_per_s) {
  if (!ai || !flop_per_s || !is_drawable(*ai) || !is_drawable(*flop_per_s)) return std::nullopt;
  return PlanePoint{*ai, *flop_per_s};
}

bool differ(const PlanePoint& a, const PlanePoint& b) {
  const double limit = std::log1p(kNotableDifference);
  return std::abs(std::log(a.ai / b.ai)) >= limit || std::abs(std::log(a.flop_per_s / b.flop_per_s)) >= limit;
}

std::optional<double> dram_bytes_per_element(const RooflinePoint& point) {
  const std::uint64_t n_elements = size_of(point.measurement->point).value_or(0);
  if (!point.dram_bytes || n_elements == 0) return std::nullopt;
  return *point.dram_bytes / static_cast<double>(n_elements);
}

// The flags that a reader must know before believing the row.
std::vector<Flag> notable_flags(const RooflinePoint& point) {
  std::vector<Flag> flags;
  for (const Flag flag : {Flag::failed, Flag::unverified, Flag::above_roof, Flag::cache_resident, Flag::noisy,
                          Flag::throttled}) {
    if (std::find(point.flags.begin(), point.flags.end(), flag) != point.flags.end()) flags.push_back(flag);
  }
  return flags;
}

std::string bound_text(const RooflinePoint& point) {
  return point.bound == Bound::unknown ? std::string(format::kUnavailable)
                                       : std::string(words_for(point.bound).label);
}

// `noisy: V3, V7; cache-resident: V2`
std::string flags_text(const std::vector<RooflinePoint>& points) {
  constexpr std::size_t kMostNamed = 12;
  std::vector<Flag> order;
  std::map<Flag, std::vector<std::string>> labels;
  for (const RooflinePoint& point : points) {
    for (const Flag flag : notable_flags(point)) {
      if (!labels.contains(flag)) order.push_back(flag);
      labels[flag].push_back(point.label);
    }
  }
  std::vector<std::string> texts;
  for (const Flag flag : order) {
    const std::vector<std::string>& all = labels[flag];
    texts.push_back(all.size() <= kMostNamed
                        ? fmt::format("{}: {}", to_string(flag), fmt::join(all, ", "))
                        : fmt::format("{}: {}", to_string(flag), format::counted(all.size(), "point")));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

// What a reader sees of a kernel's full name: those of templates can be thousands of characters long.
std::string full_name(const RooflinePoint& point) {
  constexpr std::size_t kLongest = 300;
  const std::string& name = point.measurement->point.subject;
  return name.size() <= kLongest
             ? name
             : fmt::format("{}…", name.substr(0, valid_utf8_bytes(name.substr(0, kLongest))));
}

std::string program_sentence(const RooflinePoint& point) {
  const auto& time = point.measurement->time;
  return fmt::format(
      "{}: {} of GPU time, {} launches of {}, {} at {} FLOP/byte executed, {} of roofline{}, {} · {}",
      point.label, format::percent(point.launches ? point.launches->share : 0),
      point.measurement->launches->count, time ? format::duration(time->median_s) : "unknown time",
      rate_text(point, point.executed_flop_per_s),
      format::optional(point.ai_executed, [](double ai) { return format::significant(ai); }),
      format::optional(point.fraction_of_roof, format::percent),
      point.roof ? fmt::format(" ({})", point.roof->ceiling) : "", words_for(point.bound).phrase,
      full_name(point));
}

std::string sentence_on(const RooflinePoint& point) {
  if (is_observed(point)) return program_sentence(point);
  const std::vector<std::string_view> flags = names_of(notable_flags(point));
  const auto& time = point.measurement->time;
  return fmt::format("{}: {}, {} useful at {} {}/byte, {} of roofline, {}{}{}", point.label,
                     time ? format::duration(time->median_s) : "not timed",
                     rate_text(point, point.flop_per_s),
                     format::optional(point.ai_useful, [](double ai) { return format::significant(ai); }),
                     operations_of(point), format::optional(point.fraction_of_roof, format::percent),
                     words_for(point.bound).phrase, flags.empty() ? "" : ", ", fmt::join(flags, ", "));
}

std::string level_sentence(const RooflinePoint& point, const LevelUse& use) {
  const std::string utilisation = format::optional(use.utilisation, format::percent);
  return fmt::format(
      "{} at {}: {} {} at {} {}/byte, {}", point.label, level_name(use.level),
      rate_text(point, main_rate(point)), is_observed(point) ? "executed" : "useful",
      format::optional(use.ai, [](double ai) { return format::significant(ai); }), operations_of(point),
      use.ceiling.empty() ? "no ceiling measured" : fmt::format("{} of {}", utilisation, use.ceiling));
}

std::vector<LevelMark> level_marks(const RooflinePoint& point, const std::vector<MemoryLevel>& levels) {
  std::vector<LevelMark> marks;
  for (const LevelUse& use : point.levels) {
    if (std::find(levels.begin(), levels.end(), use.level) == levels.end()) continue;
    marks.push_back({use.level, plane_point(use.ai, main_rate(point)), level_sentence(point, use),
                     format::optional(use.utilisation, format::whole_percent),
                     use.level == point.limiting_level});
  }
  return marks;
}

// Names of a program's kernels are long, and what tells them apart may be at their end.
std::string picture_label(const std::string& label) {
  constexpr std::size_t kLongest = 26;
  return kernel_names::cut_middle(label, kLongest);
}

ChartPoint chart_point(const RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  ChartPoint chart;
  chart.label = is_observed(point) ? picture_label(point.label) : point.label;
  chart.title = typeset(sentence_on(point));
  chart.useful = plane_point(point.ai_useful, point.flop_per_s);
  chart.executed = plane_point(point.ai_executed, point.executed_flop_per_s);
  if (chart.useful && chart.executed && !differ(*chart.useful, *chart.executed)) chart.executed.reset();
  if (is_observed(point)) std::swap(chart.useful, chart.executed);
  if (chart.useful && point.roof && point.roof->resource == Bound::nvlink) {
    chart.link_flop_per_s = point.roof->flop_per_s;
  }
  chart.fraction_of_roof = point.fraction_of_roof;
  for (const LevelUse& use : point.levels) {
    if (use.level == MemoryLevel::dram) chart.dram_share = use.utilisation;
  }
  if (measurement.time) {
    const TimeResult& time = *measurement.time;
    chart.time = format::duration(time.median_s);
    if (chart.useful && is_drawable(time.ci_low_s) && is_drawable(time.ci_high_s)) {
      const double flops = is_observed(point) ? *point.flops_executed : point.flops_useful;
      chart.useful_flop_per_s = Range{flops / time.ci_high_s, flops / time.ci_low_s};
    }
  } else {
    chart.time = format::kUnavailable;
  }
  const Counters& counters = measurement.counters;
  chart.dram_bytes_per_element = format::optional(dram_bytes_per_element(point),
                                                  [](double bytes) { return format::significant(bytes); });
  chart.warp_efficiency =
      format::optional(value_of(counters, counter::kWarpExecutionEfficiency), format::whole_percent);
  chart.nonpred_warp_efficiency =
      format::optional(value_of(counters, counter::kWarpNonpredExecutionEfficiency), format::whole_percent);
  chart.redundancy = format::optional(point.redundancy, format::factor);
  chart.limit = limit_text(point);
  chart.bound = bound_text(point);
  chart.is_flagged = !notable_flags(point).empty();
  if (point.launches) {
    chart.share = point.launches->share;
    chart.share_text = format::percent(point.launches->share);
    chart.launches = fmt::format("{}", point.measurement->launches->count);
    chart.recoverable = format::optional(point.launches->recoverable_s, format::duration);
  }
  return chart;
}

// Kernels of a program have no families: they are told apart by what bounds them.
std::string family_of(const RooflinePoint& point) {
  return is_observed(point) ? std::string(words_for(point.bound).label) : point.family;
}

// Of a program's kernel, the same wherever it is drawn.
FamilyLook look_in(const RooflinePoint& point, std::size_t family) {
  return is_observed(point) ? look_of(point.bound) : look_of(family);
}

// The names of those that took longest.
void choose_labels(ChartModel& chart) {
  constexpr std::size_t kMostLabels = 10;
  const std::vector<std::size_t> order = list_order(chart);
  std::size_t labels = 0;
  std::size_t rank = 0;
  for (const std::size_t i : order) {
    ChartPoint& point = chart.points[i];
    point.rank = ++rank;
    point.is_labelled = !point.share || (point.useful && ++labels <= kMostLabels);
  }
}

// Appends the point's family if it is new.
std::size_t family_index(std::vector<Family>& families, const RooflinePoint& point) {
  const std::string name = family_of(point);
  const auto found = std::find_if(families.begin(), families.end(),
                                  [&](const Family& family) { return family.name == name; });
  if (found != families.end()) return static_cast<std::size_t>(found - families.begin());
  families.push_back({name, look_in(point, families.size())});
  return families.size() - 1;
}

// `cold, warm`: each value once, in order; empty where no point has one.
template <typename Value, typename Show>
std::string distinct(const std::vector<RooflinePoint>& points, std::optional<Value> (*get)(const PointId&),
                     Show show) {
  std::set<Value> values;
  for (const RooflinePoint& point : points) {
    if (const auto value = get(point.measurement->point)) values.insert(*value);
  }
  std::vector<std::string> texts;
  for (const Value& value : values) texts.emplace_back(show(value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// `2^20, 2^25`, or `2^10 … 2^28 (19 sizes)` where a list would be long.
std::string sizes(const std::vector<RooflinePoint>& points) {
  constexpr std::size_t kMostListed = 4;
  std::set<std::uint64_t> sizes;
  for (const RooflinePoint& point : points) {
    if (const auto n = size_of(point.measurement->point)) sizes.insert(*n);
  }
  if (sizes.size() > kMostListed) {
    return fmt::format("{} … {} ({} sizes)", elements_text(*sizes.begin()), elements_text(*sizes.rbegin()),
                       sizes.size());
  }
  return distinct(points, &size_of, elements_text);
}

// How the times were taken.
std::string timed_text(const std::vector<RooflinePoint>& points) {
  const bool is_traced =
      std::any_of(points.begin(), points.end(), [](const auto& p) { return is_observed(p); });
  if (is_traced) return "times of the trace";
  const auto is_timed = [&](LaunchMode mode) {
    return std::any_of(points.begin(), points.end(),
                       [&](const RooflinePoint& point) { return timed_mode(point) == mode; });
  };
  const bool graph = is_timed(LaunchMode::graph);
  const bool plain = is_timed(LaunchMode::plain);
  if (graph && plain) return "timed in CUDA graphs or launch by launch";
  return graph ? "timed in CUDA graphs" : plain ? "timed launch by launch" : "";
}

// `NVIDIA H200`, `a recording of NVIDIA H200`
std::string as_recorded(const Run& run, const std::string& device) {
  return run.source == RunSource::replayed ? fmt::format("a recording of {}", device) : device;
}

std::string subtitle(const Run& run, std::size_t place, const std::vector<RooflinePoint>& points) {
  const DeviceInfo& device = run.devices[place];
  std::vector<std::string> parts = {as_recorded(run, device.name), format::utc(run.started_utc)};
  if (!device.driver_version.empty()) parts.push_back("driver " + device.driver_version);
  const auto add = [&](std::string_view what, const std::string& text) {
    if (!text.empty()) parts.push_back(fmt::format("{}{}", what, text));
  };
  const auto name = [](auto value) { return to_string(value); };
  const std::string caches = distinct(points, &cache_of, name);
  if (!caches.empty()) parts.push_back(caches + " cache");
  add("n = ", sizes(points));
  add("", distinct(points, &dtype_of, name));
  add("", run.imports.empty() ? timed_text(points) : "times as imported");
  return fmt::format("{}", fmt::join(parts, "  ·  "));
}

std::string tool_text(const Run& run) {
  return fmt::format("rooflinectl {} ({})", run.tool_version, run.tool_commit);
}

// OP is right for both where integers and floats share a picture.
std::string operations_of(const std::vector<RooflinePoint>& points) {
  const auto is_integer = [](const RooflinePoint& point) { return operations_of(point) == format::kOps; };
  return std::string(std::any_of(points.begin(), points.end(), is_integer) ? format::kOps : format::kFlops);
}

bool is_integer(const RoofLine& roof) {
  return roof.kind == CeilingKind::compute && roof.subject.starts_with('i');
}

// An axis has one unit, and so have the names of the roofs: where some count operations of integers, FLOP/s
// become OP/s.
void use_one_unit(ChartModel& chart) {
  if (std::any_of(chart.roofs.begin(), chart.roofs.end(), is_integer)) {
    chart.operations = format::kOps;
  }
  for (RoofLine& roof : chart.roofs) {
    const std::size_t unit = roof.text.rfind(fmt::format("{}/s", format::kFlops));
    if (roof.kind == CeilingKind::compute && unit != std::string::npos) {
      roof.text.replace(unit, format::kFlops.size(), chart.operations);
    }
  }
}

Range within(const Range& inner, const Range& outer) {
  return {std::max(inner.low, outer.low), std::min(inner.high, outer.high)};
}

// A part of what the axes show. All marks lie on them.
Window within(const Window& inner, const Window& outer) {
  return {within(inner.ai, outer.ai), within(inner.flop_per_s, outer.flop_per_s)};
}

// What a roof is of, as its place in `kRoofKinds`.
std::size_t kind_of(const RoofLine& roof) {
  if (roof.kind == CeilingKind::bandwidth) return 0;
  if (roof.is_tensor) return 1;
  return is_integer(roof) ? 3 : 2;
}

// The part of the plane in which every roof ends, with some room.
std::optional<Window> axes_around(const std::vector<RoofLine>& roofs) {
  constexpr double kRoom = 2;
  constexpr double kRoomToSlowest = 10;
  const auto values = [&](CeilingKind kind) {
    std::vector<double> all;
    for (const RoofLine& roof : roofs) {
      if (roof.kind == kind) all.push_back(roof.value);
    }
    return all;  // in descending order, as the roofs
  };
  const auto bandwidths = values(CeilingKind::bandwidth);
  const auto rates = values(CeilingKind::compute);
  if (bandwidths.empty() || rates.empty()) return std::nullopt;
  const Range ai = whole_decades(
      {rates.back() / bandwidths.front() / kRoomToSlowest, rates.front() / bandwidths.back() * kRoom});
  return Window{ai, whole_decades({bandwidths.back() * ai.low, rates.front() * kRoom})};
}

// What all pictures of an experiment have in common.
ChartModel model_without_axes(const Run& run, const ExperimentAnalysis& experiment,
                              std::vector<MemoryLevel> levels) {
  ChartModel chart;
  chart.title = headline_prefix(run, !experiment.missing.empty()) +
                (experiment.title.empty() ? experiment.name : experiment.title);
  chart.subtitle = subtitle(run, experiment.device, experiment.points);
  chart.provenance = provenance(run, experiment);
  chart.flags = flags_text(experiment.points);
  chart.tool = tool_text(run);
  chart.operations = operations_of(experiment.points);
  chart.levels = std::move(levels);
  for (const RooflinePoint& point : experiment.points) {
    chart.points.push_back(chart_point(point));
    chart.points.back().levels = level_marks(point, chart.levels);
    ChartPoint& added = chart.points.back();
    added.family = family_index(chart.families, point);
    added.look = chart.families[added.family].look;
    chart.is_of_program |= is_observed(point);
  }
  if (chart.is_of_program) {
    choose_labels(chart);
    chart.list_title = "Kernels by time";
  }
  return chart;
}

// The window with the marks of all levels of the points whose performance lies in it.
Window with_levels(Window window, const std::vector<ChartPoint>& points) {
  constexpr double kMargin = 1.4;
  for (const ChartPoint& point : points) {
    for (const LevelMark& mark : point.levels) {
      if (!mark.at || !holds(window.flop_per_s, mark.at->flop_per_s)) continue;
      extend(window.ai, mark.at->ai / kMargin);
      extend(window.ai, mark.at->ai * kMargin);
    }
  }
  return window;
}

// The names, of which there may be thousands: the first few, and how many more there are.
std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 8;
  const std::size_t named = std::min(names.size(), kMostNamed);
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(named);
  std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  if (named < names.size()) text += fmt::format(" and {} more", names.size() - named);
  return text;
}

}  // namespace

std::string missing_text(const ExperimentAnalysis& experiment) {
  const std::vector<std::string>& missing = experiment.missing;
  if (missing.empty()) return {};
  return fmt::format("incomplete, {} of {} missing: {}", missing.size(),
                     format::counted(missing.size() + experiment.points.size(), "point"), list_of(missing));
}

std::string device_text(const Run& run) {
  std::vector<std::string> names;
  for (const DeviceInfo& device : run.devices) names.push_back(device.name);
  const bool are_alike =
      std::all_of(names.begin(), names.end(), [&](const std::string& name) { return name == names.front(); });
  if (names.size() > 1 && are_alike) names = {fmt::format("{} × {}", names.size(), names.front())};
  return as_recorded(run, fmt::format("{}", fmt::join(names, ", ")));
}

std::string headline_prefix(const Run& run, bool is_incomplete) {
  if (run.source == RunSource::replayed) return is_incomplete ? "Replayed, incomplete: " : "Replayed: ";
  return is_incomplete ? "Incomplete: " : "";
}

std::string provenance(const Run& run, const ExperimentAnalysis& experiment) {
  std::size_t timed = 0;
  std::vector<std::string> declared;
  std::vector<std::string> unseen;
  double uncounted = 0;  // share of a program's time
  bool is_of_program = false;
  for (const RooflinePoint& point : experiment.points) {
    if (point.launches) {
      is_of_program = true;
      if (!is_fully_counted(*point.measurement)) uncounted += point.launches->share;
      continue;
    }
    if (!point.measurement->time) continue;
    ++timed;
    if (!point.dram_bytes && !point.flops_executed) {
      declared.push_back(point.label);
    } else if (!point.executed_missing.empty()) {
      unseen.push_back(point.label);
    }
  }
  std::string text(run.imports.empty() ? to_string(run.source) : "imported");
  if (!declared.empty()) {
    text = declared.size() == timed ? fmt::format("times {}; bytes and FLOPs declared, not counted", text)
                                    : fmt::format("{}; declared, not counted: {}", text, list_of(declared));
  }
  if (is_of_program) {
    text += run.imports.empty() ? "; kernels: executed work, as counted for some of their launches"
                                : "; kernels: executed work";
  }
  if (uncounted > 0) text += fmt::format("; not counted in full: {} of GPU time", format::percent(uncounted));
  if (!unseen.empty()) text += fmt::format("; executed work not counted: {}", list_of(unseen));
  const std::string missing = missing_text(experiment);
  return missing.empty() ? text : fmt::format("{}; {}", missing, text);
}

bool has_levels(const ExperimentAnalysis& experiment) {
  const auto is_counted = [](const LevelUse& use) { return use.level != MemoryLevel::dram && use.ai; };
  return std::any_of(experiment.points.begin(), experiment.points.end(), [&](const RooflinePoint& point) {
    return std::any_of(point.levels.begin(), point.levels.end(), is_counted);
  });
}

ChartModel chart_model(const Run& run, const ExperimentAnalysis& experiment,
                       const ChartSelection& selection) {
  ChartModel chart = model_without_axes(run, experiment, {});
  chart.roofs = dram_roofs(run, experiment, selection);
  chart.ridges = ridges_of(chart.roofs, experiment.points);
  chart.axes = axes_of(chart, chart.ridges);
  use_one_unit(chart);
  if (chart.is_of_program) return chart;
  if (const auto detail = detail_window(chart.points)) chart.detail = within(*detail, chart.axes);
  return chart;
}

std::vector<std::size_t> list_order(const ChartModel& chart) {
  std::vector<std::size_t> order(chart.points.size());
  std::iota(order.begin(), order.end(), 0);
  if (!chart.is_of_program) return order;
  const auto share = [&](std::size_t i) { return chart.points[i].share.value_or(0); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return share(a) > share(b); });
  return order;
}

ChartModel with_longest(ChartModel chart, std::size_t most) {
  if (chart.points.size() <= most) return chart;
  std::vector<ChartPoint> points;
  for (const std::size_t i : list_order(chart)) {
    if (points.size() < most) points.push_back(std::move(chart.points[i]));
  }
  chart.points = std::move(points);
  return chart;
}

ChartModel levels_model(const Run& run, const ExperimentAnalysis& experiment,
                        const ChartSelection& selection) {
  const std::vector<MemoryLevel> all(kMemoryLevels.begin(), kMemoryLevels.end());
  ChartModel chart = model_without_axes(run, experiment, selection.levels.empty() ? all : selection.levels);
  for (ChartPoint& point : chart.points) point.executed.reset();
  chart.roofs = level_roofs(run, experiment, selection);
  chart.axes = axes_of(chart, ridges_of(chart.roofs, experiment.points));
  use_one_unit(chart);
  if (chart.is_of_program) return chart;
  if (const auto detail = detail_window(chart.points)) {
    chart.detail = within(with_levels(*detail, chart.points), chart.axes);
  }
  return chart;
}

ChartModel ceilings_model(const Run& run, const ChartSelection& selection, std::size_t device) {
  ChartModel chart;
  const std::string of = run.devices.size() > 1 ? fmt::format(", device {}:", device) : " of";
  chart.title = fmt::format("{}Ceilings{} {}", headline_prefix(run, false), of, run.devices[device].name);
  chart.subtitle = subtitle(run, device, {});
  const bool is_counted = std::any_of(run.ceilings.begin(), run.ceilings.end(), [](const Ceiling& ceiling) {
    return ceiling.confirmation.has_value();
  });
  chart.provenance =
      fmt::format("{}{}", to_string(run.source), is_counted ? "" : "; work declared, not counted");
  chart.tool = tool_text(run);
  chart.roofs = all_roofs(run, selection, device);
  chart.operations = format::kFlops;
  use_one_unit(chart);
  for (RoofLine& roof : chart.roofs) roof.family = kind_of(roof);
  chart.axes = axes_around(chart.roofs).value_or(kDefaultAxes);
  return chart;
}

}  // namespace rooflinectl
