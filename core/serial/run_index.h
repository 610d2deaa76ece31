// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooflinectl {

/// What somebody needs of many runs, as texts in one file in the folder that the runs are below. A run counts
/// as known as long as its file has the same size and time of change; each text has a hash, so that damage
/// costs only the runs that it hit. The file may be deleted at any time.
class RunIndex {
 public:
  /// The file's name.
  static constexpr const char* kFileName = ".rooflinectl-index";
  /// With fewer new or changed runs than this, writing the file costs more than it saves.
  static constexpr std::size_t kFewestNew = 100;

  /// Of a run, each without a line break; `own` may have tabs.
  struct Texts {
    std::string_view shared;  ///< what many runs have in common: in the file only once
    std::string_view own;     ///< what hardly two runs have in common
  };
  /// By which a file is known to be the same.
  struct FileState {
    std::uintmax_t size = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const FileState&) const = default;
  };

  /// Of the runs below `folder`. `version` is that of this program: the index of another is not used.
  RunIndex(std::filesystem::path folder, std::string version);

  /// Whether `file` is below the folder.
  bool covers(const std::filesystem::path& file) const;

  /// Of `file`; nothing if there is none.
  static std::optional<FileState> state_of(const std::filesystem::path& file);

  /// The texts of `file`, valid as long as this is, if they are known of this state of it. Those with the
  /// same `shared` have it at the same place. Threads may call this and `add` at the same time.
  std::optional<Texts> find(const std::filesystem::path& file, const FileState& state);

  /// What `find` is to know the next time. `state`: of `file`, before it was read.
  void add(const std::filesystem::path& file, const FileState& state, Texts texts);

  /// Replaces the file, as a whole, if many runs were not in it; keeps the runs that were found. It stays as
  /// it is if the folder cannot be written to, or if it would be larger than 1 GiB.
  void save() const;

 private:
  struct Shared {
    std::string_view text;
    bool is_intact = false;  ///< whether the hash is its own
  };
  struct Entry {
    FileState state;
    std::string_view shared;  ///< its hash
    std::string_view text;    ///< its fields after the hash
    std::string_view own;     ///< the last of them
    std::string_view hash;
    bool was_found = false;
  };
  /// A run that was not in the file.
  struct NewEntry {
    std::string shared;
    std::string text;  ///< as in `Entry`
  };

  void load();

  std::filesystem::path folder_;
  std::string head_;                                   ///< the first line
  std::string content_;                                ///< of the file
  std::map<std::string_view, Shared> shared_;          ///< by hash
  std::map<std::string, Entry, std::less<>> entries_;  ///< by the path below the folder
  std::vector<NewEntry> new_entries_;
  std::mutex adding_;  ///< of new entries
};

}  // namespace rooflinectl
