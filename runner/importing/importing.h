// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters/counters.h"
#include "core/model/run.h"
#include "core/program/application.h"
#include "core/program/profile_record.h"
#include "core/program/torch_trace.h"
#include "readers/ncu/ncu_kernel.h"
#include "readers/nsys/nsys.h"

namespace rooflinectl {

struct ImportRequest {
  std::vector<std::string> files;
  std::string ceilings;                   ///< a run with measured ceilings of the same GPU; empty for none
  std::string output = "runs";            ///< the folder in which the run's is made
  std::vector<std::string> command_line;  ///< ours
};

struct ImportResult {
  Run run;
  std::filesystem::path folder;  ///< holds `run.json`
};

/// Makes one run from what other tools wrote, and writes it. What a file lacks is unavailable with the
/// reason; what is damaged, and how much of the file was kept, is in `Run::imports`. Throws Error(usage)
/// naming the file if nothing in it can be read, or the ceilings are not of the same GPU; Error(environment)
/// if the run cannot be written.
ImportResult import_files(const ImportRequest& request);

/// A launch that another tool recorded.
struct ImportedLaunch {
  std::string kernel;     ///< its symbol, or its demangled name where the tool has no more
  bool is_kernel = true;  ///< not a range or a CUDA graph, whose launches were recorded as one
  std::optional<int> process;
  std::size_t device = 0;  ///< its place in the run
  record::Extent grid{};
  record::Extent block{};
  std::optional<record::Extent> cluster;
  std::uint64_t dynamic_shared_bytes = 0;
  std::string path;  ///< names of the NVTX ranges around it, from the outermost, joined by `/`
  CounterValue time_s = CounterValue::unavailable("not recorded");
  Counters counters;  ///< empty where the tool does not count
  std::optional<KernelResources> resources;
};

/// What a file of another tool contains. `device` of launches and ceilings is a place in `devices`.
struct ImportedContent {
  ImportedFile file;
  std::vector<DeviceInfo> devices;
  std::vector<Ceiling> ceilings;  ///< theoretical
  std::vector<ImportedLaunch> launches;
};

/// The launches that Nsight Compute profiled, with the devices that they ran on and the theoretical ceilings
/// of these. What is known about the file remains to be added.
ImportedContent ncu_content(const std::vector<NcuKernel>& kernels);

// Kernels of tools that trace: they have times, and no counters.

ImportedContent nsys_content(const NsysProgram& program);
ImportedContent torch_content(const TorchTrace& trace);

/// Sets `replay`, `clock_control`, `cache_control` and `sections` of the file to what ncu does when it is
/// called like this: what an option sets, else the default of its version, which is already in the file
/// (Nsight Compute CLI documentation, “Command Line Options”).
void set_ncu_options(ImportedFile& file, std::string_view command_line);

// What Nsight Compute counted, as our counters.

/// Whether a counter, or a number of the device, is derived from the metric.
bool is_imported_metric(std::string_view name);

/// Every counter of `core/counters/metrics.cpp` that points have: in our units, or unavailable with the
/// section or metric that would bring it. A sum that the report only has per cycle or per second is
/// multiplied by the cycles or the time of the kernel.
Counters ncu_counters(const NcuKernel& kernel);

/// The time of the kernel in seconds.
CounterValue ncu_duration(const NcuKernel& kernel);

/// The value of a metric, if the report has it.
std::optional<double> ncu_metric(const NcuKernel& kernel, std::string_view name);

// The GPU of a report of Nsight Compute, and what it can do at most.

/// 90 for 9.0; nothing if the report does not have it.
std::optional<int> ncu_compute_capability(const NcuKernel& kernel);

/// The GPU that the kernel ran on, as far as the report describes it; without a UUID, which it does not have.
DeviceInfo ncu_device(const NcuKernel& kernel);

/// The theoretical ceilings of the device at the place `device`, on which all of `kernels` ran: from each
/// metric's peak per cycle and the highest clock of its unit among the kernels. Where the report has no peak
/// for DRAM, it follows from the clock and width of the memory bus. Those that cannot be derived are absent.
std::vector<Ceiling> ncu_ceilings(const std::vector<const NcuKernel*>& kernels, std::size_t device);

/// The metrics that these are derived from.
std::vector<std::string_view> ncu_device_metrics();

}  // namespace rooflinectl
