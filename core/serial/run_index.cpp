// SPDX-License-Identifier: Apache-2.0
#include "core/serial/run_index.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/files/files.h"
#include "core/text/names.h"
#include "core/text/written_number.h"

// Lines of fields with tabs between them:
//   rooflinectl-index  <format>  <version of the program>
//   S  <hash of the rest>  <shared text>
//   R  <hash of the rest>  <hash of its S>  <size>  <changed, ns>  <path>  <own text>

namespace rooflinectl {

namespace fs = std::filesystem;

namespace {

constexpr int kFormat = 2;
constexpr std::size_t kLargest = std::size_t{1} << 30;
constexpr std::string_view kSharedLine = "S";
constexpr std::string_view kRunLine = "R";
constexpr char kTab = '\t';

/// Finds damage, and texts that are the same: only this program reads it again.
std::string hash_of(std::string_view text) {
  return fmt::format("{:016x}", std::hash<std::string_view>{}(text));
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
    const std::string_view kind = take_field(line, kTab);
    const std::string_view hash = take_field(line, kTab);
    if (kind == kSharedLine) shared_[hash] = {line, hash_of(line) == hash};
    if (kind != kRunLine) continue;
    Entry entry{.text = line, .hash = hash};
    entry.shared = take_field(line, kTab);
    entry.state.size = parse_number<std::uintmax_t>(take_field(line, kTab)).value_or(0);
    entry.state.changed_ns = parse_number<std::int64_t>(take_field(line, kTab)).value_or(0);
    std::string name(take_field(line, kTab));
    entry.own = line;
    entries_.insert_or_assign(std::move(name), entry);
  }
}

std::optional<RunIndex::FileState> RunIndex::state_of(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) return std::nullopt;
  const auto changed = fs::last_write_time(file, error).time_since_epoch();
  if (error) return std::nullopt;
  return FileState{size, std::chrono::duration_cast<std::chrono::nanoseconds>(changed).count()};
}

bool RunIndex::covers(const fs::path& file) const {
  const fs::path below = file.lexically_relative(folder_);
  return below.has_parent_path() && *below.begin() != "..";
}

std::optional<RunIndex::Texts> RunIndex::find(const fs::path& file, const FileState& state) {
  const auto known = entries_.find(file.lexically_relative(folder_).string());
  if (known == entries_.end() || known->second.state != state) return std::nullopt;
  Entry& entry = known->second;
  const auto shared = shared_.find(entry.shared);
  if (shared == shared_.end() || !shared->second.is_intact || hash_of(entry.text) != entry.hash) {
    return std::nullopt;
  }
  entry.was_found = true;
  return Texts{shared->second.text, entry.own};
}

void RunIndex::add(const fs::path& file, const FileState& state, Texts texts) {
  const std::string name = file.lexically_relative(folder_).string();
  if (!is_field(name)) return;
  std::string line =
      fmt::format("{}\t{}\t{}\t{}\t{}", hash_of(texts.shared), state.size, state.changed_ns, name, texts.own);
  const std::lock_guard lock(adding_);
  new_entries_.push_back({std::string(texts.shared), std::move(line)});
}

void RunIndex::save() const {
  if (new_entries_.size() < kFewestNew) return;
  std::string content = head_;
  std::set<std::string_view> written;
  const auto add_shared = [&](std::string_view hash, std::string_view text) {
    if (written.insert(hash).second) content += fmt::format("{}\t{}\t{}\n", kSharedLine, hash, text);
  };
  const auto add_run = [&](std::string_view hash, std::string_view text) {
    content += fmt::format("{}\t{}\t{}\n", kRunLine, hash, text);
  };
  for (const auto& [name, entry] : entries_) {
    if (!entry.was_found) continue;
    add_shared(entry.shared, shared_.at(entry.shared).text);
    add_run(entry.hash, entry.text);
  }
  for (const NewEntry& entry : new_entries_) {
    std::string_view text = entry.text;
    add_shared(take_field(text, kTab), entry.shared);
    add_run(hash_of(entry.text), entry.text);
  }
  if (content.size() > kLargest) return;  // it could not be read
  try {
    write_file(folder_ / kFileName, content);
  } catch (const Error&) {  // the folder is only readable
  }
}

}  // namespace rooflinectl
