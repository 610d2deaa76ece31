// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/machine_code/machine_code.h"

namespace rooflinectl {

/// One hardware counter of one point: a measured number, or the reason why there is none. Never a silent
/// zero.
class CounterValue {
 public:
  static CounterValue measured(double value) { return CounterValue(value, {}); }
  static CounterValue unavailable(std::string reason) {
    return CounterValue(std::nullopt, std::move(reason));
  }

  bool available() const { return value_.has_value(); }
  std::optional<double> value() const { return value_; }
  /// Why the counter is unavailable; empty if it is available.
  const std::string& reason() const { return reason_; }

  bool operator==(const CounterValue&) const = default;

 private:
  CounterValue(std::optional<double> value, std::string reason) : value_(value), reason_(std::move(reason)) {}

  std::optional<double> value_;
  std::string reason_;
};

/// Counters of one launch, by our key (`docs/metrics.md`), never by position.
using Counters = std::map<std::string, CounterValue, std::less<>>;

/// The value under `key`, or nothing if it was not collected or is unavailable.
std::optional<double> value_of(const Counters& counters, std::string_view key);

/// A kernel's DRAM bytes include what other units of the device read while it runs, even on an otherwise idle
/// device: 10 to 60 MB/s on an H200. This much is allowed.
inline constexpr double kBackgroundDramBytesPerS = 100e6;

/// Whether a counter adds up over launches, unlike ratios and clocks.
bool is_count(std::string_view key);

/// The keys of the counters. Units: bytes, thread-level instructions, ratios between 0 and 1, hertz, or
/// counts of warp-level events, according to their names. What each means and which hardware metric it comes
/// from: the metric catalogue (`core/counters/metrics.cpp`) and `docs/metrics.md`.
namespace counter {
inline constexpr std::string_view kDramReadBytes = "dram_read_bytes";
inline constexpr std::string_view kDramWriteBytes = "dram_write_bytes";
// Their sum, for imported kernels of which a tool recorded only that.
inline constexpr std::string_view kDramBytes = "dram_bytes";
inline constexpr std::string_view kL2Bytes = "l2_bytes";
inline constexpr std::string_view kL2WriteBytes = "l2_write_bytes";
inline constexpr std::string_view kL1Bytes = "l1_bytes";
/// Why they are unavailable if they are less than 0.9 of `kL2Bytes`.
inline constexpr std::string_view kBulkCopiesBypassL1 =
    "L1 counted fewer bytes than it requested from L2: bulk copies (TMA) bypass its counters";
inline constexpr std::string_view kSharedBytes = "shared_bytes";
inline constexpr std::string_view kFadd = "fadd";
inline constexpr std::string_view kFmul = "fmul";
inline constexpr std::string_view kFfma = "ffma";
inline constexpr std::string_view kFadd2 = "fadd2";
inline constexpr std::string_view kFmul2 = "fmul2";
inline constexpr std::string_view kFfma2 = "ffma2";
inline constexpr std::string_view kDadd = "dadd";
inline constexpr std::string_view kDmul = "dmul";
inline constexpr std::string_view kDfma = "dfma";
inline constexpr std::string_view kHadd = "hadd";
inline constexpr std::string_view kHmul = "hmul";
inline constexpr std::string_view kHfma = "hfma";
inline constexpr std::string_view kIntegerOps = "integer_ops";
inline constexpr std::string_view kWarpInstructions = "warp_instructions";
inline constexpr std::string_view kWarpInstructionsSass = "warp_instructions_sass";
inline constexpr std::string_view kWarpExecutionEfficiency = "warp_execution_efficiency";
inline constexpr std::string_view kWarpNonpredExecutionEfficiency = "warp_nonpred_execution_efficiency";
inline constexpr std::string_view kOccupancy = "occupancy";
inline constexpr std::string_view kBranchTargets = "branch_targets";
inline constexpr std::string_view kBranchTargetsDivergent = "branch_targets_divergent";
inline constexpr std::string_view kSharedLoadWavefronts = "shared_load_wavefronts";
inline constexpr std::string_view kSharedStoreWavefronts = "shared_store_wavefronts";
inline constexpr std::string_view kSharedWavefronts = "shared_wavefronts";
inline constexpr std::string_view kDataPipeWavefronts = "data_pipe_wavefronts";
inline constexpr std::string_view kSharedLoadInstructions = "shared_load_instructions";
inline constexpr std::string_view kSharedStoreInstructions = "shared_store_instructions";
inline constexpr std::string_view kGlobalLoadSectorEfficiency = "global_load_sector_efficiency";
inline constexpr std::string_view kGlobalStoreSectorEfficiency = "global_store_sector_efficiency";
inline constexpr std::string_view kL2AtomicOperations = "l2_atomic_operations";
inline constexpr std::string_view kL2AtomicBusiestSlice = "l2_atomic_busiest_slice";
inline constexpr std::string_view kActiveWarpCycles = "active_warp_cycles";
// The parts of them in which warps wait, by reason (`core/counters/stall_reasons.h`), and all of them in the
// launches of a program of which the reasons were counted, if these are others.
inline constexpr std::string_view kStallPassWarpCycles = "stall_pass_warp_cycles";
inline constexpr std::string_view kBarrierStallWarpCycles = "barrier_stall_warp_cycles";
inline constexpr std::string_view kLongScoreboardStallWarpCycles = "long_scoreboard_stall_warp_cycles";
inline constexpr std::string_view kShortScoreboardStallWarpCycles = "short_scoreboard_stall_warp_cycles";
inline constexpr std::string_view kWaitStallWarpCycles = "wait_stall_warp_cycles";
inline constexpr std::string_view kLgThrottleStallWarpCycles = "lg_throttle_stall_warp_cycles";
inline constexpr std::string_view kMioThrottleStallWarpCycles = "mio_throttle_stall_warp_cycles";
inline constexpr std::string_view kTexThrottleStallWarpCycles = "tex_throttle_stall_warp_cycles";
inline constexpr std::string_view kMathPipeThrottleStallWarpCycles = "math_pipe_throttle_stall_warp_cycles";
inline constexpr std::string_view kMembarStallWarpCycles = "membar_stall_warp_cycles";
inline constexpr std::string_view kGmmaStallWarpCycles = "gmma_stall_warp_cycles";
inline constexpr std::string_view kNoInstructionStallWarpCycles = "no_instruction_stall_warp_cycles";
inline constexpr std::string_view kImcMissStallWarpCycles = "imc_miss_stall_warp_cycles";
inline constexpr std::string_view kBranchResolvingStallWarpCycles = "branch_resolving_stall_warp_cycles";
inline constexpr std::string_view kSleepingStallWarpCycles = "sleeping_stall_warp_cycles";
inline constexpr std::string_view kDrainStallWarpCycles = "drain_stall_warp_cycles";
inline constexpr std::string_view kDispatchStallWarpCycles = "dispatch_stall_warp_cycles";
inline constexpr std::string_view kNotSelectedStallWarpCycles = "not_selected_stall_warp_cycles";
// The duration of a program's launch that was counted, in the passes of hardware counters. It is longer than
// that of other launches: it is never shown as a time, but tells how launches that were counted differ.
inline constexpr std::string_view kCountedTimeS = "counted_time_s";
inline constexpr std::string_view kSmClockHz = "sm_clock_hz";
inline constexpr std::string_view kDramClockHz = "dram_clock_hz";
// Warp instructions in the tensor pipe, and those of them that are not matrix products but packed f16
// multiply-adds (HFMA2.MMA), on chips that execute these there: see `tensor_instructions`.
inline constexpr std::string_view kTensorPipeInstructions = "tensor_pipe_instructions";
inline constexpr std::string_view kTensorPipeHfma2 = "tensor_pipe_hfma2";
// Warp instructions in the pipe for f32, f16 and integer multiply-adds, in the one for f16 where that is
// separate, and in the one for f64: counted where the instructions by type, for which they are an upper
// bound, may be missing.
inline constexpr std::string_view kFmaPipeInstructions = "fma_pipe_instructions";
inline constexpr std::string_view kFp16PipeInstructions = "fp16_pipe_instructions";
inline constexpr std::string_view kFp64PipeInstructions = "fp64_pipe_instructions";
// Those in the pipe for integers, comparisons and logic, and in the one for special functions and
// conversions.
inline constexpr std::string_view kAluPipeInstructions = "alu_pipe_instructions";
inline constexpr std::string_view kXuPipeInstructions = "xu_pipe_instructions";
// Tensor Core operations by element type (a multiply-add counts as two); counted for ceilings, and for points
// in which tensor instructions ran.
inline constexpr std::string_view kTensorF16Ops = "tensor_f16_ops";
inline constexpr std::string_view kTensorBf16Ops = "tensor_bf16_ops";
inline constexpr std::string_view kTensorTf32Ops = "tensor_tf32_ops";
inline constexpr std::string_view kTensorF8Ops = "tensor_f8_ops";
inline constexpr std::string_view kTensorI8Ops = "tensor_i8_ops";
inline constexpr std::string_view kTensorF64Ops = "tensor_f64_ops";

}  // namespace counter

/// Floating-point operations of one precision, from instruction counters.
/// f64 = dadd + dmul + 2 dfma; f32 = fadd + fmul + 2 ffma, and where the chip has packed f32 instructions
/// + 2 fadd2 + 2 fmul2 + 4 ffma2. Nothing if an instruction counter that the chip has was not collected.
std::optional<double> executed_f64_flops(const Counters& counters);
std::optional<double> executed_f32_flops(const Counters& counters);

/// Matrix instructions of warps: those in the tensor pipe except packed f16 multiply-adds. Nothing if they
/// were not counted.
std::optional<double> tensor_instructions(const Counters& counters);

/// The most warp instructions that can have been f16 or bf16 ones: all those in the pipes that execute these.
/// Nothing if they were not counted.
std::optional<double> most_half_instructions(const Counters& counters);

/// Operations of the Tensor Cores on all element types; 0 where no matrix instruction ran. Nothing if it is
/// unknown whether any ran and not all types were counted, or if some ran and their operations were not
/// counted.
std::optional<double> executed_tensor_ops(const Counters& counters);

/// The most atomic operations that can have had one address: those of the busiest slice of L2 or, where that
/// was not counted, all. Nothing if neither was.
std::optional<double> most_atomics_on_one_address(const Counters& counters);

/// DRAM bytes read plus written; nothing if either is unavailable and `kDramBytes` is, too.
std::optional<double> dram_bytes(const Counters& counters);

/// What is known of a function's tensor instructions from its machine code.
struct DecodedTensor {
  std::vector<std::string_view> counters;  ///< of the operations of the types that it has: `tensor_bf16_ops`
  std::optional<double>
      operations;  ///< of each warp in each instruction; nothing if these or the types differ

  bool operator==(const DecodedTensor&) const = default;
};

/// Nothing if there are no instructions, or one of a type whose operations are not counted.
std::optional<DecodedTensor> decoded_tensor(const std::vector<TensorInstruction>& instructions);

}  // namespace rooflinectl
