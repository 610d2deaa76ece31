// SPDX-License-Identifier: Apache-2.0
#include "core/serial/json_fields.h"

#include <fmt/format.h>

#include <limits>

#include "core/error.h"
#include "core/model/quantity.h"
#include "core/text/mistakes.h"
#include "core/text/printable.h"

namespace rooflinectl::json_fields {

// ---- reading ----

void Reader::fail(std::string_view problem) const {
  const std::string_view separator = pointer_.empty() ? "" : ": ";
  throw Error(ErrorKind::usage, fmt::format("{}: {}{}{}", document_, pointer_, separator, problem));
}

template <typename Key>
Reader Reader::child(const Json& value, const Key& key) const {
  return {value, document_, fmt::format("{}/{}", pointer_, key)};
}

Reader Reader::operator[](const char* key) const {
  if (!value_.is_object()) fail("expected an object");
  const auto found = value_.find(key);
  if (found == value_.end()) fail(fmt::format("the field '{}' is missing", key));
  return child(*found, key);
}

bool Reader::has(const char* key) const {
  if (!value_.is_object()) fail("expected an object");
  const auto found = value_.find(key);
  return found != value_.end() && !found->is_null();
}

std::vector<Reader> Reader::elements(std::size_t most) const {
  if (!value_.is_array()) fail("expected an array");
  if (value_.size() > most) fail(fmt::format("more than {} entries", most));
  std::vector<Reader> readers;
  readers.reserve(value_.size());
  for (const Json& element : value_) readers.push_back(child(element, readers.size()));
  return readers;
}

std::vector<std::pair<std::string, Reader>> Reader::members() const {
  if (!value_.is_object()) fail("expected an object");
  std::vector<std::pair<std::string, Reader>> readers;
  for (const auto& [key, value] : value_.items()) {
    readers.emplace_back(key, child(value, key));
  }
  return readers;
}

double Reader::any_number() const {
  if (!value_.is_number()) fail("expected a number");
  const double value = value_.get<double>();
  if (value < 0) fail(fmt::format("expected a number that is not negative, found {}", value));
  return value;
}

double Reader::number() const {
  const double value = any_number();
  return value == 0 ? 0 : positive_number();
}

double Reader::positive_number() const {
  // Far beyond what anything measures, and far from where sums and quotients overflow.
  constexpr double kLeast = 1e-30;
  constexpr double kMost = 1e30;
  const double value = any_number();
  if (value < kLeast || value > kMost) fail(fmt::format("{} cannot have been measured", value));
  return value;
}

std::int64_t Reader::integer() const {
  if (!value_.is_number_integer()) fail("expected an integer");
  if (value_.is_number_unsigned() &&
      value_.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    fail("the integer is too large");
  }
  return value_.get<std::int64_t>();
}

std::uint64_t Reader::size() const {
  if (value_.is_number_unsigned()) return value_.get<std::uint64_t>();
  const std::int64_t value = integer();
  if (value < 0) fail("expected an integer that is not negative");
  return static_cast<std::uint64_t>(value);
}

int Reader::small_integer(int least) const {
  const std::int64_t value = integer();
  if (value < least) fail(fmt::format("expected an integer of at least {}, found {}", least, value));
  if (value > std::numeric_limits<int>::max()) fail("the integer is too large");
  return static_cast<int>(value);
}

bool Reader::boolean() const {
  if (!value_.is_boolean()) fail("expected true or false");
  return value_.get<bool>();
}

const std::string& Reader::text() const {
  if (!value_.is_string()) fail("expected a string");
  return value_.get_ref<const std::string&>();
}

std::vector<std::string> Reader::texts() const {
  std::vector<std::string> values;
  for (const Reader& element : elements()) values.push_back(element.text());
  return values;
}

std::vector<double> Reader::numbers() const {
  std::vector<double> values;
  for (const Reader& element : elements()) values.push_back(element.number());
  return values;
}

std::vector<double> Reader::positive_numbers() const {
  std::vector<double> values;
  for (const Reader& element : elements()) values.push_back(element.positive_number());
  return values;
}

Json parse_object(std::string_view text, std::string_view document) {
  Json value;
  try {
    value = Json::parse(text);
  } catch (const Json::parse_error& error) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
      throw Error(ErrorKind::usage, fmt::format("{}: the file is empty", document));
    }
    throw Error(ErrorKind::usage, fmt::format("{}: not valid JSON at byte {}", document, error.byte),
                "the file may be truncated");
  } catch (const Json::out_of_range&) {
    throw Error(ErrorKind::usage, fmt::format("{}: not valid JSON: a number is too large", document));
  }
  if (!value.is_object()) throw Error(ErrorKind::usage, fmt::format("{}: expected a JSON object", document));
  return value;
}

std::string to_text(const Json& value, int indent) {
  return printable_json(value.dump(indent, ' ', false, Json::error_handler_t::replace));
}

namespace {

/// The value of `lookup` for the text at `reader`, or an error that names the text.
template <typename Lookup>
auto parse_enum(const Reader& reader, Lookup lookup) {
  const auto value = lookup(reader.text());
  if (!value) reader.fail(fmt::format("unknown value {}", rooflinectl::quoted(reader.text())));
  return *value;
}

/// The inverse of `to_string` for an enum with the given values.
template <typename Enum>
auto from_names(std::initializer_list<Enum> values) {
  return [values](std::string_view name) -> std::optional<Enum> {
    for (Enum value : values) {
      if (to_string(value) == name) return value;
    }
    return std::nullopt;
  };
}

}  // namespace

// ---- catalogue ----

Json to_json(const Catalogue& catalogue) {
  Json variants = Json::array();
  for (const VariantInfo& variant : catalogue.variants) {
    Json dtypes = Json::array();
    for (Dtype dtype : variant.dtypes) dtypes.push_back(to_string(dtype));
    Json entry = {{"id", variant.id},
                  {"label", variant.label},
                  {"title", variant.title},
                  {"family", variant.family},
                  {"dtypes", dtypes},
                  {"block_sizes", variant.block_sizes},
                  {"default_block_size", variant.default_block_size}};
    set_if(entry, "default_elements_per_thread", variant.default_elements_per_thread);
    entry["output"] = to_string(variant.output);
    entry["destroys_input"] = variant.destroys_input;
    entry["deterministic"] = variant.deterministic;
    entry["minimum_sm"] = variant.minimum_sm;
    variants.push_back(entry);
  }
  Json value = {{"variants", variants}, {"ceilings", catalogue.ceilings}};
  if (catalogue.primitives.empty()) return value;
  Json primitives = Json::array();
  for (const PrimitiveInfo& primitive : catalogue.primitives) primitives.push_back(to_json(primitive));
  value["primitives"] = std::move(primitives);
  return value;
}

Catalogue catalogue_from(const Reader& reader) {
  Catalogue catalogue;
  for (const Reader& entry : reader["variants"].elements()) {
    VariantInfo variant;
    variant.id = entry["id"].text();
    variant.label = entry["label"].text();
    variant.title = entry["title"].text();
    variant.family = entry["family"].text();
    for (const Reader& dtype : entry["dtypes"].elements()) {
      variant.dtypes.push_back(parse_enum(dtype, dtype_from));
    }
    for (const Reader& size : entry["block_sizes"].elements()) {
      variant.block_sizes.push_back(size.small_integer());
    }
    variant.default_block_size = entry["default_block_size"].small_integer();
    if (entry.has("default_elements_per_thread")) {
      variant.default_elements_per_thread = entry["default_elements_per_thread"].small_integer();
    }
    variant.output = parse_enum(entry["output"], from_names({OutputKind::scalar, OutputKind::partials}));
    variant.destroys_input = entry["destroys_input"].boolean();
    variant.deterministic = entry["deterministic"].boolean();
    variant.minimum_sm = entry["minimum_sm"].small_integer();
    catalogue.variants.push_back(std::move(variant));
  }
  catalogue.ceilings = reader["ceilings"].texts();
  if (reader.has("primitives")) {
    for (const Reader& entry : reader["primitives"].elements()) {
      catalogue.primitives.push_back(primitive_info_from(entry));
    }
  }
  return catalogue;
}

Json to_json(const ChipCounters& chip) {
  Json counters = Json::array();
  for (const CounterInfo& counter : chip.counters) {
    counters.push_back({{"key", counter.key}, {"meaning", counter.meaning}, {"metric", counter.metric}});
  }
  return {{"chip", chip.chip}, {"passes", chip.passes}, {"counters", counters}};
}

ChipCounters chip_counters_from(const Reader& reader) {
  ChipCounters chip;
  chip.chip = reader["chip"].text();
  chip.passes = reader["passes"].small_integer();
  for (const Reader& entry : reader["counters"].elements()) {
    chip.counters.push_back({entry["key"].text(), entry["meaning"].text(), entry["metric"].text()});
  }
  return chip;
}

Json to_json(const Check& check) {
  return {{"subject", check.subject},
          {"status", to_string(check.status)},
          {"detail", check.detail},
          {"fix", check.fix},
          {"stops_measuring", check.stops_measuring}};
}

Check check_from(const Reader& reader) {
  Check check;
  check.subject = reader["subject"].text();
  check.status =
      parse_enum(reader["status"], from_names({CheckStatus::ok, CheckStatus::warning, CheckStatus::fails}));
  check.detail = reader["detail"].text();
  check.fix = reader["fix"].text();
  check.stops_measuring = reader["stops_measuring"].boolean();
  return check;
}

// ---- plan ----

namespace {

Json to_json(const PointId& point) {
  Json value = {{"variant", point.variant},
                {"dtype", to_string(point.dtype)},
                {"n", point.n_elements},
                {"cache", to_string(point.cache)},
                {"block_size", point.block_size}};
  set_if(value, "elements_per_thread", point.elements_per_thread);
  if (point.launch_mode != LaunchMode::graph) value["launch_mode"] = to_string(point.launch_mode);
  return value;
}

PointId point_from(const Reader& reader, std::string experiment) {
  PointId point;
  point.experiment = std::move(experiment);
  point.variant = reader["variant"].text();
  point.dtype = parse_enum(reader["dtype"], dtype_from);
  point.n_elements = reader["n"].size();
  if (point.n_elements > kMaxElements) reader["n"].fail(fmt::format("more than {} elements", kMaxElements));
  point.cache = parse_enum(reader["cache"], cache_state_from);
  point.block_size = reader["block_size"].small_integer();
  if (reader.has("elements_per_thread")) {
    point.elements_per_thread = reader["elements_per_thread"].small_integer();
  }
  if (reader.has("launch_mode")) point.launch_mode = parse_enum(reader["launch_mode"], launch_mode_from);
  return point;
}

}  // namespace

Json to_json(const Plan& plan) {
  Json experiments = Json::array();
  for (const Experiment& experiment : plan.experiments) {
    Json points = Json::array();
    for (const PointId& point : experiment.points) points.push_back(to_json(point));
    experiments.push_back({{"name", experiment.name},
                           {"title", experiment.title},
                           {"timing",
                            {{"relative_half_width", experiment.timing.relative_half_width},
                             {"time_limit_s", experiment.timing.time_limit_s}}},
                           {"counters", to_string(experiment.counters)},
                           {"energy", experiment.energy},
                           {"points", points}});
  }
  Json value = {
      {"name", plan.name}, {"text", plan.text}, {"ceilings", plan.ceilings}, {"experiments", experiments}};
  if (!plan.primitives.empty()) value["primitives"] = plan.primitives;
  return value;
}

Plan plan_from(const Reader& reader) {
  Plan plan;
  plan.name = reader["name"].text();
  plan.text = reader["text"].text();
  plan.ceilings = reader["ceilings"].texts();
  if (reader.has("primitives")) plan.primitives = reader["primitives"].texts();
  std::size_t n_points = 0;
  for (const Reader& entry : reader["experiments"].elements()) {
    Experiment experiment;
    experiment.name = entry["name"].text();
    experiment.title = entry["title"].text();
    experiment.timing.relative_half_width = entry["timing"]["relative_half_width"].number();
    experiment.timing.time_limit_s = entry["timing"]["time_limit_s"].number();
    experiment.counters = parse_enum(entry["counters"], counter_set_from);
    if (entry.has("energy")) experiment.energy = entry["energy"].boolean();
    for (const Reader& point : entry["points"].elements(kMaxPoints - n_points)) {
      experiment.points.push_back(point_from(point, experiment.name));
    }
    n_points += experiment.points.size();
    plan.experiments.push_back(std::move(experiment));
  }
  return plan;
}

// ---- device and ceilings ----

Json to_json(const DeviceInfo& device) {
  Json value = {{"name", device.name},
                {"uuid", device.uuid},
                {"chip", device.chip},
                {"index", device.index},
                {"compute_capability", device.compute_capability},
                {"sm_count", device.sm_count},
                {"memory_bytes", device.memory_bytes},
                {"l2_bytes", device.l2_bytes},
                {"memory_bus_bits", device.memory_bus_bits},
                {"memory_clock_hz", device.memory_clock_hz},
                {"sm_clock_hz", device.sm_clock_hz},
                {"ecc_enabled", device.ecc_enabled},
                {"driver_version", device.driver_version},
                {"cuda_driver_version", device.cuda_driver_version},
                {"cuda_runtime_version", device.cuda_runtime_version}};
  set_if(value, "cupti_version", device.cupti_version);
  if (device.settings) value["settings"] = to_json(*device.settings);
  return value;
}

DeviceInfo device_from(const Reader& reader) {
  DeviceInfo device;
  device.name = reader["name"].text();
  device.uuid = reader["uuid"].text();
  device.chip = reader["chip"].text();
  device.index = reader["index"].small_integer();
  device.compute_capability = reader["compute_capability"].small_integer();
  device.sm_count = reader["sm_count"].small_integer();
  device.memory_bytes = reader["memory_bytes"].size();
  device.l2_bytes = reader["l2_bytes"].size();
  device.memory_bus_bits = reader["memory_bus_bits"].small_integer();
  device.memory_clock_hz = reader["memory_clock_hz"].number();
  device.sm_clock_hz = reader["sm_clock_hz"].number();
  device.ecc_enabled = reader["ecc_enabled"].boolean();
  device.driver_version = reader["driver_version"].text();
  device.cuda_driver_version = reader["cuda_driver_version"].small_integer();
  device.cuda_runtime_version = reader["cuda_runtime_version"].small_integer();
  if (reader.has("cupti_version")) device.cupti_version = reader["cupti_version"].small_integer();
  if (reader.has("settings")) device.settings = device_settings_from(reader["settings"]);
  return device;
}

Json to_json(const Ceiling& ceiling) {
  Json value = {
      {"id", ceiling.id},           {"kind", to_string(ceiling.kind)}, {"source", to_string(ceiling.source)},
      {"subject", ceiling.subject}, {"operation", ceiling.operation},  {"value", ceiling.value}};
  set_if(value, "sm_clock_hz", ceiling.sm_clock_hz);
  value["relative_spread"] = ceiling.relative_spread;
  value["method"] = ceiling.method;
  if (!ceiling.measured_utc.empty()) value["measured_utc"] = ceiling.measured_utc;
  if (ceiling.confirmation) {
    value["confirmation"] = {{"agrees", ceiling.confirmation->agrees},
                             {"detail", ceiling.confirmation->detail}};
  }
  return value;
}

Ceiling ceiling_from(const Reader& reader) {
  Ceiling ceiling;
  ceiling.id = reader["id"].text();
  ceiling.kind = parse_enum(reader["kind"],
                            from_names({CeilingKind::bandwidth, CeilingKind::compute, CeilingKind::latency}));
  ceiling.source =
      parse_enum(reader["source"], from_names({CeilingSource::theoretical, CeilingSource::measured}));
  ceiling.subject = reader["subject"].text();
  ceiling.operation = reader["operation"].text();
  ceiling.value = reader["value"].positive_number();
  if (reader.has("sm_clock_hz")) ceiling.sm_clock_hz = reader["sm_clock_hz"].number();
  ceiling.relative_spread = reader["relative_spread"].number();
  ceiling.method = reader["method"].text();
  if (reader.has("measured_utc")) ceiling.measured_utc = reader["measured_utc"].text();
  if (reader.has("confirmation")) {
    const Reader confirmation = reader["confirmation"];
    ceiling.confirmation = Confirmation{confirmation["agrees"].boolean(), confirmation["detail"].text()};
  }
  return ceiling;
}

// ---- counters and measurements ----

namespace {

Json to_json(const CounterValue& counter) {
  return counter.available() ? Json(*counter.value()) : Json{{"unavailable", counter.reason()}};
}

CounterValue counter_value_from(const Reader& reader) {
  return reader.is_number() ? CounterValue::measured(reader.number())
                            : CounterValue::unavailable(reader["unavailable"].text());
}

}  // namespace

Json to_json(const Counters& counters) {
  Json value = Json::object();
  for (const auto& [key, counter] : counters) value[key] = to_json(counter);
  return value;
}

Counters counters_from(const Reader& reader) {
  Counters counters;
  for (const auto& [key, value] : reader.members()) {
    counters.emplace(key, counter_value_from(value));
  }
  return counters;
}

Json to_json(const CounterSession& session) {
  Json value = {{"available", session.available}};
  if (!session.available) {
    value["reason"] = session.reason;
    value["hint"] = session.hint;
    return value;
  }
  value["passes"] = session.passes;
  value["host_setup_s"] = session.host_setup_s;
  value["collection_s"] = session.collection_s;
  value["metrics"] = session.metrics;
  return value;
}

CounterSession counter_session_from(const Reader& reader) {
  CounterSession session;
  session.available = reader["available"].boolean();
  if (!session.available) {
    session.reason = reader["reason"].text();
    session.hint = reader["hint"].text();
    return session;
  }
  session.passes = reader["passes"].small_integer();
  session.host_setup_s = reader["host_setup_s"].number();
  session.collection_s = reader["collection_s"].number();
  for (const auto& [key, name] : reader["metrics"].members()) session.metrics.emplace(key, name.text());
  return session;
}

namespace {

Json to_json(const TimeResult& time) {
  Json value = {{"median_s", time.median_s},   {"ci_low_s", time.ci_low_s},
                {"ci_high_s", time.ci_high_s}, {"launches_per_sample", time.launches_per_sample},
                {"noisy", time.noisy},         {"throttled_samples", time.throttled_samples},
                {"samples_s", time.samples_s}, {"sample_clocks_hz", time.sample_clocks_hz}};
  if (time.mode) value["mode"] = to_string(*time.mode);
  set_if(value, "sm_clock_hz", time.sm_clock_hz);
  if (time.clock_event_reasons) value["clock_event_reasons"] = *time.clock_event_reasons;
  return value;
}

TimeResult time_from(const Reader& reader) {
  TimeResult time;
  time.median_s = reader["median_s"].positive_number();
  time.ci_low_s = reader["ci_low_s"].positive_number();
  time.ci_high_s = reader["ci_high_s"].positive_number();
  time.launches_per_sample = reader["launches_per_sample"].small_integer(1);
  time.noisy = reader["noisy"].boolean();
  time.throttled_samples = reader["throttled_samples"].small_integer();
  time.samples_s = reader["samples_s"].positive_numbers();
  time.sample_clocks_hz = reader["sample_clocks_hz"].numbers();
  if (reader.has("mode")) time.mode = parse_enum(reader["mode"], launch_mode_from);
  if (reader.has("sm_clock_hz")) time.sm_clock_hz = reader["sm_clock_hz"].number();
  if (reader.has("clock_event_reasons")) {
    time.clock_event_reasons.emplace();
    for (const auto& [reason, samples] : reader["clock_event_reasons"].members()) {
      time.clock_event_reasons->emplace(reason, samples.small_integer());
    }
  } else if (static_cast<std::size_t>(time.throttled_samples) == time.samples_s.size()) {
    // Early versions held samples against the best clock of the run. Where that left none, all were used.
    time.throttled_samples = 0;
  }
  return time;
}

Json to_json(const EnergyResult& energy) {
  return {{"joules", to_json(energy.joules)},
          {"mean_power_w", energy.mean_power_w},
          {"duration_s", energy.duration_s}};
}

EnergyResult energy_from(const Reader& reader) {
  EnergyResult energy;
  energy.joules = counter_value_from(reader["joules"]);
  energy.mean_power_w = reader["mean_power_w"].number();
  energy.duration_s = reader["duration_s"].number();
  return energy;
}

}  // namespace

Json to_json(const Measurement& measurement) {
  Json value = {{"experiment", measurement.point.experiment}};
  value.update(to_json(measurement.point));
  value["launch"] = {{"grid", measurement.launch.grid}, {"block", measurement.launch.block}};
  set_if(value["launch"], "bytes_in_flight_per_block", measurement.launch.bytes_in_flight_per_block);
  if (measurement.resources) {
    value["resources"] = {{"registers_per_thread", measurement.resources->registers_per_thread},
                          {"shared_bytes_per_block", measurement.resources->shared_bytes_per_block},
                          {"blocks_per_sm", measurement.resources->blocks_per_sm},
                          {"blocks_per_sm_by_registers", measurement.resources->blocks_per_sm_by_registers}};
  }
  value["work"] = {{"read_bytes", measurement.work.read_bytes},
                   {"written_bytes", measurement.work.written_bytes},
                   {"flops", measurement.work.flops},
                   {"fma_flops", measurement.work.fma_flops}};
  if (measurement.work.precision) value["work"]["precision"] = to_string(*measurement.work.precision);
  value["status"] = to_string(measurement.status);
  if (!measurement.cause.empty()) value["cause"] = measurement.cause;
  if (measurement.verification) {
    value["verification"] = {{"passed", measurement.verification->passed},
                             {"worst_error_over_bound", measurement.verification->worst_error_over_bound},
                             {"detail", measurement.verification->detail}};
  }
  if (measurement.time) value["time"] = to_json(*measurement.time);
  if (measurement.energy) value["energy"] = to_json(*measurement.energy);
  value["counters"] = to_json(measurement.counters);
  if (!measurement.counter_spread.empty()) value["counter_spread"] = measurement.counter_spread;
  if (measurement.counter_repeats > 0) value["counter_repeats"] = measurement.counter_repeats;
  return value;
}

Measurement measurement_from(const Reader& reader) {
  Measurement measurement;
  measurement.point = point_from(reader, reader["experiment"].text());
  measurement.launch.grid = reader["launch"]["grid"].size();
  measurement.launch.block = reader["launch"]["block"].small_integer();
  if (reader["launch"].has("bytes_in_flight_per_block"))
    measurement.launch.bytes_in_flight_per_block = reader["launch"]["bytes_in_flight_per_block"].number();
  if (reader.has("resources")) {
    const Reader resources = reader["resources"];
    measurement.resources = KernelResources{resources["registers_per_thread"].small_integer(),
                                            resources["shared_bytes_per_block"].small_integer(),
                                            resources["blocks_per_sm"].small_integer(),
                                            resources["blocks_per_sm_by_registers"].small_integer()};
  }
  measurement.work.read_bytes = reader["work"]["read_bytes"].number();
  measurement.work.written_bytes = reader["work"]["written_bytes"].number();
  measurement.work.flops = reader["work"]["flops"].number();
  measurement.work.fma_flops = reader["work"]["fma_flops"].number();
  if (reader["work"].has("precision")) {
    measurement.work.precision = parse_enum(reader["work"]["precision"], dtype_from);
  }
  measurement.status =
      parse_enum(reader["status"], from_names({Status::ok, Status::unverified, Status::failed}));
  if (reader.has("cause")) measurement.cause = reader["cause"].text();
  if (reader.has("verification")) {
    const Reader verification = reader["verification"];
    measurement.verification =
        Verification{verification["passed"].boolean(), verification["worst_error_over_bound"].any_number(),
                     verification["detail"].text()};
  }
  if (reader.has("time")) measurement.time = time_from(reader["time"]);
  if (reader.has("energy")) measurement.energy = energy_from(reader["energy"]);
  measurement.counters = counters_from(reader["counters"]);
  if (reader.has("counter_spread")) {
    for (const auto& [key, spread] : reader["counter_spread"].members()) {
      measurement.counter_spread.emplace(key, spread.number());
    }
  }
  if (reader.has("counter_repeats")) {
    measurement.counter_repeats = reader["counter_repeats"].small_integer(1);
  }
  return measurement;
}

// ---- primitives ----

Json to_json(const PrimitiveInfo& primitive) {
  Json value = {
      {"id", primitive.id}, {"family", primitive.family},          {"title", primitive.title},
      {"by", primitive.by}, {"dtype", to_string(primitive.dtype)}, {"scope", to_string(primitive.scope)}};
  set_if(value, "instructions", primitive.instructions);
  return value;
}

PrimitiveInfo primitive_info_from(const Reader& reader) {
  PrimitiveInfo primitive;
  primitive.id = reader["id"].text();
  primitive.family = reader["family"].text();
  primitive.title = reader["title"].text();
  primitive.by = reader["by"].text();
  primitive.dtype = parse_enum(reader["dtype"], dtype_from);
  primitive.scope = parse_enum(
      reader["scope"], from_names({PrimitiveScope::warp, PrimitiveScope::block, PrimitiveScope::device}));
  if (reader.has("instructions")) primitive.instructions = reader["instructions"].small_integer();
  return primitive;
}

namespace {

Json to_json(const Cycles& cycles) {
  Json value = {{"median", to_json(cycles.median)},
                {"ci_low", cycles.ci_low},
                {"ci_high", cycles.ci_high},
                {"elements", cycles.elements},
                {"samples", cycles.samples}};
  set_if(value, "sm_clock_hz", cycles.sm_clock_hz);
  return value;
}

Cycles cycles_from(const Reader& reader) {
  Cycles cycles;
  cycles.median = counter_value_from(reader["median"]);
  cycles.ci_low = reader["ci_low"].number();
  cycles.ci_high = reader["ci_high"].number();
  cycles.elements = reader["elements"].size();
  cycles.samples = reader["samples"].numbers();
  if (reader.has("sm_clock_hz")) cycles.sm_clock_hz = reader["sm_clock_hz"].number();
  return cycles;
}

}  // namespace

Json to_json(const PrimitiveResult& result) {
  Json value = to_json(result.info);
  value["status"] = to_string(result.status);
  if (!result.cause.empty()) value["cause"] = result.cause;
  value["latency"] = to_json(result.latency);
  value["throughput"] = to_json(result.throughput);
  return value;
}

PrimitiveResult primitive_result_from(const Reader& reader) {
  PrimitiveResult result;
  result.info = primitive_info_from(reader);
  result.status = parse_enum(reader["status"], from_names({Status::ok, Status::unverified, Status::failed}));
  if (reader.has("cause")) result.cause = reader["cause"].text();
  result.latency = cycles_from(reader["latency"]);
  result.throughput = cycles_from(reader["throughput"]);
  return result;
}

// ---- agreement ----

Json to_json(const Agreement& agreement) {
  return {{"subject", agreement.subject},
          {"quantity", agreement.quantity},
          {"unit", agreement.unit},
          {"ours", to_json(agreement.ours)},
          {"reference", to_json(agreement.reference)},
          {"tolerance", agreement.tolerance},
          {"is_relative", agreement.is_relative},
          {"note", agreement.note}};
}

Agreement agreement_from(const Reader& reader) {
  Agreement agreement;
  agreement.subject = reader["subject"].text();
  agreement.quantity = reader["quantity"].text();
  agreement.unit = reader["unit"].text();
  agreement.ours = counter_value_from(reader["ours"]);
  agreement.reference = counter_value_from(reader["reference"]);
  agreement.tolerance = reader["tolerance"].number();
  agreement.is_relative = reader["is_relative"].boolean();
  agreement.note = reader["note"].text();
  return agreement;
}

namespace {

Json to_json(const std::vector<Agreement>& agreements) {
  Json value = Json::array();
  for (const Agreement& agreement : agreements) value.push_back(json_fields::to_json(agreement));
  return value;
}

std::vector<Agreement> agreements_from(const Reader& reader) {
  std::vector<Agreement> agreements;
  for (const Reader& element : reader.elements()) agreements.push_back(agreement_from(element));
  return agreements;
}

}  // namespace

Json to_json(const SelfTest& self_test) {
  return {{"reason", self_test.reason},
          {"wall_s", self_test.wall_s},
          {"agreements", to_json(self_test.agreements)}};
}

SelfTest self_test_from(const Reader& reader) {
  SelfTest self_test;
  self_test.reason = reader["reason"].text();
  self_test.wall_s = reader["wall_s"].number();
  self_test.agreements = agreements_from(reader["agreements"]);
  return self_test;
}

Json to_json(const CrossCheck& cross_check) {
  return {{"tool", cross_check.tool},     {"version", cross_check.version},
          {"source", cross_check.source}, {"reason", cross_check.reason},
          {"hint", cross_check.hint},     {"agreements", to_json(cross_check.agreements)}};
}

CrossCheck cross_check_from(const Reader& reader) {
  CrossCheck cross_check;
  cross_check.tool = reader["tool"].text();
  cross_check.version = reader["version"].text();
  cross_check.source = reader["source"].text();
  cross_check.reason = reader["reason"].text();
  cross_check.hint = reader["hint"].text();
  cross_check.agreements = agreements_from(reader["agreements"]);
  return cross_check;
}

}  // namespace rooflinectl::json_fields
