// SPDX-License-Identifier: Apache-2.0
#include "core/counters/metrics.h"

namespace rooflinectl {

const std::vector<Metric>& sampled_metrics() {
  using namespace sampled;
  constexpr double kPercent = 0.01;
  static const std::vector<Metric> metrics = {
      {.key = kDramReadBytes, .names = {"dram__bytes_read.sum"}, .meaning = "bytes read from device memory"},
      {.key = kDramWriteBytes,
       .names = {"dram__bytes_write.sum"},
       .meaning = "bytes written to device memory"},
      {.key = kSmActive,
       .names = {"TPC.TriageCompute.sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
                 "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"},
       .scale = kPercent,
       .meaning = "share of the SMs' cycles in which they had a warp"},
      {.key = kTensorActive,
       .names = {"TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed",
                 "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"},
       .scale = kPercent,
       .meaning = "share of the cycles in which the Tensor Cores worked"},
      {.key = kFp32Issued,
       .names = {"TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime.sum.pct_of_peak_sustained_elapsed",
                 "sm__inst_executed_pipe_fma.sum.pct_of_peak_sustained_elapsed"},
       .scale = kPercent,
       .meaning = "instructions of the FP32 pipe, as a share of what it can issue"},
      {.key = kFp64Active,
       .names = {"TPC.TriageCompute.sm__pipe_fp64_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed",
                 "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed"},
       .scale = kPercent,
       .meaning = "share of the cycles in which the FP64 pipe worked"},
      {.key = kL2Bytes, .names = {"lts__t_bytes.sum"}, .meaning = "bytes requested from L2"},
      {.key = kWarps,
       .names = {"TPC.TriageCompute.tpc__warps_active_realtime.avg.pct_of_peak_sustained_elapsed",
                 "sm__warps_active.avg.pct_of_peak_sustained_elapsed"},
       .scale = kPercent,
       .meaning = "resident warps, as a share of the most that fit"},
      {.key = kPcieReadBytes,
       .names = {"PCI.TriageCompute.pcie__read_bytes.sum", "pcie__read_bytes.sum"},
       .meaning = "bytes that came over PCIe"},
      {.key = kPcieWriteBytes,
       .names = {"PCI.TriageCompute.pcie__write_bytes.sum", "pcie__write_bytes.sum"},
       .meaning = "bytes that went over PCIe"},
      {.key = kNvlinkReceivedBytes,
       .names = {"NVLRX.TriageCompute.nvlrx__bytes_data_user.sum", "nvlrx__bytes_data_user.sum"},
       .meaning = "bytes of programs that came over NVLink"},
      {.key = kNvlinkSentBytes,
       .names = {"NVLTX.TriageCompute.nvltx__bytes_data_user.sum", "nvltx__bytes_data_user.sum"},
       .meaning = "bytes of programs that went over NVLink"},
      {.key = kSmClockHz, .names = {"gpc__cycles_elapsed.avg.per_second"}, .meaning = "clock of the SMs"},
  };
  return metrics;
}

}  // namespace rooflinectl
