// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/run.h"

namespace rooflinectl {

/// Measured ceilings of the user's devices, kept from one run to the next: one file per device, which is a
/// run without points (`run.json`). Nothing that goes wrong here ends a run: it is told to `warn`.
class CeilingCache {
 public:
  using Warn = std::function<void(const std::string&)>;

  /// Without a folder nothing is kept.
  CeilingCache(std::optional<std::filesystem::path> folder, Warn warn)
      : folder_(std::move(folder)), warn_(std::move(warn)) {}

  /// In `$XDG_CACHE_HOME/rooflinectl/ceilings`, else in `~/.cache/rooflinectl/ceilings`; warnings go to
  /// standard error.
  static CeilingCache of_user();

  /// What this version of the tool measured, of every device. Files of another version are left out; damaged
  /// ones, and those of another device than their name says, too, with a warning.
  std::vector<Run> load() const;

  /// Keeps the measured ceilings of `run` under its device, beside those of `load()` that it does not have.
  void store(const Run& run) const;

 private:
  std::filesystem::path file_of(const std::string& uuid) const;

  std::optional<std::filesystem::path> folder_;
  Warn warn_;
};

}  // namespace rooflinectl
