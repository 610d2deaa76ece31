// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <utility>

#include "core/counters/counters.h"
#include "core/counters/metrics.h"

namespace rooflinectl {

namespace {

std::vector<Metric> with_keys(const std::vector<Metric>& from, const std::vector<std::string_view>& keys) {
  std::vector<Metric> found;
  for (const std::string_view key : keys) {
    found.push_back(*std::find_if(from.begin(), from.end(), [&](const Metric& m) { return m.key == key; }));
  }
  return found;
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
  std::stable_sort(found.begin(), found.end(),
                   [](const Metric& a, const Metric& b) { return a.priority < b.priority; });
  return found;
}

/// Of the launch that is counted: the first that is left out where there is no room.
Metric time_metric() {
  return {.key = counter::kCountedTimeS, .names = {"gpu__time_duration.sum"}, .scale = 1e-9};
}

std::vector<Metric> with_time(std::vector<Metric> metrics) {
  metrics.push_back(time_metric());
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
      metrics.push_back(
          {.key = kTensorBf16Ops, .names = {"sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32.sum"}});
      metrics.push_back(
          {.key = kTensorTf32Ops, .names = {"sm__ops_path_tensor_op_hgmma_src_tf32_dst_fp32.sum"}});
      metrics.push_back({.key = kTensorF16Ops, .names = {"sm__ops_path_tensor_op_hgmma_src_fp16.sum"}});
      metrics.push_back({.key = kTensorF8Ops, .names = {"sm__ops_path_tensor_src_fp8.sum"}});
      return with_time(std::move(metrics));
    }
    case Pass::tensor_bf16:
      return with_keys(tensor_metrics(), {kTensorBf16Ops});
    case Pass::tensor_f16:
      // The total of f16 takes GH100 two passes. Which of its two parts accumulate in f16 is not counted.
      return {{.key = kTensorF16Ops,
               .names = {"sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32.sum",
                         "sm__ops_path_tensor_src_fp16_dst_fp32.sum", "sm__ops_path_tensor_src_fp16.sum",
                         "sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum"}}};
    case Pass::tensor_tf32:
      return with_keys(tensor_metrics(), {kTensorTf32Ops});
    case Pass::tensor_i8:
      // Ampere and Ada take two passes for the total, with and without sparsity; Hopper's consists of that of
      // warps and that of warpgroups.
      return {
          {.key = kTensorI8Ops,
           .names = {"sm__ops_path_tensor_op_imma_src_int8_sparsity_off.sum",
                     "sm__ops_path_tensor_src_int8_sparsity_off.sum", "sm__ops_path_tensor_src_int8.sum"}},
          {.key = kTensorI8Ops, .names = {"sm__ops_path_tensor_op_igmma_src_int8.sum"}}};
    case Pass::tensor_f64:
      return with_keys(tensor_metrics(), {kTensorF64Ops});
    case Pass::pipes:
      return with_time(pipe_metrics());
    case Pass::stalls: {
      std::vector<Metric> metrics = basic_metrics_of(pass);
      metrics.insert(metrics.begin(), {.key = kStallPassWarpCycles, .names = {"sm__warps_active.sum"}});
      return with_time(std::move(metrics));
    }
  }
  return {};
}

}  // namespace rooflinectl
