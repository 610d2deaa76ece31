// SPDX-License-Identifier: Apache-2.0
#include "core/counters/metrics.h"

#include <algorithm>
#include <utility>

#include "core/counters/counters.h"

namespace rooflinectl {

namespace {

Metric counted(std::string_view key, std::vector<std::string_view> names, std::string_view meaning,
               std::optional<ToolAgreement> agreement = {}, Priority priority = Priority::lowest,
               Pass pass = Pass::memory) {
  return {key, std::move(names), 1, meaning, agreement, priority, pass};
}

Metric scaled(double scale, Metric metric) {
  metric.scale = scale;
  return metric;
}

/// What the hardware gives in percent.
Metric ratio(std::string_view key, std::vector<std::string_view> names, std::string_view meaning,
             std::optional<ToolAgreement> agreement = {}, Priority priority = Priority::lowest) {
  return scaled(0.01, counted(key, std::move(names), meaning, agreement, priority));
}

Metric operations(std::string_view key, std::vector<std::string_view> names, std::string_view meaning) {
  return counted(key, std::move(names), meaning, ToolAgreement{ComparedUnit::operations});
}

}  // namespace

const std::vector<Metric>& basic_metrics() {
  using namespace counter;
  constexpr double kSectorBytes = 32;
  constexpr double kPerLane = 1.0 / 32;
  constexpr ToolAgreement kExactBytes = {ComparedUnit::bytes};
  constexpr ToolAgreement kExactCount = {ComparedUnit::count};
  constexpr ToolAgreement kSectors = {ComparedUnit::bytes, 0.001};            // a few come from other units
  constexpr ToolAgreement kEfficiency = {ComparedUnit::ratio, 0.001, false};  // a tenth of a point
  // What else reads and writes while a kernel runs is in them.
  constexpr ToolAgreement kAsDramBytes = {ComparedUnit::bytes, 0.02, true, kDramBytes};
  constexpr ToolAgreement kAtomics = {ComparedUnit::count, 0.001};
  constexpr auto kNotCompared = std::nullopt;
  static const std::vector<Metric> metrics = {
      counted(kDramReadBytes, {"dram__bytes_read.sum", "dram__bytes_op_read.sum"},
              "bytes read from device memory", kAsDramBytes, Priority::highest),
      counted(kDramWriteBytes, {"dram__bytes_write.sum", "dram__bytes_op_write.sum"},
              "bytes written to device memory", kAsDramBytes, Priority::highest),
      scaled(kSectorBytes,
             counted(kL2Bytes, {"lts__t_sectors_srcunit_tex.sum"},
                     "bytes requested from L2 by the SMs, in whole sectors", kSectors, Priority::highest)),
      scaled(kSectorBytes, counted(kL2WriteBytes, {"lts__t_sectors_srcunit_tex_op_write.sum"},
                                   "those of l2_bytes that are written", kSectors, Priority::low)),
      counted(kL1Bytes, {"l1tex__t_bytes.sum"}, "bytes requested from L1", kExactBytes, Priority::high),
      counted(kSharedBytes, {"smsp__sass_data_bytes_mem_shared.sum"},
              "bytes loaded from and stored to shared memory", kExactBytes),
      operations(kFadd, {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"}, "FP32 additions"),
      operations(kFmul, {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"}, "FP32 multiplications"),
      operations(kFfma, {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"}, "FP32 multiply-adds"),
      operations(kFadd2, {"smsp__sass_thread_inst_executed_op_fadd2_pred_on.sum"},
                 "packed FP32 additions (two each), on chips that have them"),
      operations(kFmul2, {"smsp__sass_thread_inst_executed_op_fmul2_pred_on.sum"},
                 "packed FP32 multiplications (two each), on chips that have them"),
      operations(kFfma2, {"smsp__sass_thread_inst_executed_op_ffma2_pred_on.sum"},
                 "packed FP32 multiply-adds (two each), on chips that have them"),
      operations(kDadd, {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum"}, "FP64 additions"),
      operations(kDmul, {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum"}, "FP64 multiplications"),
      operations(kDfma, {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum"}, "FP64 multiply-adds"),
      operations(kHadd, {"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum"},
                 "FP16 and BF16 addition instructions, packed or not"),
      operations(kHmul, {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum"},
                 "FP16 and BF16 multiplication instructions, packed or not"),
      operations(kHfma, {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"},
                 "FP16 and BF16 multiply-add instructions, packed or not"),
      operations(kIntegerOps, {"smsp__sass_thread_inst_executed_op_integer_pred_on.sum"},
                 "integer instructions of threads, including address and loop arithmetic"),
      counted(kWarpInstructions, {"smsp__inst_executed.sum"}, "warp instructions, counted by hardware",
              kExactCount, Priority::highest),
      counted(
          kWarpInstructionsSass, {"smsp__sass_inst_executed.sum"},
          "warp instructions, counted by instrumentation; equal to warp_instructions if the launch does the "
          "same every time",
          kExactCount),
      scaled(kPerLane, counted(kWarpExecutionEfficiency,
                               {"smsp__average_thread_inst_executed_per_inst_executed.ratio",
                                "smsp__thread_inst_executed_per_inst_executed.ratio"},
                               "active lanes per instruction, divided by 32", kEfficiency, Priority::medium)),
      scaled(kPerLane, counted(kWarpNonpredExecutionEfficiency,
                               {"smsp__average_thread_inst_executed_pred_on_per_inst_executed.ratio",
                                "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"},
                               "active lanes per instruction that are not predicated off, divided by 32",
                               kEfficiency, Priority::medium)),
      ratio(kOccupancy, {"sm__warps_active.avg.pct_of_peak_sustained_active"},
            "resident warps over the maximum per SM, while the SM is active", kNotCompared, Priority::high),
      counted(kBranchTargets, {"smsp__sass_branch_targets.sum"}, "branch targets taken by warps",
              kExactCount),
      counted(kBranchTargetsDivergent, {"smsp__sass_branch_targets_threads_divergent.sum"},
              "branch targets at which a warp diverged", kExactCount),
      counted(
          kSharedLoadWavefronts, {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
          "wavefronts of shared loads in the data pipe; more than one per instruction means bank conflicts",
          kExactCount),
      counted(kSharedStoreWavefronts, {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
              "wavefronts of shared stores in the data pipe", kExactCount),
      counted(kSharedWavefronts, {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"},
              "wavefronts of all accesses to shared memory: loads and stores, those of matrices, atomics, "
              "asynchronous copies",
              kExactCount),
      counted(kDataPipeWavefronts, {"l1tex__data_pipe_lsu_wavefronts.sum"},
              "wavefronts in the data pipe of L1 and shared memory: local, global and shared accesses",
              kNotCompared, Priority::medium, Pass::stalls),
      counted(kSharedLoadInstructions, {"smsp__sass_inst_executed_op_shared_ld.sum"},
              "shared load instructions, per warp", kExactCount),
      counted(kSharedStoreInstructions, {"smsp__sass_inst_executed_op_shared_st.sum"},
              "shared store instructions, per warp", kExactCount),
      ratio(kGlobalLoadSectorEfficiency, {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"},
            "share of each 32-byte sector that global loads used", kEfficiency),
      ratio(kGlobalStoreSectorEfficiency, {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"},
            "share of each 32-byte sector that global stores wrote", kEfficiency),
      counted(kL2AtomicOperations, {"lts__d_atomic_input_cycles_active.sum"},
              "operations received by the atomic units of L2; one per thread if threads share an address",
              kAtomics, Priority::low),
      counted(
          kL2AtomicBusiestSlice, {"lts__d_atomic_input_cycles_active.max"},
          "those of l2_atomic_operations that the busiest slice of L2 received: an address is in one slice",
          kNotCompared, Priority::low),
      counted(kActiveWarpCycles, {"sm__warps_active.sum"},
              "cycles that warps were resident, summed over all warps", kNotCompared, Priority::medium),
      counted(kBarrierStallWarpCycles, {"smsp__warps_issue_stalled_barrier.sum"},
              "the part of active_warp_cycles in which the warp waited at a barrier", kNotCompared,
              Priority::medium),
      counted(kLongScoreboardStallWarpCycles, {"smsp__warps_issue_stalled_long_scoreboard.sum"},
              "the part in which it waited for data from L1, L2 or DRAM", kNotCompared, Priority::highest,
              Pass::stalls),
      counted(kShortScoreboardStallWarpCycles, {"smsp__warps_issue_stalled_short_scoreboard.sum"},
              "the part in which it waited for shared memory, a special function or a conversion",
              kNotCompared, Priority::high, Pass::stalls),
      counted(kWaitStallWarpCycles, {"smsp__warps_issue_stalled_wait.sum"},
              "the part in which it waited for the fixed latency of the instruction before", kNotCompared,
              Priority::low, Pass::stalls),
      counted(kSmClockHz, {"sm__cycles_elapsed.avg.per_second"}, "SM clock while counting", kNotCompared,
              Priority::high),
      counted(kDramClockHz, {"dram__cycles_elapsed.avg.per_second"}, "memory clock while counting",
              kNotCompared, Priority::low),
      counted(kTensorPipeInstructions, {"smsp__inst_executed_pipe_tensor.sum"},
              "warp instructions in the tensor pipe", kNotCompared, Priority::highest, Pass::tensor),
      counted(
          kTensorPipeHfma2, {"smsp__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum"},
          "those of tensor_pipe_instructions that are packed FP16 multiply-adds, on chips that execute them "
          "there",
          kNotCompared, Priority::highest, Pass::tensor),
  };
  return metrics;
}

const std::vector<Metric>& tensor_metrics() {
  using namespace counter;
  static const std::vector<Metric> metrics = {
      operations(kTensorF16Ops,
                 {"sm__ops_path_tensor_src_fp16.sum", "sm__ops_path_tensor_src_fp16_dst_fp32.sum",
                  "sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum"},
                 "Tensor Core operations on FP16"),
      operations(kTensorBf16Ops, {"sm__ops_path_tensor_src_bf16_dst_fp32.sum"},
                 "Tensor Core operations on BF16"),
      operations(kTensorTf32Ops, {"sm__ops_path_tensor_src_tf32_dst_fp32.sum"},
                 "Tensor Core operations on TF32"),
      operations(kTensorF8Ops,
                 {"sm__ops_path_tensor_src_fp8.sum", "sm__ops_path_tensor_src_fp8_dst_fp32.sum",
                  "sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32.sum"},
                 "Tensor Core operations on 8-bit floats"),
      operations(kTensorI8Ops, {"sm__ops_path_tensor_src_int8.sum"},
                 "Tensor Core operations on 8-bit integers"),
      operations(kTensorF64Ops, {"sm__ops_path_tensor_src_fp64.sum"}, "Tensor Core operations on FP64"),
  };
  return metrics;
}

const std::vector<Metric>& pipe_metrics() {
  using namespace counter;
  static const std::vector<Metric> metrics = {
      counted(kFmaPipeInstructions, {"smsp__inst_executed_pipe_fma.sum"},
              "warp instructions in the pipe of FP32, FP16 and integer multiply-adds"),
      counted(kFp64PipeInstructions, {"smsp__inst_executed_pipe_fp64.sum"},
              "warp instructions in the FP64 pipe"),
      counted(kFp16PipeInstructions, {"smsp__inst_executed_pipe_fp16.sum"},
              "warp instructions in the FP16 pipe of Volta and Turing; the FP16 pipe of GA100 does not fit "
              "into the pass"),
      counted(kAluPipeInstructions, {"smsp__inst_executed_pipe_alu.sum"},
              "warp instructions in the pipe of integers, comparisons and logic"),
      counted(kXuPipeInstructions, {"smsp__inst_executed_pipe_xu.sum"},
              "warp instructions in the pipe of special functions (exp, sqrt, sin) and conversions"),
  };
  return metrics;
}

const std::vector<Metric>& stall_metrics() {
  using namespace counter;
  static const std::vector<Metric> metrics = {
      counted(kLgThrottleStallWarpCycles, {"smsp__warps_issue_stalled_lg_throttle.sum"},
              "waited for room in the queue of local and global memory instructions"),
      counted(kMioThrottleStallWarpCycles, {"smsp__warps_issue_stalled_mio_throttle.sum"},
              "waited for room in the queue of shared memory instructions and special functions"),
      counted(kTexThrottleStallWarpCycles, {"smsp__warps_issue_stalled_tex_throttle.sum"},
              "waited for room in the queue of texture instructions"),
      counted(kMathPipeThrottleStallWarpCycles, {"smsp__warps_issue_stalled_math_pipe_throttle.sum"},
              "waited for an arithmetic pipe"),
      counted(kMembarStallWarpCycles, {"smsp__warps_issue_stalled_membar.sum"}, "waited at a memory fence"),
      counted(kGmmaStallWarpCycles, {"smsp__warps_issue_stalled_gmma.sum"}, "waited for wgmma instructions"),
      counted(kNoInstructionStallWarpCycles, {"smsp__warps_issue_stalled_no_instruction.sum"},
              "waited for its next instruction to be fetched"),
      counted(kImcMissStallWarpCycles, {"smsp__warps_issue_stalled_imc_miss.sum"}, "waited for a constant"),
      counted(kBranchResolvingStallWarpCycles, {"smsp__warps_issue_stalled_branch_resolving.sum"},
              "waited for the target of a branch"),
      counted(kSleepingStallWarpCycles, {"smsp__warps_issue_stalled_sleeping.sum"}, "slept"),
      counted(kDrainStallWarpCycles, {"smsp__warps_issue_stalled_drain.sum"},
              "waited, at its end, for its stores"),
      counted(kDispatchStallWarpCycles, {"smsp__warps_issue_stalled_dispatch_stall.sum"},
              "waited for the dispatcher"),
      counted(kNotSelectedStallWarpCycles, {"smsp__warps_issue_stalled_not_selected.sum"},
              "could have issued, but another warp did"),
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

const std::vector<Metric>& sampled_metrics() {
  using namespace sampled;
  static const std::vector<Metric> metrics = {
      counted(kDramReadBytes, {"dram__bytes_read.sum"}, "bytes read from device memory"),
      counted(kDramWriteBytes, {"dram__bytes_write.sum"}, "bytes written to device memory"),
      ratio(kSmActive,
            {"TPC.TriageCompute.sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
             "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"},
            "share of the SMs' cycles in which they had a warp"),
      ratio(kTensorActive,
            {"TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed",
             "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"},
            "share of the cycles in which the Tensor Cores worked"),
      ratio(kFp32Issued,
            {"TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime.sum.pct_of_peak_sustained_elapsed",
             "sm__inst_executed_pipe_fma.sum.pct_of_peak_sustained_elapsed"},
            "instructions of the FP32 pipe, as a share of what it can issue"),
      ratio(kFp64Active,
            {"TPC.TriageCompute.sm__pipe_fp64_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed",
             "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed"},
            "share of the cycles in which the FP64 pipe worked"),
      counted(kL2Bytes, {"lts__t_bytes.sum"}, "bytes requested from L2"),
      ratio(kWarps,
            {"TPC.TriageCompute.tpc__warps_active_realtime.avg.pct_of_peak_sustained_elapsed",
             "sm__warps_active.avg.pct_of_peak_sustained_elapsed"},
            "resident warps, as a share of the most that fit"),
      counted(kPcieReadBytes, {"PCI.TriageCompute.pcie__read_bytes.sum", "pcie__read_bytes.sum"},
              "bytes that came over PCIe"),
      counted(kPcieWriteBytes, {"PCI.TriageCompute.pcie__write_bytes.sum", "pcie__write_bytes.sum"},
              "bytes that went over PCIe"),
      counted(kNvlinkReceivedBytes,
              {"NVLRX.TriageCompute.nvlrx__bytes_data_user.sum", "nvlrx__bytes_data_user.sum"},
              "bytes of programs that came over NVLink"),
      counted(kNvlinkSentBytes,
              {"NVLTX.TriageCompute.nvltx__bytes_data_user.sum", "nvltx__bytes_data_user.sum"},
              "bytes of programs that went over NVLink"),
      counted(kSmClockHz, {"gpc__cycles_elapsed.avg.per_second"}, "clock of the SMs"),
  };
  return metrics;
}

namespace {

std::vector<Metric> of_tensor(std::string_view key) {
  return {*std::ranges::find(tensor_metrics(), key, &Metric::key)};
}

/// Instrumented code is counted in a pass of its own.
Pass pass_of(const Metric& metric) {
  const bool is_instrumented = metric.names.front().find("_sass_") != std::string_view::npos;
  return is_instrumented ? Pass::operations : metric.hardware_pass;
}

std::vector<Metric> basic_metrics_of(Pass pass) {
  std::vector<Metric> found;
  for (const Metric& metric : basic_metrics()) {
    if (pass_of(metric) == pass) found.push_back(metric);
  }
  std::ranges::stable_sort(found, {}, &Metric::priority);
  return found;
}

/// And the time of the launch that is counted, the first that is left out where there is no room.
std::vector<Metric> with_time(std::vector<Metric> metrics) {
  metrics.push_back(scaled(1e-9, counted(counter::kCountedTimeS, {"gpu__time_duration.sum"}, {})));
  return metrics;
}

}  // namespace

std::vector<Metric> pass_metrics(Pass pass) {
  using namespace counter;
  switch (pass) {
    case Pass::memory:
      return with_time(basic_metrics_of(pass));
    case Pass::operations:
      return basic_metrics_of(pass);
    case Pass::tensor: {
      std::vector<Metric> metrics = basic_metrics_of(pass);
      metrics.insert(metrics.end(),
                     {counted(kTensorBf16Ops, {"sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32.sum"}, {}),
                      counted(kTensorTf32Ops, {"sm__ops_path_tensor_op_hgmma_src_tf32_dst_fp32.sum"}, {}),
                      counted(kTensorF16Ops, {"sm__ops_path_tensor_op_hgmma_src_fp16.sum"}, {}),
                      counted(kTensorF8Ops, {"sm__ops_path_tensor_src_fp8.sum"}, {})});
      return with_time(std::move(metrics));
    }
    case Pass::tensor_bf16:
      return of_tensor(kTensorBf16Ops);
    case Pass::tensor_f16:
      // The total of f16 takes GH100 two passes. Which of its two parts accumulate in f16 is not counted.
      return {counted(
          kTensorF16Ops,
          {"sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32.sum", "sm__ops_path_tensor_src_fp16_dst_fp32.sum",
           "sm__ops_path_tensor_src_fp16.sum", "sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum"},
          {})};
    case Pass::tensor_tf32:
      return of_tensor(kTensorTf32Ops);
    case Pass::tensor_i8:
      // Ampere and Ada take two passes for the total, with and without sparsity; Hopper's consists of that of
      // warps and that of warpgroups.
      return {counted(kTensorI8Ops,
                      {"sm__ops_path_tensor_op_imma_src_int8_sparsity_off.sum",
                       "sm__ops_path_tensor_src_int8_sparsity_off.sum", "sm__ops_path_tensor_src_int8.sum"},
                      {}),
              counted(kTensorI8Ops, {"sm__ops_path_tensor_op_igmma_src_int8.sum"}, {})};
    case Pass::tensor_f64:
      return of_tensor(kTensorF64Ops);
    case Pass::pipes:
      return with_time(pipe_metrics());
    case Pass::stalls: {
      std::vector<Metric> metrics = basic_metrics_of(pass);
      metrics.insert(metrics.begin(), counted(kStallPassWarpCycles, {"sm__warps_active.sum"}, {}));
      return with_time(std::move(metrics));
    }
  }
  return {};
}

}  // namespace rooflinectl
