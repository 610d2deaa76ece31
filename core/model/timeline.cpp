// SPDX-License-Identifier: Apache-2.0
#include "core/model/timeline.h"

namespace rooflinectl {

namespace {

/// Of a sample in the device's buffer, measured on GH100 with all of `sampled_metrics`.
constexpr std::size_t kSampleBytes = 26'000;
/// Half a second at the shortest interval that is read meanwhile.
constexpr std::size_t kReadBufferBytes = std::size_t{64} << 20;
constexpr std::size_t kWindowBufferBytes = std::size_t{256} << 20;

}  // namespace

std::optional<double> sampling_window_s(std::uint64_t interval_ns) {
  if (interval_ns >= kShortestReadInterval) return std::nullopt;
  return static_cast<double>(kWindowBufferBytes / kSampleBytes * interval_ns) * 1e-9;
}

std::size_t sampling_buffer_bytes(std::uint64_t interval_ns) {
  return interval_ns >= kShortestReadInterval ? kReadBufferBytes : kWindowBufferBytes;
}

}  // namespace rooflinectl
