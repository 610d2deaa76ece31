// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/call.h"

#include <fmt/format.h>

#include <string>

namespace rooflinectl::cupti {

namespace {

struct Explanation {
  const char* cause;
  const char* hint;
};

Explanation explain(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return {"the driver restricts performance counters to administrators",
              "allow all users to count: set NVreg_RestrictProfilingToAdminUsers=0 for the nvidia kernel "
              "module and reload it (RmProfilingAdminOnly in /proc/driver/nvidia/params shows the state); or "
              "run with CAP_SYS_ADMIN"};
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return {"the hypervisor does not allow performance counters on this virtual GPU",
              "enable profiling for the vGPU on the host"};
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
      return {"performance counters are not available on this virtual GPU",
              "use a passed-through or bare-metal GPU"};
    case CUPTI_ERROR_HARDWARE_BUSY:
      return {"another program is using the performance counters, often DCGM",
              "pause DCGM (dcgmi profile --pause, and --resume afterwards), or end `rooflinectl watch`"};
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return {"another profiler is attached to this process (ncu, nsys, compute-sanitizer or a framework's)",
              "run without that profiler, or with --no-counters"};
    case CUPTI_ERROR_NOT_INITIALIZED:
      return {"the driver is older than this CUPTI",
              "update the driver, or use the CUPTI of an older toolkit"};
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return {"the GPU runs in confidential-computing mode, which has no counters",
              "turn confidential computing off, or use its developer mode"};
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
      return {"mining GPUs have no performance counters for users", "use another GPU"};
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return {"this MIG instance shares its compute instance",
              "use a MIG instance with its own compute instance"};
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
      return {"GPUs coupled by SLI cannot be counted", "turn SLI off"};
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
      return {"this driver does not support counters under WSL",
              "update the Windows driver, or run on Linux"};
    case CUPTI_ERROR_INVALID_CHIP_NAME:
      return {"the GPU is newer than this CUPTI", "use the CUPTI of a newer CUDA toolkit"};
    case CUPTI_ERROR_INVALID_DEVICE:
    case CUPTI_ERROR_NOT_SUPPORTED:
      return {"CUPTI cannot count on this GPU",
              "the Range Profiler needs compute capability 7.5 or later and a CUPTI that supports the GPU"};
    case CUPTI_ERROR_NOT_COMPATIBLE:
    case CUPTI_ERROR_API_NOT_IMPLEMENTED:
      return {"the driver and this CUPTI are incompatible",
              "update the driver, or set CUDA_HOME to a toolkit that matches the driver"};
    case CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED:
      return {"another profiling interface is in use in this process",
              "unset CUDA_INJECTION64_PATH and run without another profiler"};
    case CUPTI_ERROR_OUT_OF_MEMORY:
      return {"out of memory while counting", "free memory on the GPU and the host, or count fewer points"};
    case CUPTI_ERROR_HARDWARE:
      return {"the GPU's counter hardware does not respond", "check for Xid errors: dmesg | grep -i xid"};
    case CUPTI_ERROR_UNKNOWN:
      return {"the NVIDIA driver did not respond",
              "check that nvidia-smi works here; in a container, use --gpus all"};
    default:
      return {"performance counters could not be used", "run with --no-counters to measure only times"};
  }
}

/// `CUPTI_ERROR_INSUFFICIENT_PRIVILEGES`.
std::string name_of(CUptiResult result) {
  const char* name = nullptr;
  const bool known = cuptiGetResultString(result, &name) == CUPTI_SUCCESS && name != nullptr;
  return known ? name : fmt::format("result {}", static_cast<int>(result));
}

}  // namespace

Error error_of(CUptiResult result, const char* call) {
  const Explanation explanation = explain(result);
  return Error(ErrorKind::environment, fmt::format("{} ({}: {})", explanation.cause, call, name_of(result)),
               explanation.hint);
}

}  // namespace rooflinectl::cupti
