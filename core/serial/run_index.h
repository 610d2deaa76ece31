// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/run.h"

namespace rooflinectl {

/// What comparisons of many runs need of each, in one file in the folder that the runs are below: their parts
/// that are the same in many runs, such as plan, catalogue and ceilings, are there only once, and single
/// samples not at all. A run counts as known as long as its file has the same size and time of change; each
/// entry has a hash, so that damage costs only that entry. The file may be deleted at any time.
class RunIndex {
 public:
  /// The file's name.
  static constexpr const char* kFileName = ".rooflinectl-index";
  /// With fewer new or changed runs than this, writing the file costs more than it saves.
  static constexpr std::size_t kFewestNew = 100;

  /// Of the runs below `folder`. `version` is that of this program: the index of another is not used.
  RunIndex(std::filesystem::path folder, std::string version);

  /// Whether `file` is below the folder.
  bool covers(const std::filesystem::path& file) const;

  /// The run in `file`, which it covers, without samples if it is known. Threads may call this at the same
  /// time. Throws Error(usage) as `read_run`.
  Run read(const std::filesystem::path& file);

  /// Replaces the file, as a whole, if many runs were not in it; keeps the runs that were read. It stays as
  /// it is if the folder cannot be written to, or if it would be larger than 1 GiB.
  void save() const;

 private:
  /// By which a file is known to be the same.
  struct File {
    std::uintmax_t size = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const File&) const = default;
  };
  /// What many runs have in common.
  struct Setting {
    std::string_view text;
    std::once_flag is_parsed;
    Run run;
  };
  struct Entry {
    File file;
    std::string_view setting;  ///< its hash
    std::string_view text;     ///< its fields after the hash
    std::string_view hash;
    bool was_read = false;
  };
  /// A run that was not in the file.
  struct NewEntry {
    std::string setting;
    std::string text;  ///< as in `Entry`
  };

  static std::optional<File> state_of(const std::filesystem::path& file);
  void load();
  std::optional<Run> known_run(const Entry& entry);
  void remember(const std::string& name, const File& file, std::string_view text);

  std::filesystem::path folder_;
  std::string head_;                                   ///< the first line
  std::string content_;                                ///< of the file
  std::map<std::string_view, Setting> settings_;       ///< by hash
  std::map<std::string, Entry, std::less<>> entries_;  ///< by the path below the folder
  std::vector<NewEntry> new_entries_;
  std::mutex adding_;  ///< of new entries
};

}  // namespace rooflinectl
