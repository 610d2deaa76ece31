// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/machine/catalogue.h"
#include "core/model/run.h"
#include "core/serial/protocol.h"

namespace rooflinectl {

/// `rooflinectl-collector` next to this program, or the one that the environment variable
/// ROOFLINECTL_COLLECTOR names. Nothing if it is not installed.
std::optional<std::filesystem::path> find_collector();

/// Same, but throws CannotMeasure if it is not there.
std::filesystem::path require_collector();

/// What plans can name: the catalogue of the collector, or, without one, the ids that the source tree had,
/// described as far as the shipped recordings allow. Throws Error(environment) if there is a collector that
/// does not answer.
Catalogue load_catalogue();

/// The GPUs that can be measured here. Throws CannotMeasure without a collector, and the collector's error if
/// there is no driver or no GPU.
std::vector<DeviceInfo> load_devices();

/// Whether this machine can measure on a device, index or UUID. Throws CannotMeasure without a collector, and
/// the collector's error if it names no device.
std::vector<Check> load_checks(const std::string& device);

/// Kernels of known work, counted on a device, index or UUID. Throws CannotMeasure without a collector, and
/// the collector's error if there is no such device or there are no counters.
TestedDevice load_self_test(const std::string& device);

/// The bandwidths between devices, given by their UUIDs: places refer to that list. With `counters`, those of
/// NVLink confirm them. Takes longer the more pairs there are; ends when `stop_fd` is readable. Throws
/// CannotMeasure without a collector, and the collector's error if it cannot measure them.
std::vector<LinkBandwidth> load_links(const std::vector<std::string>& uuids, bool counters, int stop_fd);

/// The collectives over devices, likewise. Ends when `stop_fd` is readable. Throws CannotMeasure
/// without a collector, and the collector's error if it cannot measure them, or an error if it hangs.
Collectives load_collectives(const std::vector<std::string>& uuids, bool counters, int stop_fd);

/// The basic counter set on the chip of that name, or, with an empty name, on every chip that CUPTI knows.
/// Throws CannotMeasure without a collector, and the collector's error if CUPTI is missing or knows no such
/// chip.
std::vector<ChipCounters> load_chips(const std::string& chip);

/// Nothing can be measured on this machine: no GPU, no driver, no collector. A recording can take the place
/// of a run.
class CannotMeasure : public Error {
 public:
  using Error::Error;
};

/// The variants and ceilings that the source tree had when this was built, from their files.
extern const std::vector<std::string_view> kVariantIds;
extern const std::vector<std::string_view> kCeilingIds;

/// What stands for every device in a list of them.
inline constexpr const char* kAllDevices = "all";

/// The GPUs of this machine that `selectors` name by index or UUID, each once, in that order; all of them if
/// `selectors` is empty or contains `kAllDevices`. Throws as load_devices(), and Error(usage), which lists
/// the GPUs that are there, if one is not.
std::vector<DeviceInfo> chosen_devices(const std::vector<std::string>& selectors);

/// The devices that a command measures on.
struct DeviceChoice {
  std::vector<DeviceInfo> several;  ///< empty where it is one
  std::string one;                  ///< its index or UUID; empty where they are several
};

/// Those that `selectors`, which is not empty, names. One that is named by index or UUID needs no look at the
/// others, and may turn out not to be there. Throws CannotMeasure where `chosen_devices` throws
/// Error(environment).
DeviceChoice device_choice(const std::vector<std::string>& selectors);

}  // namespace rooflinectl
