// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "core/enum_names.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

namespace rooflinectl {

namespace {

/// From this share on, what is unknown is mentioned.
constexpr double kNotableShare = 0.001;
/// Sampled and counted bytes of what was counted agree to this.
constexpr double kBytesAgree = 0.03;

std::string window(const DeviceView& view) {
  const DeviceTimeline& device = *view.timeline;
  std::string text = fmt::format("Sampled for {} every {}: {}, ", format::duration(view.duration_s()),
                                 format::duration(static_cast<double>(device.interval_ns) * kNs),
                                 format::counted(device.start_ns.size(), "sample"));
  text += view.missing_s > 0 ? fmt::format("{} of the window lost", format::percent(view.missing_share()))
                             : std::string("none lost");
  if (view.not_kept_s > 0) {
    text += fmt::format("; the preceding {} of samples were discarded", format::duration(view.not_kept_s));
  }
  return text + ".";
}

std::string dram(const DramCheck& check) {
  const double expected = check.counted_bytes + check.transfer_bytes;
  std::string text = fmt::format("{} sampled to and from DRAM", format::amount(check.sampled_bytes, "B"));
  const bool is_mostly_known = check.unknown_share < 0.5;
  if (const auto ratio = is_mostly_known ? check.ratio() : std::nullopt) {
    text +=
        fmt::format(", {:.3f} of the {} counted for the launches{}", *ratio, format::amount(expected, "B"),
                    check.transfer_bytes > 0 ? " and copies in it" : " in it");
  } else {
    text += is_mostly_known ? ", no counted bytes to compare with"
                            : ", not compared: the bytes of most of what ran are unknown";
  }
  if (check.ratio() && check.unknown_share < kNotableShare && std::abs(*check.ratio() - 1) > kBytesAgree) {
    text += fmt::format(": they should agree to {}", format::whole_percent(kBytesAgree));
  }
  if (check.unknown_share >= kNotableShare) {
    text += fmt::format(" ({} of their time was not counted)", format::percent(check.unknown_share));
  }
  return text;
}

std::string tensor(const TensorCheck& check) {
  return fmt::format("Tensor Cores active for {}, {} than their operations need ({})",
                     format::duration(check.active_s), check.holds() ? "no less" : "less",
                     format::duration(check.needed_s));
}

std::string operations(const DeviceView& view) {
  if (view.kernel_s <= 0) return "no kernel was traced";
  const double known = 1 - view.unknown_flops_s / view.kernel_s;
  return fmt::format("operations known for {} of the kernel time", format::percent(known));
}

}  // namespace

std::vector<std::string> timeline_sentences(const DeviceView& view) {
  if (view.was_watched) {
    const std::string bytes =
        view.dram ? fmt::format("{} to and from DRAM; ", format::amount(view.dram->sampled_bytes, "B")) : "";
    return {window(view),
            bytes + "which kernels ran is unknown: rooflinectl watch samples the GPU, not a program."};
  }
  std::string checks = view.dram ? dram(*view.dram) : std::string("DRAM was not sampled");
  if (view.tensor) checks += "; " + tensor(*view.tensor);
  return {window(view), fmt::format("{}; {}.", checks, operations(view))};
}

std::string phase_sentence(const DeviceView& view) {
  constexpr std::array<std::string_view, kEnumerators<PhaseRule>.size()> kSentences = {
      "No phases: the use of resources does not change, or changes too often to tell them apart.",
      "Launches that follow each other in the same NVTX range.",
      "NVTX ranges on the host; the device may lag behind.",
      "Without NVTX ranges: from one change in resource use to the next."};
  return std::string(kSentences.at(static_cast<std::size_t>(view.phase_rule)));
}

}  // namespace rooflinectl
