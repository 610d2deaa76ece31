// SPDX-License-Identifier: Apache-2.0
#include "cli/watch/watch_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/counters/metrics.h"
#include "reports/text/format.h"
#include "reports/text/text_table.h"

namespace rooflinectl {

namespace {

std::string gigabytes_text(double bytes) {
  return bytes < 1e6 ? "0" : format::gigabytes(bytes);
}

std::string whole_text(double value) {
  return fmt::format("{:.0f}", value);
}

std::string megahertz_text(double hertz) {
  return whole_text(hertz / 1e6);
}

struct Row {
  std::string_view title;
  std::string_view key;  ///< empty for what is made of several
  std::string (*text)(double value);
  bool is_in_line = true;  ///< where there is a line per device

  std::string text_of(const std::optional<double>& value) const {
    return value ? text(*value) : std::string(format::kUnavailable);
  }
};

constexpr std::string_view kDram = "DRAM, GB/s";
constexpr std::string_view kDramOfCeiling = "DRAM, % of ceiling";
constexpr std::string_view kPower = "power, W";

constexpr std::array kRows = {
    Row{kDram, {}, gigabytes_text},
    Row{kDramOfCeiling, {}, format::whole_percent},
    Row{"L2, GB/s", sampled::kL2Bytes, gigabytes_text, false},
    Row{"Tensor Cores", sampled::kTensorActive, format::whole_percent},
    Row{"FP32 pipe", sampled::kFp32Issued, format::whole_percent},
    Row{"FP64 pipe", sampled::kFp64Active, format::whole_percent},
    Row{"SMs active", sampled::kSmActive, format::whole_percent},
    Row{"warps", sampled::kWarps, format::whole_percent, false},
    Row{"PCIe in, GB/s", sampled::kPcieReadBytes, gigabytes_text, false},
    Row{"PCIe out, GB/s", sampled::kPcieWriteBytes, gigabytes_text, false},
    Row{"NVLink in, GB/s", sampled::kNvlinkReceivedBytes, gigabytes_text},
    Row{"NVLink out, GB/s", sampled::kNvlinkSentBytes, gigabytes_text},
    Row{"SM clock, MHz", sampled::kSmClockHz, megahertz_text},
    Row{kPower, {}, whole_text},
};

}  // namespace

void WatchDisplay::began(const Run& run) {
  run_ = run;
  seen_.assign(run.devices.size(), std::vector<Seen>(kRows.size()));
  if (is_quiet_) return;
  for (const DeviceInfo& device : run.devices) {
    terminal::print("GPU {}: {}, {}\n", device.index, device.name, device.uuid);
  }
  if (run.ceilings.empty()) {
    terminal::print(
        "No ceilings are known here: `rooflinectl ceilings` measures them, once, while nobody else "
        "uses the GPU.\n");
  }
  terminal::print("Ctrl-C stops sampling and writes the report.\n\n");
  terminal::flush(stdout);
}

void WatchDisplay::seen(double elapsed_s, const DeviceRates& rates) {
  for (std::size_t device = 0; device < rates.size(); ++device) {
    if (!rates[device]) continue;
    const auto values = values_of(device, *rates[device]);
    for (std::size_t row = 0; row < kRows.size(); ++row) {
      if (!values[row]) continue;
      Seen& seen = seen_[device][row];
      seen.sum += *values[row];
      seen.most = std::max(seen.most, *values[row]);
      ++seen.seconds;
    }
  }
  if (is_quiet_) return;
  if (table_.is_terminal()) return table_.show(table_text(elapsed_s, rates));
  for (std::size_t device = 0; device < rates.size(); ++device) {
    if (rates[device]) terminal::print("{}\n", line_text(elapsed_s, device, *rates[device]));
  }
  terminal::flush(stdout);
}

void WatchDisplay::warned(const std::string& text) {
  table_.keep();
  terminal::print(stderr, "{}\n", text);
}

/// In the order of the rows.
std::vector<std::optional<double>> WatchDisplay::values_of(std::size_t device,
                                                           const SampledRates& rates) const {
  std::vector<std::optional<double>> values;
  for (const Row& row : kRows) {
    std::optional<double>& value = values.emplace_back();
    if (!row.key.empty()) {
      value = rates.value(row.key);
    } else if (row.title == kPower) {
      value = rates.watts;
    } else if (row.title == kDramOfCeiling) {
      value = dram_fraction_of_ceiling(run_, device, rates);
    } else if (const auto traffic = dram_rates(rates)) {
      value = traffic->bytes();
    }
  }
  return values;
}

/// A column per device; of a single one also what it did on average, and at most.
std::string WatchDisplay::table_text(double elapsed_s, const DeviceRates& rates) const {
  const bool is_single = rates.size() == 1;
  std::vector<std::vector<std::optional<double>>> now;
  for (std::size_t device = 0; device < rates.size(); ++device) {
    now.push_back(rates[device] ? values_of(device, *rates[device])
                                : std::vector<std::optional<double>>(kRows.size()));
  }
  Table table = {.columns = {{fmt::format("{:.0f} s", elapsed_s)}}};
  if (is_single) {
    for (const char* heading : {"now", "mean", "busiest second"}) table.columns.push_back({heading, true});
  } else {
    for (const DeviceInfo& device : run_.devices) {
      table.columns.push_back({fmt::format("GPU {}", device.index), true});
    }
  }
  for (std::size_t row = 0; row < kRows.size(); ++row) {
    const bool is_known =
        std::ranges::any_of(seen_, [&](const auto& device) { return device[row].seconds > 0; });
    if (!is_known) continue;
    std::vector<std::string>& cells = table.rows.emplace_back(1, std::string(kRows[row].title));
    for (const auto& device : now) cells.push_back(kRows[row].text_of(device[row]));
    if (!is_single) continue;
    const Seen& seen = seen_[0][row];
    cells.push_back(kRows[row].text(seen.sum / static_cast<double>(seen.seconds)));
    cells.push_back(kRows[row].text(seen.most));
  }
  return text_table(table, static_cast<std::size_t>(columns_of(stdout)) - 1);
}

std::string WatchDisplay::line_text(double elapsed_s, std::size_t device, const SampledRates& rates) const {
  std::string text = fmt::format("{:5.0f} s  GPU {}", elapsed_s, run_.devices[device].index);
  const auto values = values_of(device, rates);
  for (std::size_t row = 0; row < kRows.size(); ++row) {
    if (values[row] && kRows[row].is_in_line) {
      text += fmt::format("  {} {}", kRows[row].title, kRows[row].text(*values[row]));
    }
  }
  return text;
}

std::optional<Traffic> dram_rates(const SampledRates& rates) {
  const auto read = rates.value(sampled::kDramReadBytes);
  const auto written = rates.value(sampled::kDramWriteBytes);
  return read && written ? std::optional(Traffic{*read, *written}) : std::nullopt;
}

std::optional<double> dram_fraction_of_ceiling(const Run& run, std::size_t device,
                                               const SampledRates& rates) {
  const auto traffic = dram_rates(rates);
  if (!traffic) return std::nullopt;
  const auto limit = dram_limit(run, device, *traffic);
  return limit ? std::optional(traffic->bytes() / limit->per_s) : std::nullopt;
}

}  // namespace rooflinectl
