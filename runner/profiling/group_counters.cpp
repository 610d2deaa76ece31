// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/group_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include "core/model/metrics.h"
#include "core/model/profile_settings.h"

namespace rooflinectl {

namespace {

/// Hardware and instrumentation agree within 0.3 % on kernels that wait for each other, exactly on others.
constexpr double kMostDifference = 0.05;
constexpr double kLeastL1Share = 0.9;

bool is_operation(const Metric& metric) {
  return metric.names.front().find("_sass_") != std::string_view::npos;
}

/// The keys that every group should have of a pass; those of tensor types only where tensor instructions ran.
std::set<std::string> expected_keys(Pass pass) {
  if (pass == Pass::tensor_bf16) {
    return {std::string(counter::kTensorBf16Ops), std::string(counter::kTensorF8Ops)};
  }
  if (pass == Pass::tensor_f16) return {std::string(counter::kTensorF16Ops)};
  if (pass == Pass::tensor_tf32) return {std::string(counter::kTensorTf32Ops)};
  if (pass == Pass::tensor_i8) return {std::string(counter::kTensorI8Ops)};
  if (pass == Pass::tensor_f64) return {std::string(counter::kTensorF64Ops)};
  std::set<std::string> keys;
  for (const Metric& metric : basic_metrics()) {
    if (is_operation(metric) == (pass == Pass::operations)) keys.emplace(metric.key);
  }
  return keys;
}

/// The keys of a pass: those that it has counted of some group, or else those that it should have.
std::set<std::string> keys_of(Pass pass, const PassKeys& keys) {
  const auto found = keys.find(to_string(pass));
  return found == keys.end() ? expected_keys(pass) : found->second;
}

void withdraw(RepeatedCounters& counted, std::string_view key, const std::string& reason) {
  const auto found = counted.counters.find(key);
  if (found == counted.counters.end()) return;
  if (found->second.available()) found->second = CounterValue::unavailable(reason);
  counted.spread.erase(std::string(key));
}

std::optional<std::string> failure_of_instrumentation(const Counters& counters) {
  const auto hardware = value_of(counters, counter::kWarpInstructions);
  const auto instrumented = value_of(counters, counter::kWarpInstructionsSass);
  if (!instrumented) return std::nullopt;
  if (*instrumented == 0 && hardware != 0) {
    return hardware
               ? fmt::format("instrumentation counted none of the {:.0f} instructions that warps executed",
                             *hardware)
               : "instrumentation counted no instructions";
  }
  if (!hardware) return std::nullopt;
  const double difference = difference_between_passes(counters);
  if (difference <= kMostDifference) return std::nullopt;
  return fmt::format(
      "the launches counted here executed {:.0f} instructions of warps, those counted by the hardware {:.0f}",
      *instrumented, *hardware);
}

void check_operations(RepeatedCounters& counted, const PassKeys& keys) {
  const auto failure = failure_of_instrumentation(counted.counters);
  if (!failure) return;
  for (const std::string& key : keys_of(Pass::operations, keys)) withdraw(counted, key, *failure);
}

void check_l1(RepeatedCounters& counted) {
  const auto l1 = value_of(counted.counters, counter::kL1Bytes);
  const auto l2 = value_of(counted.counters, counter::kL2Bytes);
  if (!l1 || !l2 || *l1 >= kLeastL1Share * *l2) return;
  const char* const reason =
      "L1 counted fewer bytes than it requested from L2: bulk copies (TMA) and wgmma go past its counters";
  withdraw(counted, counter::kL1Bytes, reason);
  withdraw(counted, counter::kSharedBytes, reason);
}

}  // namespace

RepeatedCounters counters_of_group(const CountedPasses& counted, const PassKeys& keys,
                                   const MissingReason& missing) {
  RepeatedCounters result;
  for (const auto& [pass, averaged] : counted) {
    RepeatedCounters of_pass = averaged.result();
    // A key that several passes count is taken from the first: memory, then operations, come before tensors.
    result.counters.insert(of_pass.counters.begin(), of_pass.counters.end());
    result.spread.insert(of_pass.spread.begin(), of_pass.spread.end());
    result.repeats = result.repeats == 0 ? of_pass.repeats : std::min(result.repeats, of_pass.repeats);
  }
  const bool has_tensors = tensor_instructions(result.counters).value_or(0) > 0;
  for (const Pass pass : kPasses) {
    const std::string name(to_string(pass));
    const bool is_needed = pass == Pass::memory || pass == Pass::operations || has_tensors;
    if (!is_needed || counted.contains(name)) continue;
    const std::string reason = missing(name);
    for (const std::string& key : keys_of(pass, keys)) {
      result.counters.try_emplace(key, CounterValue::unavailable(reason));
    }
  }
  check_operations(result, keys);
  check_l1(result);
  return result;
}

}  // namespace rooflinectl
