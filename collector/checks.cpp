// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "collector/ceilings/ceilings.h"
#include "collector/collector.h"
#include "collector/cupti/profiler.h"
#include "collector/device/device.h"
#include "collector/device/instruments.h"
#include "collector/device/libraries.h"
#include "core/error.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

constexpr double kBytesPerGibibyte = 1024.0 * 1024 * 1024;
/// If less than this part of the memory is free, other programs are using the device heavily.
constexpr double kMuchFree = 0.9;
constexpr unsigned kHotCelsius = 85;

Check failing(std::string subject, const Error& error, bool stops_measuring) {
  return {std::move(subject), CheckStatus::fails, error.what(), error.hint(), stops_measuring};
}

Check driver_check(const DeviceInfo& device) {
  return {"driver", CheckStatus::ok,
          fmt::format("{}, for CUDA up to {}.{}; this program was built with CUDA {}.{}",
                      device.driver_version.empty() ? "unknown version" : device.driver_version,
                      device.cuda_driver_version / 1000, device.cuda_driver_version % 1000 / 10,
                      device.cuda_runtime_version / 1000, device.cuda_runtime_version % 1000 / 10)};
}

Check gpu_check(const DeviceInfo& device) {
  return {"gpu", CheckStatus::ok,
          fmt::format("{} {}, compute capability {}.{}, {} SMs, ECC {}", device.index, device.name,
                      device.compute_capability / 10, device.compute_capability % 10, device.sm_count,
                      device.ecc_enabled ? "on" : "off")};
}

/// Whether the program has machine code, or PTX, for this GPU.
Check kernels_check(const Stream& stream) {
  try {
    enqueue_delay(1, stream);
    stream.synchronize();
    return {"kernels", CheckStatus::ok, "this build has code for this GPU"};
  } catch (const Error& error) {
    return failing("kernels", error, true);
  }
}

Check memory_check() {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  kernels::check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const std::string detail =
      fmt::format("{:.1f} of {:.1f} GiB free", static_cast<double>(free_bytes) / kBytesPerGibibyte,
                  static_cast<double>(total_bytes) / kBytesPerGibibyte);
  if (static_cast<double>(free_bytes) >= kMuchFree * static_cast<double>(total_bytes)) {
    return {"memory", CheckStatus::ok, detail};
  }
  return {"memory", CheckStatus::warning, detail,
          "nvidia-smi lists the other processes; they would disturb the times"};
}

/// One empty kernel, counted: any obstacle shows here.
Check counters_check(const DeviceInfo& device, const Stream& stream) {
  try {
    const std::unique_ptr<Profiler> profiler = open_profiler(device.index, basic_metrics());
    const CountedRange range{[] {},
                             [&] {
                               enqueue_delay(1, stream);
                               stream.synchronize();
                             }};
    profiler->count({range});
    return {"counters", CheckStatus::ok,
            fmt::format("{} in {} passes; CUPTI API {} ({})", profiler->chip(), profiler->passes(),
                        profiler->version(), path_of_loaded_library("libcupti.so.13"))};
  } catch (const Error& error) {
    Check check = failing("counters", error, false);
    const std::string cupti = path_of_loaded_library("libcupti.so.13");
    if (!cupti.empty()) check.detail += fmt::format(" (CUPTI: {})", cupti);
    return check;
  }
}

Check matrix_library_check() {
  if (const auto library = load_matrix_library())
    return {"cublaslt", CheckStatus::ok, library->description()};
  return {"cublaslt", CheckStatus::warning,
          "not found: Tensor Core ceilings use our own kernel, which is slower",
          "install the CUDA 13 toolkit's libcublas, or set CUDA_HOME to its folder"};
}

/// Warns of a setting that is not as it should be.
Check switch_check(const char* subject, const std::optional<bool>& value, bool good, const char* warning,
                   const char* fix) {
  if (value && *value != good) return {subject, CheckStatus::warning, warning, fix};
  return {subject, CheckStatus::ok, !value ? "unknown" : *value ? "on" : "off"};
}

Check persistence_check(const DeviceSettings& settings) {
  return switch_check("persistence", settings.persistence_mode, true,
                      "off: the driver reinitialises the GPU for every new process, which takes seconds",
                      "sudo nvidia-smi --persistence-mode=1");
}

Check mig_check(const DeviceSettings& settings) {
  return switch_check(
      "mig", settings.mig_mode, false, "on: an instance has only part of the GPU and of its ceilings",
      "sudo nvidia-smi --multi-instance-gpu=0, or use an instance with its own compute instance");
}

Check clock_check(const DeviceState& state) {
  const DeviceSettings& settings = state.settings;
  const auto megahertz = [](double hz) { return hz / 1e6; };
  const std::string now =
      state.sm_clock_mhz ? fmt::format("SM at {} MHz now", *state.sm_clock_mhz) : "unknown";
  if (!settings.max_sm_clock_hz) return {"clocks", CheckStatus::ok, now};
  const std::string detail = fmt::format("{}, {:.0f} MHz maximum", now, megahertz(*settings.max_sm_clock_hz));
  // Some GPUs have a default below the maximum.
  const double usual_hz = state.default_application_sm_clock_hz.value_or(*settings.max_sm_clock_hz);
  const bool is_limited = settings.application_sm_clock_hz && *settings.application_sm_clock_hz < usual_hz;
  if (!is_limited) return {"clocks", CheckStatus::ok, detail};
  return {"clocks", CheckStatus::warning,
          fmt::format("{}; application clock set to {:.0f} MHz", detail,
                      megahertz(*settings.application_sm_clock_hz)),
          "sudo nvidia-smi --reset-applications-clocks"};
}

Check throttle_check(const DeviceState& state) {
  const std::string temperature =
      state.temperature_c ? fmt::format(", {} °C", *state.temperature_c) : std::string();
  if (!state.throttle_reasons) return {"throttling", CheckStatus::ok, "unknown" + temperature};
  if (!state.throttle_reasons->empty()) {
    return {"throttling", CheckStatus::warning,
            fmt::format("now, by {}{}", fmt::join(*state.throttle_reasons, ", "), temperature),
            "nvidia-smi --query --display=PERFORMANCE; wait until the GPU has cooled down or other processes "
            "have finished"};
  }
  const bool is_hot = state.temperature_c.value_or(0) >= kHotCelsius;
  return {"throttling", is_hot ? CheckStatus::warning : CheckStatus::ok, "none now" + temperature,
          is_hot ? "it will lower its clock soon: check its cooling" : ""};
}

Check power_check(const DeviceSettings& settings) {
  if (!settings.power_limit_w || !settings.default_power_limit_w)
    return {"power", CheckStatus::ok, "limit unknown"};
  const std::string detail = fmt::format("limit {:.0f} W, default {:.0f} W", *settings.power_limit_w,
                                         *settings.default_power_limit_w);
  if (*settings.power_limit_w >= *settings.default_power_limit_w) return {"power", CheckStatus::ok, detail};
  return {"power", CheckStatus::warning, detail,
          fmt::format("sudo nvidia-smi --power-limit={:.0f}", *settings.default_power_limit_w)};
}

Check processes_check(const DeviceState& state) {
  if (!state.compute_processes) return {kOtherProgramsCheck, CheckStatus::ok, "unknown"};
  if (*state.compute_processes <= 1) return {kOtherProgramsCheck, CheckStatus::ok, "none on this GPU"};
  return {kOtherProgramsCheck, CheckStatus::warning,
          fmt::format("{} on this GPU", *state.compute_processes - 1),
          "nvidia-smi lists them; they would disturb the times"};
}

Check ecc_check(const DeviceInfo& device, const DeviceState& state) {
  const std::string detail = device.ecc_enabled ? "on" : "off";
  if (!state.uncorrected_ecc_errors) {
    return {"ecc", CheckStatus::ok, device.ecc_enabled ? "on; errors unknown" : detail};
  }
  if (*state.uncorrected_ecc_errors == 0) return {"ecc", CheckStatus::ok, detail};
  return {"ecc", CheckStatus::warning,
          fmt::format("{}; {} uncorrected errors since the driver was loaded", detail,
                      *state.uncorrected_ecc_errors),
          "nvidia-smi --query --display=ECC; if the number grows, have the GPU checked"};
}

Check virtual_check(const DeviceState& state) {
  return switch_check("vgpu", state.is_virtual, false,
                      "yes: other virtual machines share this GPU and disturb the times",
                      "use a passed-through or bare-metal GPU; counters need permission from the host");
}

Check confidential_check(const DeviceState& state) {
  return switch_check("confidential", state.confidential_computing, false,
                      "confidential computing is on: counters are not available",
                      "turn it off, or use its developer mode");
}

}  // namespace

std::vector<Check> state_checks(const DeviceInfo& device, const DeviceState& state) {
  return {persistence_check(state.settings),
          mig_check(state.settings),
          virtual_check(state),
          confidential_check(state),
          ecc_check(device, state),
          clock_check(state),
          throttle_check(state),
          power_check(state.settings),
          processes_check(state)};
}

std::vector<Check> check_machine(const std::string& selector) {
  std::vector<Check> checks;
  DeviceInfo device;
  try {
    device = select_device(selector);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) throw;
    return {failing("driver", error, true)};
  }
  checks.push_back(driver_check(device));
  checks.push_back(gpu_check(device));
  try {
    const Stream stream;
    checks.push_back(kernels_check(stream));
    if (checks.back().status == CheckStatus::fails) return checks;
    checks.push_back(memory_check());
    checks.push_back(counters_check(device, stream));
  } catch (const Error& error) {
    checks.push_back(failing("gpu", error, true));
    return checks;
  }
  checks.push_back(matrix_library_check());
  if (const auto state = device_state(device.uuid)) {
    const std::vector<Check> of_state = state_checks(device, *state);
    checks.insert(checks.end(), of_state.begin(), of_state.end());
  } else {
    checks.push_back(
        {"state", CheckStatus::warning, "libnvidia-ml.so.1 has no information on this GPU",
         "in a container, expose the driver's utilities (NVIDIA_DRIVER_CAPABILITIES=compute,utility)"});
  }
  return checks;
}

}  // namespace rooflinectl
