// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/run.h"
#include "tests/support/constructed_run.h"

/// A profiled program made up for tests: nothing in it was measured. Its kernels are those of a training
/// step, with times and counts of the size that an H200 shows.
namespace rooflinectl::constructed {

/// What is made up about one group of launches; counts are of one launch.
struct ProgramKernel {
  std::string_view name;  ///< as demangled
  std::string_view grid;
  std::string_view block;
  std::string_view path;
  double median_us = 0;
  std::uint64_t launches = 0;
  double read_mb = 0;
  double written_mb = 0;
  double l2_mb = 0;
  double l1_mb = 0;
  double shared_mb = 0;
  double ffma = 0;
  double fadd = 0;
  double integer = 0;
  double warp_instructions = 0;
  double tensor_bf16 = 0;
  std::string_view cluster = {};
  std::uint64_t shared_bytes = 0;
};

inline constexpr std::string_view kGemmName = "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNT";
inline constexpr std::string_view kAddName =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)";
inline constexpr std::string_view kCopyName =
    "void at::native::vectorized_elementwise_kernel<4, at::native::bfloat16_copy_kernel_cuda"
    "(at::TensorIteratorBase&)::{lambda(float)#1}, std::array<char*, 2ul> >(int, "
    "at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}, std::array<char*, "
    "2ul>)";
inline constexpr std::string_view kSoftmaxName =
    "void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float, float, float, at::native::"
    "(anonymous namespace)::LogSoftMaxForwardEpilogue>(float*, float const*, int)";
inline constexpr std::string_view kLayerNormName =
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int, float, float "
    "const*, float const*, float const*, float*, float*, float*)";
inline constexpr std::string_view kLayerNormBackwardName =
    "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<float, float>(float "
    "const*, float const*, float const*, float const*, float const*, float*, int)";
inline constexpr std::string_view kEmbeddingName =
    "void at::native::(anonymous namespace)::indexSelectSmallIndex<float, long, unsigned int, 2, 2, -2>"
    "(at::cuda::detail::TensorInfo<float, unsigned int>, int)";
inline constexpr std::string_view kAdamName =
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
    "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
    "namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, double>"
    "(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, float const*, double)";
inline constexpr std::string_view kFlashName =
    "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
    "cutlass::bfloat16_t, Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, false, true, false, "
    "false, true, true, false, false>(pytorch_flash::Flash_fwd_params)";
inline constexpr std::string_view kNormName =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::NormTwoOps<float, "
    "float, float>, unsigned int, float, 4, 4> >(at::native::ReduceOp<float, "
    "at::native::NormTwoOps<float, float, float>, unsigned int, float, 4, 4>)";

inline const std::vector<ProgramKernel>& program_kernels() {
  static const std::vector<ProgramKernel> all = {
      // The product with the vocabulary: 2 · 4224 · 32064 · 1024 operations in tiles of 192 × 192.
      {kGemmName, "132", "384", "step/forward", 420, 20, 74, 262, 1900, 0, 0, 0, 1.31e8, 2.4e7, 5.1e6,
       2.774e11, "2", 230000},
      {kGemmName, "66", "384", "step/forward/block", 21, 320, 16, 8, 120, 0, 0, 0, 4.2e6, 8e5, 2.4e5, 8.6e9,
       "2", 230000},
      {kFlashName,
       "32x16x8",
       "128",
       "step/forward/block",
       60,
       160,
       33,
       8.4,
       400,
       420,
       900,
       2.6e8,
       1.4e8,
       1.1e8,
       9.1e6,
       1.72e10,
       {},
       81920},
      {kSoftmaxName, "4096", "1024", "step/loss", 380, 20, 925, 524, 1450, 1450, 4, 1.3e8, 5.5e8, 2.1e8,
       4.1e7, 0},
      {kLayerNormName, "4096", "128", "step/forward/block", 9.5, 320, 16.8, 16.8, 34, 34, 0.3, 1.3e7, 1.3e7,
       9e6, 7e5, 0},
      {kLayerNormName, "4096", "128", "step/forward", 9.8, 20, 16.8, 16.8, 34, 34, 0.3, 1.3e7, 1.3e7, 9e6,
       7e5, 0},
      {kLayerNormBackwardName, "4096", "256", "step/backward", 31, 320, 50, 17, 70, 72, 0.6, 2.1e7, 3.4e7,
       2.5e7, 1.6e6, 0},
      {kAddName, "8192", "128", "step/forward/block", 4.1, 640, 1, 2, 25, 25, 0, 0, 4.2e6, 3e6, 2.6e5, 0},
      {kCopyName, "65536", "128", "step/optimizer", 92, 20, 263, 131, 394, 394, 0, 0, 0, 9e7, 7.9e6, 0},
      {kEmbeddingName, "4096", "128", "step/forward", 11, 20, 17, 17, 34, 34, 0, 0, 0, 3.1e7, 1.4e6, 0},
      {kAdamName, "2048", "512", "step/optimizer", 1100, 20, 1920, 1440, 3360, 3360, 0, 9e8, 6e8, 1.2e9, 7e7,
       0},
  };
  return all;
}

/// That many launches over 1.5 s: if few, one by one; if many, by parts of the time. The first three were
/// counted, and took longer; every 16th took a fifth longer.
inline std::vector<LaunchTimes> launch_times(std::uint64_t launches, double median_s) {
  constexpr double kSpanS = 1.5;
  const std::uint64_t parts = std::min<std::uint64_t>(launches, kMostLaunchTimes);
  std::vector<LaunchTimes> times;
  for (std::uint64_t part = 0; part < parts; ++part) {
    const std::uint64_t count = launches * (part + 1) / parts - launches * part / parts;
    const double factor = part < 3 ? 1.5 : part % 16 == 15 ? 1.2 : 1 + 0.002 * static_cast<double>(part % 5);
    times.push_back({.start_s = kSpanS * static_cast<double>(part) / static_cast<double>(parts),
                     .launches = count,
                     .counted = part < 3 ? 1U : 0U,
                     .min_s = median_s * (count > 1 ? 0.97 : factor),
                     .median_s = median_s * (count > 1 ? 1 : factor),
                     .max_s = median_s * factor});
  }
  return times;
}

/// That of a point with these axes; what `kernel` does not have was not counted where `is_counted` is false.
inline Measurement program_measurement(const ProgramKernel& kernel, bool is_counted) {
  constexpr double kMb = 1e6;
  constexpr double kUs = 1e-6;
  Measurement made;
  made.point = {"train.py", std::string(kernel.name), {}};
  const auto set_extent = [&](std::string_view name, std::string_view extent) {
    if (extent.empty()) return;
    if (extent.find('x') == std::string_view::npos) {
      made.point.axes.set(name, std::uint64_t{std::stoul(std::string(extent))});
    } else {
      made.point.axes.set(name, std::string(extent));
    }
  };
  set_extent("grid", kernel.grid);
  set_extent("block", kernel.block);
  if (kernel.shared_bytes > 0) made.point.axes.set("shared", kernel.shared_bytes);
  set_extent("cluster", kernel.cluster);
  if (!kernel.path.empty()) made.point.axes.set("path", std::string(kernel.path));
  made.launch = {132, 128, {}};
  made.resources = KernelResources{40, static_cast<int>(kernel.shared_bytes), 8, 8};
  const double median_s = kernel.median_us * kUs;
  TimeResult time;
  time.median_s = median_s;
  time.ci_low_s = median_s * 0.999;
  time.ci_high_s = median_s * 1.001;
  time.samples_s.assign(16, median_s);
  time.sample_clocks_hz.assign(16, 0);
  time.mode = LaunchMode::plain;
  made.time = time;
  made.launches = LaunchStatistics{.count = kernel.launches + 4,
                                   .traced = kernel.launches,
                                   .total_s = static_cast<double>(kernel.launches) * median_s,
                                   .p95_s = median_s * 1.04,
                                   .overlapped_s = 0,
                                   .counted = is_counted ? 3U : 0U};
  made.launches->over_time = launch_times(kernel.launches, median_s);
  made.process = 4711;
  const auto set = [&](std::string_view key, double value) {
    made.counters.emplace(std::string(key), is_counted ? CounterValue::measured(value)
                                                       : CounterValue::unavailable(
                                                             "launched once, before it could be counted"));
  };
  set(counter::kDramReadBytes, kernel.read_mb * kMb);
  set(counter::kDramWriteBytes, kernel.written_mb * kMb);
  set(counter::kL2Bytes, kernel.l2_mb * kMb);
  if (kernel.l1_mb > 0) {
    set(counter::kL1Bytes, kernel.l1_mb * kMb);
    set(counter::kSharedBytes, kernel.shared_mb * kMb);
  } else {
    for (const std::string_view key : {counter::kL1Bytes, counter::kSharedBytes}) {
      made.counters.emplace(std::string(key), CounterValue::unavailable("bulk copies go past its counters"));
    }
  }
  set(counter::kFfma, kernel.ffma);
  set(counter::kFadd, kernel.fadd);
  set(counter::kIntegerOps, kernel.integer);
  for (const std::string_view key :
       {counter::kFmul, counter::kDadd, counter::kDmul, counter::kDfma, counter::kHadd, counter::kHmul,
        counter::kHfma, counter::kL2AtomicOperations}) {
    set(key, 0);
  }
  set(counter::kWarpInstructions, kernel.warp_instructions);
  set(counter::kWarpInstructionsSass, kernel.warp_instructions);
  set(counter::kOccupancy, 0.7);
  set(counter::kSmClockHz, 1.9e9);
  // 16 × 192 × 192 operations of a warp group's instruction, four warps of it.
  set(counter::kTensorPipeInstructions, std::ceil(kernel.tensor_bf16 / 294912));
  if (kernel.tensor_bf16 > 0) set(counter::kTensorBf16Ops, kernel.tensor_bf16);
  if (is_counted) made.counter_repeats = 3;
  if (is_counted) made.counter_spread["dram_read_bytes"] = 0.004;
  return made;
}

/// Those of an H200 (docs/ceilings.md).
inline std::vector<Ceiling> program_ceilings() {
  constexpr auto kMeasured = CeilingSource::measured;
  constexpr auto kTheoretical = CeilingSource::theoretical;
  constexpr auto kBandwidth = CeilingKind::bandwidth;
  constexpr auto kCompute = CeilingKind::compute;
  const std::string method = "as docs/ceilings.md has it";
  return {
      ceiling("dram", kBandwidth, kTheoretical, "dram", "", 4.814e12, method),
      ceiling("dram_read", kBandwidth, kMeasured, "dram", "read", 4.72e12, method),
      ceiling("dram_write", kBandwidth, kMeasured, "dram", "write", 4.70e12, method),
      ceiling("dram_copy", kBandwidth, kMeasured, "dram", "copy", 4.28e12, method),
      ceiling("l2_read", kBandwidth, kMeasured, "l2", "read", 8.81e12, method),
      ceiling("l1_read", kBandwidth, kMeasured, "l1", "read", 31.7e12, method),
      ceiling("shared_read", kBandwidth, kMeasured, "shared", "read", 32.4e12, method),
      ceiling("f64_add", kCompute, kMeasured, "f64", "add", 16.7e12, method),
      ceiling("f64_fma", kCompute, kMeasured, "f64", "fma", 33.3e12, method),
      ceiling("f32_add", kCompute, kMeasured, "f32", "add", 32.8e12, method),
      ceiling("f32_fma", kCompute, kMeasured, "f32", "fma", 65.5e12, method),
      ceiling("f16_fma", kCompute, kMeasured, "f16", "fma", 130e12, method),
      ceiling("bf16_fma", kCompute, kMeasured, "bf16", "fma", 132e12, method),
      ceiling("i32_add", kCompute, kMeasured, "i32", "add", 33.3e12, method),
      ceiling("i32_fma", kCompute, kMeasured, "i32", "fma", 33.4e12, method),
      ceiling("f16_tensor", kCompute, kMeasured, "f16", "tensor", 916e12, method),
      ceiling("bf16_tensor", kCompute, kMeasured, "bf16", "tensor", 915e12, method),
      ceiling("tf32_tensor", kCompute, kMeasured, "tf32", "tensor", 461e12, method),
      ceiling("f8_tensor", kCompute, kMeasured, "f8", "tensor", 1.76e15, method),
      ceiling("graph_node", CeilingKind::latency, kMeasured, "", "launch in a graph", 0.578e-6, method),
      ceiling("launch", CeilingKind::latency, kMeasured, "", "launch", 2.84e-6, method),
  };
}

/// A training step, 20 times: the kernels above, one that was launched once and not counted, and a CUDA
/// graph.
inline Run program_run() {
  Run run = empty_run();
  run.command_line = {"rooflinectl", "profile", "--", "python3", "train.py", "--steps", "20"};
  run.plan.name = "train.py";
  run.catalogue = {};
  run.ceilings = program_ceilings();
  run.plan.experiments.push_back({.name = "train.py", .title = "python3 train.py --steps 20"});
  for (const ProgramKernel& kernel : program_kernels()) {
    run.measurements.push_back(program_measurement(kernel, true));
  }
  run.measurements.push_back(program_measurement({kNormName, "1", "512", "step/backward", 14, 1}, false));
  ProgramKernel graph = {
      "CUDA graph 5f3a", "", "", "evaluate", 210, 10, 90, 40, 300, 310, 50, 2e8, 1e8, 9e7, 9e6, 0};
  Measurement of_graph = program_measurement(graph, true);
  of_graph.point.axes = {};
  of_graph.point.axes.set("path", std::string("evaluate"));
  of_graph.launch = {};
  of_graph.resources.reset();
  of_graph.launches->graph_nodes = 12;
  of_graph.launches->graph_kernels = {{std::string(kGemmName), 10, 1.2e-3},
                                      {std::string(kAddName), 110, 0.8e-3}};
  run.measurements.push_back(of_graph);

  double kernel_s = 0;
  std::uint64_t launches = 0;
  for (const Measurement& measurement : run.measurements) {
    kernel_s += measurement.launches->total_s;
    launches += measurement.launches->count;
  }
  Application application;
  application.command_line = {"python3", "train.py", "--steps", "20"};
  application.wall_s = 9.4;
  application.processes = {{.id = 4711}};
  application.launches = launches;
  application.untraced = 4 * run.measurements.size();
  application.devices = {{.device = 0,
                          .span_s = 2.5 * kernel_s,
                          .untraced_s = 1.2 * kernel_s,
                          .kernel_busy_s = kernel_s,
                          .busy_s = 1.04 * kernel_s,
                          .kernel_s = kernel_s,
                          .undisturbed = UndisturbedUse{.busy_s = 0.7 * kernel_s,
                                                        .gaps = {{5e-6, 640, 0.8e-3},
                                                                 {20e-6, 420, 4.9e-3},
                                                                 {100e-6, 12, 0.4e-3},
                                                                 {1e-3, 1, 0.2e-3},
                                                                 {{}, 1, 1.6e-3}}}}};
  run.measurements[0].launches->gaps_before = 900;
  run.measurements[0].launches->idle_before_s = 5.7e-3;
  run.measurements[1].launches->gaps_before = 173;
  run.measurements[1].launches->idle_before_s = 0.6e-3;
  application.transfers = {{0, TransferKind::host_to_device, 40, 41.9e6, 1.9e-3, 1, 1.6e-3},
                           {0, TransferKind::device_to_device, 60, 3e9, 1.8e-3},
                           {0, TransferKind::set, 200, 12e6, 0.4e-3},
                           {0, TransferKind::device_to_host, 20, 80, 0.05e-3}};
  application.passes = {
      {.process = 4711, .pass = "memory", .is_traced = true, .start_s = 0, .end_s = 0.32},
      {.process = 4711, .pass = "operations", .is_traced = false, .start_s = 0.32, .end_s = 0.41},
      {.process = 4711, .pass = "tensor", .is_traced = true, .start_s = 0.41, .end_s = 0.52}};
  application.ranges = {{.path = "evaluate",
                         .count = 10,
                         .undisturbed = 10,
                         .median_s = 2.2e-3,
                         .p95_s = 2.4e-3,
                         .interval_s = 7.9e-3},
                        {.path = "step",
                         .count = 20,
                         .undisturbed = 13,
                         .median_s = 3.6e-3,
                         .p95_s = 4.1e-3,
                         .interval_s = 3.9e-3},
                        {.path = "step/backward",
                         .count = 20,
                         .undisturbed = 13,
                         .median_s = 0.6e-3,
                         .p95_s = 0.7e-3,
                         .interval_s = 3.9e-3},
                        {.path = "step/forward",
                         .count = 20,
                         .undisturbed = 13,
                         .median_s = 1.1e-3,
                         .p95_s = 1.4e-3,
                         .interval_s = 3.9e-3},
                        {.path = "step/forward/block",
                         .count = 320,
                         .undisturbed = 208,
                         .median_s = 0.06e-3,
                         .p95_s = 0.08e-3,
                         .interval_s = 0.07e-3},
                        {.path = "step/loss",
                         .count = 20,
                         .undisturbed = 13,
                         .median_s = 0.1e-3,
                         .p95_s = 0.1e-3,
                         .interval_s = 3.9e-3},
                        {.path = "step/optimizer",
                         .count = 20,
                         .undisturbed = 13,
                         .median_s = 0.9e-3,
                         .p95_s = 1.0e-3,
                         .interval_s = 3.9e-3}};
  run.application = application;
  return run;
}

}  // namespace rooflinectl::constructed
