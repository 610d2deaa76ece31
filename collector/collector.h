// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "collector/device/nvml.h"
#include "core/machine/catalogue.h"
#include "core/model/run.h"
#include "core/program/profile_record.h"
#include "core/serial/protocol.h"

namespace rooflinectl {

/// The ids that plans can name: every variant and every ceiling linked into this program. Needs no GPU.
Catalogue linked_catalogue();

/// Counts kernels of known work on the device that `selector` names. Throws Error if it names none, and
/// Error(environment) if there are no counters.
TestedDevice self_test(const std::string& selector);

/// Does what `request` asks for on the device that it names, and hands every result to `emit` as soon as it
/// is there. Points that fail are reported and do not stop the others. Throws Error if nothing can be
/// measured here, and Error(measurement) if a kernel left the CUDA context unusable: then a new process has
/// to continue with the next point.
void collect(const CollectRequest& request, const std::function<void(const Message&)>& emit);

/// Whether this machine can measure on the device that `selector` names, and what could make its numbers
/// poor: driver, GPU, kernels for it, memory, CUPTI, counters (one empty kernel is counted), cuBLASLt, and
/// the state of the GPU. Takes about a second, most of it for the counters. Throws Error(usage) if the
/// selector names no device.
std::vector<Check> check_machine(const std::string& selector);

/// What the state of a GPU means for its numbers, one check for each of: persistence, MIG, vGPU, confidential
/// computing, ECC, clocks, throttling, power, other programs. What the driver does not report is called
/// unknown.
std::vector<Check> state_checks(const DeviceInfo& device, const DeviceState& state);

/// Samples devices, each named by its UUID, until this process is asked to end (SIGTERM), and hands `emit`
/// what was begun and taken, and what went wrong, one record at a time. A device that cannot be sampled
/// becomes a problem that names it, and the others continue. Makes no CUDA context: nothing runs on the
/// devices. Times are of the system's monotonic clock.
///
/// Throws Error(environment) if there is no driver or no GPU, Error(usage) if there is no such device.
void watch(const std::vector<std::string>& uuids, std::uint64_t interval_ns,
           const std::function<void(const ProfileRecord&)>& emit);

}  // namespace rooflinectl
