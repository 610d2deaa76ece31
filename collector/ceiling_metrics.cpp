// SPDX-License-Identifier: Apache-2.0
#include "collector/ceiling_metrics.h"

namespace rooflinectl {

const std::vector<Metric>& ceiling_metrics() {
  static const std::vector<Metric> metrics = [] {
    std::vector<Metric> all = basic_metrics();
    all.insert(all.end(), tensor_metrics().begin(), tensor_metrics().end());
    const std::vector<Metric> more = {
        {kPeakFfma,
         {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained"},
         1,
         "f32 multiply-adds"},
        {kPeakFadd, {"sm__sass_thread_inst_executed_op_fadd_pred_on.sum.peak_sustained"}, 1, "f32 additions"},
        {kPeakDfma,
         {"sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained"},
         1,
         "f64 multiply-adds"},
        {kPeakDadd, {"sm__sass_thread_inst_executed_op_dadd_pred_on.sum.peak_sustained"}, 1, "f64 additions"},
        {kPeakHfma,
         {"sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained"},
         1,
         "packed multiply-adds"},
        // Only names that leave sparse products out: the others promise twice what a dense one can do.
        {kPeakTensorF16,
         {"sm__ops_path_tensor_op_hgmma_src_fp16_sparsity_off.sum.peak_sustained",
          "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum.peak_sustained"},
         1,
         "operations"},
        {kPeakTensorBf16,
         {"sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.sum.peak_sustained",
          "sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_off.sum.peak_sustained"},
         1,
         "operations"},
        {kPeakTensorTf32,
         {"sm__ops_path_tensor_op_hgmma_src_tf32_dst_fp32_sparsity_off.sum.peak_sustained",
          "sm__ops_path_tensor_src_tf32_dst_fp32_sparsity_off.sum.peak_sustained"},
         1,
         "operations"},
        {kPeakTensorF8, {"sm__ops_path_tensor_src_fp8_sparsity_off.sum.peak_sustained"}, 1, "operations"},
        {kPeakTensorI8,
         {"sm__ops_path_tensor_op_igmma_src_int8_sparsity_off.sum.peak_sustained",
          "sm__ops_path_tensor_src_int8_sparsity_off.sum.peak_sustained"},
         1,
         "operations"},
        {kPeakL2Sectors, {"lts__t_sectors_srcunit_tex.sum.peak_sustained"}, 1, "sectors of 32 bytes"},
        {kPeakL1Wavefronts,
         {"l1tex__data_pipe_lsu_wavefronts.sum.peak_sustained"},
         1,
         "wavefronts of 128 bytes"},
        {kL2ClockHz, {"lts__cycles_elapsed.avg.per_second"}, 1, "L2 clock while counting"},
    };
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return metrics;
}

}  // namespace rooflinectl
