// SPDX-License-Identifier: Apache-2.0
#include "core/serial/run_index.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/files/files.h"
#include "core/serial/field_reader.h"
#include "core/serial/fields/run_fields.h"
#include "core/serial/run_file.h"

// Lines of fields with tabs between them:
//   rooflinectl-index  <format>  <version of the program>
//   S  <hash of the rest>  <a run without what is its own, as JSON>
//   R  <hash of the rest>  <hash of its S>  <size>  <changed, ns>  <path>  <what is its own, as JSON>

namespace rooflinectl {

namespace fs = std::filesystem;
using serial::Json;

namespace {

constexpr int kFormat = 1;
constexpr std::size_t kLargest = std::size_t{1} << 30;
constexpr std::string_view kSettingLine = "S";
constexpr std::string_view kRunLine = "R";
constexpr char kTab = '\t';
constexpr int kFieldsBeforeOwn = 4;  // of an R, after its hash

/// What hardly two runs share. The rest is the setting.
constexpr const char* kOwnMembers[] = {"started_utc", "measurements", "application"};
/// What no comparison shows.
constexpr const char* kUnusedMembers[] = {"primitives", "self_test", "cross_checks", "resumed_utc"};

/// Finds damage, and texts that are the same: only this program reads it again.
std::string hash_of(std::string_view text) {
  return fmt::format("{:016x}", std::hash<std::string_view>{}(text));
}

/// Takes what comes before the next `separator`, or all, from `text`.
std::string_view take_field(std::string_view& text, char separator = kTab) {
  const std::size_t end = text.find(separator);
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return field;
}

template <typename Number>
Number number_in(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Removes the samples of a point whose analysis does not need them: in older runs its clock comes from them.
void remove_samples(Json& measurement) {
  if (measurement.contains("launches")) measurement["launches"].erase("over_time");
  if (!measurement.contains("time")) return;
  Json& time = measurement["time"];
  if (!measurement.contains("launches") && !time.contains("sm_clock_hz")) return;
  time["samples_s"] = Json::array();
  time["sample_clocks_hz"] = Json::array();
}

/// Leaves the variants that were measured, and no primitives.
void shrink_catalogue(Json& catalogue, const std::set<std::string>& measured) {
  Json variants = Json::array();
  for (Json& variant : catalogue["variants"]) {
    if (measured.contains(variant["id"].get<std::string>())) variants.push_back(std::move(variant));
  }
  catalogue["variants"] = std::move(variants);
  catalogue.erase("primitives");
}

struct SplitRun {
  std::string setting;
  std::string own;
};

/// `text` of a valid run in two parts.
SplitRun split(std::string_view text, std::string_view name) {
  Json run = serial::parse_object(text, name);
  if (run["schema"] == 1) upgrade_schema1(run);
  run["schema"] = Run::kSchema;
  std::set<std::string> subjects;
  for (Json& measurement : run["measurements"]) {
    remove_samples(measurement);
    measurement.erase("verification");
    subjects.insert(measurement["subject"].get<std::string>());
  }
  Json own = Json::object();
  for (const char* member : kOwnMembers) {
    if (run.contains(member)) own[member] = std::move(run[member]);
    run.erase(member);
  }
  for (const char* member : kUnusedMembers) run.erase(member);
  run["started_utc"] = "";
  run["measurements"] = Json::array();
  run["wall_s"] = 0;
  run["command_line"] = Json::array();
  run["plan"].erase("text_sha256");
  run["plan"]["text"] = "";
  shrink_catalogue(run["catalogue"], subjects);
  run["counter_session"]["metrics"] = Json::object();
  run["counter_session"]["host_setup_s"] = 0;
  run["counter_session"]["collection_s"] = 0;
  return {serial::to_text(run), serial::to_text(own)};
}

/// Whether a name is a field of a line.
bool is_field(std::string_view name) {
  return name.find_first_of("\t\n") == std::string_view::npos;
}

}  // namespace

RunIndex::RunIndex(fs::path folder, std::string version)
    : folder_(std::move(folder)), head_(fmt::format("rooflinectl-index\t{}\t{}\n", kFormat, version)) {
  try {
    content_ = read_file(folder_ / kFileName, kLargest);
  } catch (const Error&) {  // there is none
    return;
  }
  load();
}

void RunIndex::load() {
  if (!content_.starts_with(head_)) return;
  std::string_view rest = std::string_view(content_).substr(head_.size());
  while (!rest.empty()) {
    std::string_view line = take_field(rest, '\n');
    const std::string_view kind = take_field(line);
    const std::string_view hash = take_field(line);
    if (kind == kSettingLine) settings_[hash].text = line;
    if (kind != kRunLine) continue;
    Entry entry{.text = line, .hash = hash};
    entry.setting = take_field(line);
    entry.file.size = number_in<std::uintmax_t>(take_field(line));
    entry.file.changed_ns = number_in<std::int64_t>(take_field(line));
    entries_.insert_or_assign(std::string(take_field(line)), entry);
  }
}

std::optional<RunIndex::File> RunIndex::state_of(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) return std::nullopt;
  const auto changed = fs::last_write_time(file, error).time_since_epoch();
  if (error) return std::nullopt;
  return File{size, std::chrono::duration_cast<std::chrono::nanoseconds>(changed).count()};
}

std::optional<Run> RunIndex::known_run(const Entry& entry) {
  const auto found = settings_.find(entry.setting);
  if (found == settings_.end() || hash_of(entry.text) != entry.hash) return std::nullopt;
  auto& [hash, setting] = *found;
  std::string_view own = entry.text;
  for (int field = 0; field < kFieldsBeforeOwn; ++field) take_field(own);
  try {
    std::call_once(setting.is_parsed, [&, &hash = hash, &setting = setting] {
      if (hash_of(setting.text) != hash) throw Error(ErrorKind::usage, "damaged");
      setting.run = run_from_json(setting.text, kFileName);
    });
    const Json document = serial::parse_object(own, kFileName);
    const serial::Reader reader(document, kFileName);
    Run run = setting.run;
    serial::FieldReader fields(reader);
    fields("started_utc", run.started_utc);
    fields("measurements", run.measurements);
    fields.optional("application", run.application);
    return run;
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool RunIndex::covers(const fs::path& file) const {
  const fs::path below = file.lexically_relative(folder_);
  return below.has_parent_path() && *below.begin() != "..";
}

Run RunIndex::read(const fs::path& file) {
  const std::string name = file.lexically_relative(folder_).string();
  const std::optional<File> state = state_of(file);
  const auto known = entries_.find(name);
  if (state && known != entries_.end() && known->second.file == *state) {
    if (std::optional<Run> run = known_run(known->second)) {
      known->second.was_read = true;
      return std::move(*run);
    }
  }
  const std::string text = run_text(file);
  Run run = run_from_json(text, file.string());
  if (state && is_field(name)) remember(name, *state, text);
  return run;
}

void RunIndex::remember(const std::string& name, const File& file, std::string_view text) {
  SplitRun run = split(text, name);
  std::string line =
      fmt::format("{}\t{}\t{}\t{}\t{}", hash_of(run.setting), file.size, file.changed_ns, name, run.own);
  const std::lock_guard lock(adding_);
  new_entries_.push_back({std::move(run.setting), std::move(line)});
}

void RunIndex::save() const {
  if (new_entries_.size() < kFewestNew) return;
  std::string content = head_;
  std::set<std::string_view> written;
  const auto add_setting = [&](std::string_view hash, std::string_view text) {
    if (written.insert(hash).second) content += fmt::format("{}\t{}\t{}\n", kSettingLine, hash, text);
  };
  const auto add_run = [&](std::string_view hash, std::string_view text) {
    content += fmt::format("{}\t{}\t{}\n", kRunLine, hash, text);
  };
  for (const auto& [name, entry] : entries_) {
    if (!entry.was_read) continue;
    add_setting(entry.setting, settings_.at(entry.setting).text);
    add_run(entry.hash, entry.text);
  }
  for (const NewEntry& entry : new_entries_) {
    std::string_view text = entry.text;
    add_setting(take_field(text), entry.setting);
    add_run(hash_of(entry.text), entry.text);
  }
  if (content.size() > kLargest) return;  // it could not be read
  try {
    write_file(folder_ / kFileName, content);
  } catch (const Error&) {  // the folder is only readable
  }
}

}  // namespace rooflinectl
