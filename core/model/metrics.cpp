// SPDX-License-Identifier: Apache-2.0
#include "core/model/metrics.h"

#include "core/model/counters.h"

namespace rooflinectl {

const std::vector<Metric>& basic_metrics() {
  using namespace counter;
  constexpr double kPercent = 0.01;
  constexpr double kSectorBytes = 32;
  constexpr double kPerLane = 1.0 / 32;
  constexpr ToolAgreement kExactOperations = {"operations"};
  constexpr ToolAgreement kExactBytes = {"bytes"};
  constexpr ToolAgreement kExactCount = {""};
  constexpr ToolAgreement kSectors = {"bytes", 0.001};            // a few come from other units
  constexpr ToolAgreement kEfficiency = {"ratio", 0.001, false};  // a tenth of a point
  static const std::vector<Metric> metrics = {
      {kDramReadBytes,
       {"dram__bytes_read.sum", "dram__bytes_op_read.sum"},
       1,
       "bytes read from device memory"},
      {kDramWriteBytes,
       {"dram__bytes_write.sum", "dram__bytes_op_write.sum"},
       1,
       "bytes written to device memory"},
      {kL2Bytes,
       {"lts__t_sectors_srcunit_tex.sum"},
       kSectorBytes,
       "bytes requested from L2 by the SMs, in whole sectors",
       kSectors},
      {kL1Bytes, {"l1tex__t_bytes.sum"}, 1, "bytes requested from L1", kExactBytes},
      {kSharedBytes,
       {"smsp__sass_data_bytes_mem_shared.sum"},
       1,
       "bytes loaded from and stored to shared memory",
       kExactBytes},
      {kFadd, {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"}, 1, "FP32 additions", kExactOperations},
      {kFmul,
       {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"},
       1,
       "FP32 multiplications",
       kExactOperations},
      {kFfma,
       {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"},
       1,
       "FP32 multiply-adds",
       kExactOperations},
      {kFadd2,
       {"smsp__sass_thread_inst_executed_op_fadd2_pred_on.sum"},
       1,
       "packed FP32 additions (two each), on chips that have them",
       kExactOperations},
      {kFmul2,
       {"smsp__sass_thread_inst_executed_op_fmul2_pred_on.sum"},
       1,
       "packed FP32 multiplications (two each), on chips that have them",
       kExactOperations},
      {kFfma2,
       {"smsp__sass_thread_inst_executed_op_ffma2_pred_on.sum"},
       1,
       "packed FP32 multiply-adds (two each), on chips that have them",
       kExactOperations},
      {kDadd, {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum"}, 1, "FP64 additions", kExactOperations},
      {kDmul,
       {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum"},
       1,
       "FP64 multiplications",
       kExactOperations},
      {kDfma,
       {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum"},
       1,
       "FP64 multiply-adds",
       kExactOperations},
      {kHadd,
       {"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum"},
       1,
       "FP16 and BF16 addition instructions, packed or not",
       kExactOperations},
      {kHmul,
       {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum"},
       1,
       "FP16 and BF16 multiplication instructions, packed or not",
       kExactOperations},
      {kHfma,
       {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"},
       1,
       "FP16 and BF16 multiply-add instructions, packed or not",
       kExactOperations},
      {kIntegerOps,
       {"smsp__sass_thread_inst_executed_op_integer_pred_on.sum"},
       1,
       "integer instructions of threads, including address and loop arithmetic",
       kExactOperations},
      {kWarpInstructions,
       {"smsp__inst_executed.sum"},
       1,
       "warp instructions, counted by hardware",
       kExactCount},
      {kWarpInstructionsSass,
       {"smsp__sass_inst_executed.sum"},
       1,
       "warp instructions, counted by instrumentation; equal to warp_instructions if the launch does the "
       "same every time",
       kExactCount},
      {kWarpExecutionEfficiency,
       {"smsp__average_thread_inst_executed_per_inst_executed.ratio",
        "smsp__thread_inst_executed_per_inst_executed.ratio"},
       kPerLane,
       "active lanes per instruction, divided by 32",
       kEfficiency},
      {kWarpNonpredExecutionEfficiency,
       {"smsp__average_thread_inst_executed_pred_on_per_inst_executed.ratio",
        "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"},
       kPerLane,
       "active lanes per instruction that are not predicated off, divided by 32",
       kEfficiency},
      {kOccupancy,
       {"sm__warps_active.avg.pct_of_peak_sustained_active"},
       kPercent,
       "resident warps over the maximum per SM, while the SM is active"},
      {kBranchTargets, {"smsp__sass_branch_targets.sum"}, 1, "branch targets taken by warps", kExactCount},
      {kBranchTargetsDivergent,
       {"smsp__sass_branch_targets_threads_divergent.sum"},
       1,
       "branch targets at which a warp diverged",
       kExactCount},
      {kSharedLoadWavefronts,
       {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
       1,
       "wavefronts of shared loads in the data pipe; more than one per instruction means bank conflicts",
       kExactCount},
      {kSharedStoreWavefronts,
       {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
       1,
       "wavefronts of shared stores in the data pipe",
       kExactCount},
      {kSharedLoadInstructions,
       {"smsp__sass_inst_executed_op_shared_ld.sum"},
       1,
       "shared load instructions, per warp",
       kExactCount},
      {kSharedStoreInstructions,
       {"smsp__sass_inst_executed_op_shared_st.sum"},
       1,
       "shared store instructions, per warp",
       kExactCount},
      {kGlobalLoadSectorEfficiency,
       {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"},
       kPercent,
       "share of each 32-byte sector that global loads used",
       kEfficiency},
      {kGlobalStoreSectorEfficiency,
       {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"},
       kPercent,
       "share of each 32-byte sector that global stores wrote",
       kEfficiency},
      {kL2AtomicOperations,
       {"lts__d_atomic_input_cycles_active.sum"},
       1,
       "operations received by the atomic units of L2; one per thread if threads share an address"},
      {kActiveWarpCycles,
       {"sm__warps_active.sum"},
       1,
       "cycles that warps were resident, summed over all warps"},
      {kBarrierStallWarpCycles,
       {"smsp__warps_issue_stalled_barrier.sum"},
       1,
       "the part of active_warp_cycles in which the warp waited at a barrier"},
      {kSmClockHz, {"sm__cycles_elapsed.avg.per_second"}, 1, "SM clock while counting"},
      {kDramClockHz, {"dram__cycles_elapsed.avg.per_second"}, 1, "memory clock while counting"},
      {kTensorPipeInstructions,
       {"smsp__inst_executed_pipe_tensor.sum"},
       1,
       "warp instructions in the tensor pipe"},
      {kTensorPipeHfma2,
       {"smsp__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum"},
       1,
       "those of tensor_pipe_instructions that are packed FP16 multiply-adds, on chips that execute them "
       "there"},
  };
  return metrics;
}

const std::vector<Metric>& tensor_metrics() {
  using namespace counter;
  static const std::vector<Metric> metrics = {
      {kTensorF16Ops,
       {"sm__ops_path_tensor_src_fp16.sum", "sm__ops_path_tensor_src_fp16_dst_fp32.sum",
        "sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum"},
       1,
       "Tensor Core operations on FP16"},
      {kTensorBf16Ops, {"sm__ops_path_tensor_src_bf16_dst_fp32.sum"}, 1, "Tensor Core operations on BF16"},
      {kTensorTf32Ops, {"sm__ops_path_tensor_src_tf32_dst_fp32.sum"}, 1, "Tensor Core operations on TF32"},
      {kTensorF8Ops,
       {"sm__ops_path_tensor_src_fp8.sum", "sm__ops_path_tensor_src_fp8_dst_fp32.sum",
        "sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32.sum"},
       1,
       "Tensor Core operations on 8-bit floats"},
      {kTensorI8Ops, {"sm__ops_path_tensor_src_int8.sum"}, 1, "Tensor Core operations on 8-bit integers"},
      {kTensorF64Ops, {"sm__ops_path_tensor_src_fp64.sum"}, 1, "Tensor Core operations on FP64"},
  };
  return metrics;
}

const std::vector<Metric>& pipe_metrics() {
  using namespace counter;
  static const std::vector<Metric> metrics = {
      {kFmaPipeInstructions,
       {"smsp__inst_executed_pipe_fma.sum"},
       1,
       "warp instructions in the pipe of FP32, FP16 and integer multiply-adds"},
      {kFp64PipeInstructions, {"smsp__inst_executed_pipe_fp64.sum"}, 1, "warp instructions in the FP64 pipe"},
      {kFp16PipeInstructions,
       {"smsp__inst_executed_pipe_fp16.sum"},
       1,
       "warp instructions in the FP16 pipe of Volta and Turing; the FP16 pipe of GA100 does not fit into the "
       "pass"},
  };
  return metrics;
}

std::vector<std::string_view> counter_keys() {
  std::vector<std::string_view> keys;
  for (const auto* metrics : {&basic_metrics(), &tensor_metrics()}) {
    for (const Metric& metric : *metrics) keys.push_back(metric.key);
  }
  return keys;
}

}  // namespace rooflinectl
