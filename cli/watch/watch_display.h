// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/roofline/roof.h"
#include "cli/terminal.h"
#include "core/model/run.h"
#include "runner/watching/watch.h"

namespace rooflinectl {

/// Shows on standard output what devices do: on a terminal a table that is rewritten each second, elsewhere a
/// line per second and device.
class WatchDisplay {
 public:
  explicit WatchDisplay(bool is_quiet) : is_quiet_(is_quiet), table_(stdout) {}

  void began(const Run& run);
  void seen(double elapsed_s, const DeviceRates& rates);
  void warned(const std::string& text);

 private:
  /// A quantity over the seconds so far.
  struct Seen {
    double sum = 0;
    double most = 0;
    std::size_t seconds = 0;
  };

  std::vector<std::optional<double>> values_of(std::size_t device, const SampledRates& rates) const;
  std::string table_text(double elapsed_s, const DeviceRates& rates) const;
  std::string line_text(double elapsed_s, std::size_t device, const SampledRates& rates) const;

  const bool is_quiet_;
  LiveTable table_;
  Run run_;
  std::vector<std::vector<Seen>> seen_;  // by device and row
};

/// Bytes per second in each direction; nullopt unless both were sampled.
std::optional<Traffic> dram_rates(const SampledRates& rates);

/// Their sum over the measured DRAM ceiling of the `device`-th device of `run`; nullopt also if that is
/// unknown.
std::optional<double> dram_fraction_of_ceiling(const Run& run, std::size_t device, const SampledRates& rates);

}  // namespace rooflinectl
