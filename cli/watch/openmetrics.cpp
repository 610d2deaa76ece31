// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "cli/watch/metrics_server.h"
#include "cli/watch/watch_display.h"
#include "core/counters/sampled_metrics.h"

namespace rooflinectl {

namespace {

struct Gauge {
  std::string_view name;
  std::string_view key;  ///< of `sampled`; empty for those that several make
  double scale;          ///< from our unit (bytes/s, shares, hertz, watts) to the gauge's
  std::string_view help;
};

constexpr double kMegahertz = 1e-6;
constexpr std::string_view kDramFraction = "rooflinectl_dram_fraction_of_ceiling";
constexpr std::string_view kBoardPower = "DCGM_FI_DEV_POWER_USAGE";

constexpr std::array kGauges = {
    Gauge{"DCGM_FI_PROF_SM_ACTIVE", sampled::kSmActive, 1,
          "Share of the SMs' cycles with at least one warp (0 to 1)."},
    Gauge{"DCGM_FI_PROF_SM_OCCUPANCY", sampled::kWarps, 1,
          "Resident warps as a share of the most that fit (0 to 1)."},
    Gauge{"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", sampled::kTensorActive, 1,
          "Share of the cycles in which the Tensor Cores worked (0 to 1)."},
    Gauge{"DCGM_FI_PROF_PIPE_FP32_ACTIVE", sampled::kFp32Issued, 1,
          "Instructions of the FP32 pipe as a share of what it can issue (0 to 1)."},
    Gauge{"DCGM_FI_PROF_PIPE_FP64_ACTIVE", sampled::kFp64Active, 1,
          "Share of the cycles in which the FP64 pipe worked (0 to 1)."},
    Gauge{"DCGM_FI_PROF_PCIE_RX_BYTES", sampled::kPcieReadBytes, 1,
          "Bytes per second that the GPU received over PCIe."},
    Gauge{"DCGM_FI_PROF_PCIE_TX_BYTES", sampled::kPcieWriteBytes, 1,
          "Bytes per second that the GPU sent over PCIe."},
    Gauge{"DCGM_FI_PROF_NVLINK_RX_BYTES", sampled::kNvlinkReceivedBytes, 1,
          "Bytes per second that the GPU received over NVLink."},
    Gauge{"DCGM_FI_PROF_NVLINK_TX_BYTES", sampled::kNvlinkSentBytes, 1,
          "Bytes per second that the GPU sent over NVLink."},
    Gauge{"DCGM_FI_DEV_SM_CLOCK", sampled::kSmClockHz, kMegahertz, "Clock of the SMs in MHz."},
    Gauge{kBoardPower, {}, 1, "Power draw of the board in W."},
    Gauge{"rooflinectl_dram_read_bytes_per_second", sampled::kDramReadBytes, 1,
          "Bytes per second read from device memory."},
    Gauge{"rooflinectl_dram_write_bytes_per_second", sampled::kDramWriteBytes, 1,
          "Bytes per second written to device memory."},
    Gauge{kDramFraction, {}, 1, "Device memory traffic as a share of the measured ceiling (0 to 1)."},
    Gauge{"rooflinectl_l2_bytes_per_second", sampled::kL2Bytes, 1, "Bytes per second requested from L2."},
};

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

std::string labels_of(const Run& run, const DeviceInfo& device) {
  return fmt::format(R"(gpu="{}",UUID="GPU-{}",device="nvidia{}",modelName="{}",Hostname="{}")", device.index,
                     escaped(device.uuid.starts_with("GPU-") ? device.uuid.substr(4) : device.uuid),
                     device.index, escaped(device.name), escaped(run.host));
}

std::optional<double> value_of(const Gauge& gauge, const Run& run, std::size_t device,
                               const SampledRates& rates) {
  if (gauge.name == kBoardPower) return rates.watts;
  if (gauge.name == kDramFraction) return dram_fraction_of_ceiling(run, device, rates);
  const auto found = rates.values.find(std::string(gauge.key));
  return found == rates.values.end() ? std::nullopt : std::optional(found->second * gauge.scale);
}

}  // namespace

std::string openmetrics_text(const Run& run, const std::vector<std::optional<SampledRates>>& rates) {
  std::string text;
  for (const Gauge& gauge : kGauges) {
    std::string lines;
    for (std::size_t device = 0; device < rates.size(); ++device) {
      if (!rates[device]) continue;
      const auto value = value_of(gauge, run, device, *rates[device]);
      if (value)
        lines += fmt::format("{}{{{}}} {:.10g}\n", gauge.name, labels_of(run, run.devices[device]), *value);
    }
    if (!lines.empty())
      text += fmt::format("# TYPE {0} gauge\n# HELP {0} {1}\n{2}", gauge.name, gauge.help, lines);
  }
  return text + "# EOF\n";
}

}  // namespace rooflinectl
