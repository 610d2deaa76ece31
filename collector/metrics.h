// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace rooflinectl {

/// One counter of ours and the hardware metrics that it can come from.
struct Metric {
  std::string_view key;  ///< ours, from `core/model/counters.h`
  /// Names of the same quantity on different chips; the first that a chip has is used.
  std::vector<std::string_view> names;
  double scale = 1;  ///< our value = hardware value × scale (percent and per-32-lanes become ratios)
  std::string_view meaning;
};

/// The basic set: everything a roofline and the ladder need, in three passes on every chip. Metrics with
/// `_sass_` in their name instrument the kernel and need a pass of their own; the others fill one, and
/// whether tensor instructions ran takes the third.
const std::vector<Metric>& basic_metrics();

/// Operations of the tensor cores by type, in up to six passes: for launches that the basic set saw tensor
/// instructions of.
const std::vector<Metric>& tensor_metrics();

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
