// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/model/run.h"
#include "runner/measuring/measure.h"

namespace rooflinectl {

/// Measured ceilings of the user's devices, kept from one run to the next: one file per device, which is a
/// run without points (`run.json`), and one per set of devices over which collectives were measured. Nothing
/// that goes wrong here ends a run: it is reported to `warn`.
class CeilingCache {
 public:
  using Warn = std::function<void(const std::string&)>;

  /// `build` stands for the program that measures: what another one left is neither read nor kept. Without a
  /// folder nothing is kept.
  CeilingCache(std::optional<std::filesystem::path> folder, std::string build, Warn warn)
      : folder_(std::move(folder)), build_(std::move(build)), warn_(std::move(warn)) {}

  /// In `$XDG_CACHE_HOME/rooflinectl/ceilings`, else in `~/.cache/rooflinectl/ceilings`, for this version and
  /// this file of `collector`.
  static CeilingCache of_user(const std::filesystem::path& collector, Warn warn);

  /// What was measured on every device. Damaged files, and those of another device than in their name, are
  /// left out with a warning.
  std::vector<Run> load() const;

  /// Stores the ceilings of `run` under its device, together with those of `load()` that it lacks, if they
  /// were measured at the same clock.
  void store(const Run& run) const;

  /// The collectives over exactly these devices, in any order, with their driver; nothing where none are
  /// known.
  std::optional<Collectives> load_collectives(const std::vector<DeviceInfo>& devices) const;

  /// Stores the collectives of `run`, if there are any, under its devices.
  void store_collectives(const Run& run) const;

 private:
  std::filesystem::path file_of(const std::string& uuid) const;
  std::filesystem::path collectives_file_of(const std::vector<DeviceInfo>& devices) const;
  void write(const std::filesystem::path& file, const Run& run) const;

  std::optional<std::filesystem::path> folder_;
  std::string build_;
  Warn warn_;
};

// Ceilings of several devices in one run.

/// Measures the ceilings of `request.plan` on the device at `place` of `run`, and adds them, and what is
/// known about the device, to the run. Of `request.output` nothing remains but the folder. The result has its
/// own run; where its folder is empty, nothing was added. Throws as measure().
MeasureResult measure_ceilings_into(Run& run, std::size_t place, MeasureRequest request,
                                    const MeasureObserver& observer);

/// The collectives that were measured over exactly these devices before, for runs of programs that use them;
/// nothing where there are none, or no collector.
std::optional<Collectives> known_collectives(const std::vector<DeviceInfo>& devices,
                                             const CeilingCache::Warn& warn);

}  // namespace rooflinectl
