// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/model/metrics.h"

namespace rooflinectl {

/// The basic set and what ceilings need beside it: tensor-core operations, the L2 clock, and the most that
/// the units of the chip can do per cycle (CUPTI's `peak_sustained`).
const std::vector<Metric>& ceiling_metrics();

/// Keys of `ceiling_metrics` that are no counters: thread instructions, operations, sectors or bytes that all
/// units of the device together can complete per cycle.
inline constexpr std::string_view kPeakFfma = "peak_ffma";
inline constexpr std::string_view kPeakFadd = "peak_fadd";
inline constexpr std::string_view kPeakDfma = "peak_dfma";
inline constexpr std::string_view kPeakDadd = "peak_dadd";
inline constexpr std::string_view kPeakHfma = "peak_hfma";
inline constexpr std::string_view kPeakTensorF16 = "peak_tensor_f16";
inline constexpr std::string_view kPeakTensorBf16 = "peak_tensor_bf16";
inline constexpr std::string_view kPeakTensorTf32 = "peak_tensor_tf32";
inline constexpr std::string_view kPeakTensorF8 = "peak_tensor_f8";
inline constexpr std::string_view kPeakTensorI8 = "peak_tensor_i8";
inline constexpr std::string_view kPeakL2Sectors = "peak_l2_sectors";
inline constexpr std::string_view kPeakL1Wavefronts = "peak_l1_wavefronts";
inline constexpr std::string_view kL2ClockHz = "l2_clock_hz";

}  // namespace rooflinectl
