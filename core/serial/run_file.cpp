// SPDX-License-Identifier: Apache-2.0
#include "core/serial/run_file.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>

#include "core/error.h"
#include "core/files/compression.h"
#include "core/files/files.h"
#include "core/serial/field_reader.h"
#include "core/serial/field_writer.h"
#include "core/serial/fields/run_fields.h"

namespace rooflinectl {

namespace fs = std::filesystem;

fs::path run_file(const fs::path& run) {
  std::error_code unknown;  // reported when it is read
  if (!fs::is_directory(run, unknown)) return run;
  const fs::path plain = run / "run.json";
  const fs::path compressed = run / "run.json.gz";
  return !fs::exists(plain, unknown) && fs::exists(compressed, unknown) ? compressed : plain;
}

std::vector<fs::path> run_files(const std::vector<std::string>& runs) {
  std::vector<fs::path> files;
  for (const std::string& run : runs) files.push_back(run_file(run));
  return files;
}

std::string run_text(const fs::path& file) {
  std::string content = read_file(file);
  return is_gzipped(content) ? gunzipped(content, file.string(), kMaxFileBytes) : content;
}

Run read_run(const fs::path& file) {
  return run_from_json(run_text(file), file.string());
}

Run read_run_without_details(const fs::path& file) {
  static const std::set<std::string_view> details = {"counters", "counter_repeats", "counter_spread",
                                                     "over_time", "samples_s"};
  return run_from_json(serial::emptied(run_text(file), details), file.string());
}

void write_run(const fs::path& file, const Run& run) {
  const std::string text = run_to_json(run);
  write_file(file, file.extension() == ".gz" ? gzipped(text) : text);
}

Run as_written(const Run& run) {
  return run_from_json(run_to_json(run), "run.json");
}

using serial::Json;
using serial::Reader;

namespace {

constexpr const char* kRunFormat = "rooflinectl-run";

/// The document's schema. Throws Error(usage) if it is not a run, or is of a schema that is not known here.
int check_format(const Reader& document, std::string_view name) {
  if (!document.has("format") || document["format"].text() != kRunFormat) {
    throw Error(ErrorKind::usage, fmt::format("{}: not a rooflinectl run", name),
                "pass the run.json that `rooflinectl run` wrote");
  }
  const int schema = document["schema"].small_integer(0);
  if (schema > Run::kSchema) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: has schema {}, but this rooflinectl reads only up to {}", name, schema,
                            Run::kSchema),
                "use the rooflinectl version that wrote it, or a newer one");
  }
  if (schema < 1) document["schema"].fail("unknown schema");
  return schema;
}

/// Throws Error(usage) if one of `entries`, the list `key`, names a device that the run does not have.
template <typename Entry>
void check_devices(const Reader& document, const char* key, const std::vector<Entry>& entries,
                   const Run& run) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].device < run.devices.size()) continue;
    document.fail_at(fmt::format("the run has {} devices", run.devices.size()), key, i, "device");
  }
}

/// Throws Error(usage) if a link is invalid, or has neither a value nor a reason.
void check_links(const Reader& document, const Run& run) {
  for (std::size_t i = 0; i < run.links.size(); ++i) {
    const auto mistake = mistake_in(run.links[i], run.devices.size());
    if (mistake) document.fail_at(mistake->problem, "links", i, mistake->member);
  }
}

/// Throws Error(usage) if there are collectives that have neither times nor a reason, or both.
void check_collectives(const Reader& document, const Run& run) {
  const auto mistake = run.collectives ? mistake_in(*run.collectives) : std::nullopt;
  if (!mistake) return;
  if (!mistake->place) document.fail_at(mistake->problem, "collectives", mistake->member);
  document.fail_at(mistake->problem, "collectives", "times", *mistake->place, mistake->member);
}

/// Throws Error(usage) if a process names a host, a device or a collective that is not there.
void check_processes(const Reader& document, const Run& run) {
  if (!run.application) return;
  const Application& application = *run.application;
  const auto check = [&](std::size_t place, std::size_t count, std::string_view what, auto... path) {
    if (place < count) return;
    document.fail_at(fmt::format("the run has {} {}", count, what), "application", "processes", path...);
  };
  for (std::size_t i = 0; i < application.processes.size(); ++i) {
    const ProgramProcess& process = application.processes[i];
    // An older run, written again, has none.
    check(process.host, std::max<std::size_t>(application.hosts.size(), 1), "hosts", i, "host");
    for (std::size_t d = 0; d < process.devices.size(); ++d) {
      check(process.devices[d], run.devices.size(), "devices", i, "devices", d);
    }
    for (std::size_t c = 0; c < process.collectives.size(); ++c) {
      check(process.collectives[c].kernel, application.collectives.size(), "collectives", i, "collectives", c,
            std::size_t{0});
    }
  }
}

/// A run has the hash of its plan, by which others can tell which file it was.
void check_hash(const Reader& plan) {
  if (!plan.has("text_sha256")) return;
  if (plan["text_sha256"].text() == sha256(plan["text"].text())) return;
  plan["text"].fail("does not match text_sha256: this is not the text that was measured");
}

/// `key_of` returns what identifies an entry of the list `member` of `parent`.
template <typename T, typename KeyOf>
void refuse_in_list(const Reader& parent, std::string_view member, const std::vector<T>& entries,
                    KeyOf key_of) {
  std::map<decltype(key_of(entries.front())), std::size_t> places;
  for (std::size_t place = 0; place < entries.size(); ++place) {
    const std::size_t first = places.try_emplace(key_of(entries[place]), place).first->second;
    if (first == place) continue;
    parent.fail_at(fmt::format("a duplicate of entry {}", first), member, place);
  }
}

/// Where one process cannot be named, runs that were merged may have the same point: it differs in its time.
double time_that_identifies(const Measurement& measurement) {
  return measurement.launches && !measurement.process ? measurement.launches->total_s : 0;
}

void refuse_in_plan(const Reader& plan, const Plan& read) {
  refuse_in_list(plan, "experiments", read.experiments,
                 [](const Experiment& experiment) { return std::string_view(experiment.name); });
  const Reader experiments = plan["experiments"];
  for (std::size_t i = 0; i < read.experiments.size(); ++i) {
    refuse_in_list(experiments[i], "points", read.experiments[i].points,
                   [](const PointId& point) { return std::tie(point.subject, point.axes); });
  }
}

/// Throws Error(usage) naming both places if `run`, which `document` holds, has something twice that it can
/// have only once: it would be counted twice.
void refuse_duplicates(const Reader& document, const Run& run) {
  // A device that did not introduce itself has no UUID; there may be several.
  std::size_t unknown = 0;
  refuse_in_list(document, "devices", run.devices, [&](const DeviceInfo& device) {
    return std::tuple(std::string_view(device.uuid), device.host, device.uuid.empty() ? ++unknown : 0);
  });
  const Reader plan = document["plan"];
  refuse_in_plan(plan, run.plan);
  refuse_in_list(document, "ceilings", run.ceilings,
                 [](const Ceiling& ceiling) { return std::tie(ceiling.id, ceiling.source, ceiling.device); });
  refuse_in_list(document, "links", run.links, [](const LinkBandwidth& link) {
    return std::tie(link.from, link.to, link.mover, link.both_ways);
  });
  refuse_in_list(document, "measurements", run.measurements, [](const Measurement& measurement) {
    const PointId& point = measurement.point;
    return std::tuple_cat(std::tie(point.experiment, point.subject, point.axes, measurement.device,
                                   measurement.rank, measurement.process),
                          std::tuple(time_that_identifies(measurement)));
  });
  refuse_in_list(document, "primitives", run.primitives,
                 [](const PrimitiveResult& result) { return std::tie(result.info.id, result.device); });
  refuse_in_list(document, "cross_checks", run.cross_checks,
                 [](const CrossCheck& check) { return check.tool; });
}

}  // namespace

std::string run_to_json(const Run& run) {
  Json value = {{"format", kRunFormat}, {"schema", Run::kSchema}};
  serial::FieldWriter writer(value);
  fields(writer, run);
  value["plan"]["text_sha256"] = sha256(run.plan.text);
  return serial::to_lines(value);
}

Run run_from_json(std::string_view text, std::string_view name) {
  Json value = serial::parse_object(text, name);
  const Reader document(value, name);
  if (check_format(document, name) == 1) upgrade_schema1(value);
  Run run = serial::read<Run>(document);
  check_devices(document, "ceilings", run.ceilings, run);
  check_devices(document, "measurements", run.measurements, run);
  check_devices(document, "primitives", run.primitives, run);
  check_links(document, run);
  check_collectives(document, run);
  check_processes(document, run);
  refuse_duplicates(document, run);
  const Reader plan = document["plan"];
  check_hash(plan);
  return run;
}

namespace {

/// Those of all runs below `folder`, sorted.
std::vector<fs::path> run_files_in(const fs::path& folder) {
  constexpr const char* kHint = "name runs, or a folder that has some, such as the one given with --output";
  std::error_code error;
  std::vector<fs::path> files;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code unknown;
    const bool is_folder = entry->is_directory(unknown) && !entry->is_symlink(unknown);
    if (is_folder && fs::exists(run_file(entry->path()), unknown)) files.push_back(run_file(entry->path()));
  }
  if (error) {
    throw Error(ErrorKind::usage, fmt::format("{}: cannot be read: {}", folder.string(), error.message()));
  }
  if (files.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{}: no run is below this folder", folder.string()), kHint);
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<fs::path> different_run_files(const std::vector<fs::path>& runs) {
  std::vector<fs::path> files;
  std::set<fs::path> known;
  for (const fs::path& run : runs) {
    std::error_code error;
    const fs::path file = run_file(run);
    const fs::path real = fs::canonical(file, error);
    if (error || known.insert(real).second) files.push_back(file);
  }
  return files;
}

std::vector<fs::path> run_files_below(const std::vector<std::string>& names) {
  std::vector<fs::path> files;
  for (const std::string& name : names) {
    std::error_code unknown;
    const fs::path file = run_file(name);
    if (!fs::is_directory(name, unknown) || fs::exists(file, unknown)) {
      files.push_back(file);
    } else {
      const std::vector<fs::path> below = run_files_in(name);
      files.insert(files.end(), below.begin(), below.end());
    }
  }
  return different_run_files(files);
}

}  // namespace rooflinectl
