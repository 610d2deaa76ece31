// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/run.h"
#include "tests/support/operations.h"

/// A run made up for tests: nothing in it was measured. Its times and counts are of the size that an H200
/// shows, so that pictures of it are as crowded as real ones.
namespace rooflinectl::constructed {

/// What is made up about one variant.
struct Variant {
  std::string_view id;
  std::string_view label;
  std::string_view title;
  std::string_view family;
  OutputKind output;
  unsigned elements_per_output;  ///< of those that leave partial sums
  double bytes_per_s;            ///< effective, for large inputs
  double fadd_per_element;       ///< executed; for the sum line at many elements per thread
  double written_per_element;    ///< bytes
  double efficiency;
  double nonpred_efficiency;
  double shared_wavefronts;  ///< per instruction
};

inline const std::vector<Variant>& variants() {
  constexpr auto kPartials = OutputKind::partials;
  constexpr auto kScalar = OutputKind::scalar;
  constexpr std::string_view kLadder = "reduction ladder";
  constexpr std::string_view kSum = "whole sums";
  static const std::vector<Variant> all = {
      {"reduce_v0_global", "V0", "interleaved pairs in global memory", kLadder, kPartials, 256, 726e9, 0.996,
       3.98, 0.975, 0.41, 1.0},
      {"reduce_v1_shared", "V1", "interleaved pairs in shared memory", kLadder, kPartials, 256, 922e9, 0.996,
       0.016, 0.991, 0.43, 1.0},
      {"reduce_v2_strided", "V2", "strided index, whole warps retire", kLadder, kPartials, 256, 940e9, 0.996,
       0.016, 0.972, 0.86, 3.1},
      {"reduce_v3_sequential", "V3", "sequential addressing", kLadder, kPartials, 256, 952e9, 0.996, 0.016,
       0.974, 0.87, 1.0},
      {"reduce_v4_add_on_load", "V4", "first addition while loading", kLadder, kPartials, 512, 4402e9, 0.998,
       0.008, 0.978, 0.9, 1.0},
      {"reduce_v5_unroll_last_warp", "V5", "last warp unrolled", kLadder, kPartials, 512, 4431e9, 1.25, 0.008,
       0.996, 0.97, 1.0},
      {"reduce_v6_unroll_complete_pragma", "V6 pragma", "unrolled by the compiler", kLadder, kPartials, 512,
       4438e9, 1.25, 0.008, 0.997, 0.98, 1.0},
      {"reduce_v6_unroll_complete_if", "V6 if", "unrolled by hand", kLadder, kPartials, 512, 4441e9, 1.25,
       0.008, 0.997, 0.98, 1.0},
      {"reduce_v7_multi_add", "V7", "many elements per thread", kLadder, kPartials, 32768, 4447e9, 1.01169,
       0.0001, 1.0, 0.99, 1.0},
      {"reduce_v8_warp_shuffle", "V8", "warp shuffle at the end", kLadder, kPartials, 32768, 4454e9, 1.01077,
       0.0001, 1.0, 0.99, 1.0},
      {"sum_atomic", "atomic", "one atomic per element", kSum, kScalar, 0, 7.1e9, 0, 0, 1.0, 1.0, 1.0},
      {"sum_smem_tree", "smem tree", "shared tree, one atomic per block", kSum, kScalar, 0, 4120e9, 0.996, 0,
       0.974, 0.87, 1.0},
      {"sum_warp_shuffle", "warp shuffle", "one atomic per warp", kSum, kScalar, 0, 4390e9, 1, 0, 1.0, 0.99,
       1.0},
      {"sum_block_shuffle", "block shuffle", "one atomic per block", kSum, kScalar, 0, 4437e9, 1, 0, 1.0,
       0.99, 1.0},
  };
  return all;
}

inline Ceiling ceiling(std::string id, CeilingKind kind, CeilingSource source, std::string subject,
                       std::string operation, double value, std::string method) {
  Ceiling made{std::move(id), kind, source, std::move(subject), std::move(operation),
               value,         {},   0,      std::move(method)};
  made.sm_clock_hz = 1.98e9;
  if (source == CeilingSource::measured) made.relative_spread = 0.002;
  return made;
}

inline std::vector<Ceiling> ceilings() {
  constexpr auto kMeasured = CeilingSource::measured;
  constexpr auto kTheoretical = CeilingSource::theoretical;
  return {
      ceiling("dram", CeilingKind::bandwidth, kTheoretical, "dram", "", 4814e9,
              "constructed: clock × 2 × bus width"),
      ceiling("dram_read", CeilingKind::bandwidth, kMeasured, "dram", "read", 4579e9,
              "constructed: 4 blocks per SM"),
      ceiling("dram_write", CeilingKind::bandwidth, kMeasured, "dram", "write", 4598e9,
              "constructed: 4 blocks per SM"),
      ceiling("dram_copy", CeilingKind::bandwidth, kMeasured, "dram", "copy", 4230e9,
              "constructed: 8 blocks per SM"),
      ceiling("f32_fma", CeilingKind::compute, kTheoretical, "f32", "fma", 66.9e12,
              "constructed: 16896 × 2 × clock"),
      ceiling("f32_fma", CeilingKind::compute, kMeasured, "f32", "fma", 65.0e12,
              "constructed: 2 blocks per SM"),
      ceiling("f32_add", CeilingKind::compute, kTheoretical, "f32", "add", 33.45e12,
              "constructed: 16896 × clock"),
      ceiling("f32_add", CeilingKind::compute, kMeasured, "f32", "add", 32.5e12,
              "constructed: 2 blocks per SM"),
      ceiling("launch", CeilingKind::latency, kMeasured, "", "launch", 2.1e-6,
              "constructed: an empty kernel"),
      ceiling("graph_node", CeilingKind::latency, kMeasured, "", "graph node", 0.56e-6,
              "constructed: empty kernels"),
  };
}

inline Counters counters(const Variant& variant, const PointId& point, double fadd_per_element) {
  const auto n = static_cast<double>(*size_of(point));
  const double wavefronts = n / 64;
  Counters made;
  const auto set = [&](std::string_view key, double value) {
    made.emplace(std::string(key), CounterValue::measured(value));
  };
  set(counter::kDramReadBytes, n * static_cast<double>(size_bytes(*dtype_of(point))) * 1.0008);
  set(counter::kDramWriteBytes, n * variant.written_per_element + 4096);
  set(counter::kFadd, n * fadd_per_element);
  set(counter::kFmul, 0);
  set(counter::kFfma, 0);
  set(counter::kWarpInstructions, n / 8);
  set(counter::kL2AtomicOperations, variant.id == "sum_atomic" ? n : 0);
  set(counter::kWarpExecutionEfficiency, variant.efficiency);
  set(counter::kWarpNonpredExecutionEfficiency, variant.nonpred_efficiency);
  set(counter::kOccupancy, 0.93);
  set(counter::kSharedLoadWavefronts, wavefronts * variant.shared_wavefronts);
  set(counter::kSharedStoreWavefronts, wavefronts * variant.shared_wavefronts);
  set(counter::kSharedLoadInstructions, wavefronts);
  set(counter::kSharedStoreInstructions, wavefronts);
  made.emplace(std::string(counter::kFadd2), CounterValue::unavailable("not on this chip"));
  return made;
}

/// A time with an interval of ± 0.2 %, launch overhead included.
inline TimeResult time(double seconds) {
  TimeResult made;
  made.median_s = seconds;
  made.ci_low_s = seconds * 0.998;
  made.ci_high_s = seconds * 1.002;
  made.samples_s.assign(12, seconds);
  made.sample_clocks_hz.assign(12, 1.98e9);
  return made;
}

inline Measurement measurement(const Variant& variant, const PointId& point) {
  constexpr double kOverheadS = 2.2e-6;
  const auto n = static_cast<double>(*size_of(point));
  const auto elements_per_thread = static_cast<double>(point.axes.number(axis::kElements).value_or(0));
  const double fadd =
      elements_per_thread > 0 ? (elements_per_thread + 4.03) / elements_per_thread : variant.fadd_per_element;
  // An atomic costs the same per element whatever its type.
  const double bytes = n * static_cast<double>(variant.id == "sum_atomic" ? 4 : size_bytes(*dtype_of(point)));
  Measurement made;
  made.point = point;
  const std::uint64_t block = *point.axes.number(axis::kBlock);
  made.launch = {*size_of(point) / block, static_cast<int>(block)};
  const double outputs = variant.output == OutputKind::scalar ? 1 : n / variant.elements_per_output;
  made.work = {n * static_cast<double>(size_bytes(*dtype_of(point))),
               outputs * 4,
               {{accumulator(*dtype_of(point)), {.flops = n - outputs}}}};
  made.verification = Verification{true, 0, "constructed"};
  made.time = time(bytes / variant.bytes_per_s + kOverheadS * (1 + 1 / (1 + elements_per_thread)));
  made.counters = counters(variant, point, fadd);
  return made;
}

inline PointId point_id(std::string experiment, const Variant& variant, Dtype dtype, int log2_n) {
  return {std::move(experiment), std::string(variant.id),
          axes_of({.dtype = dtype, .n_elements = std::uint64_t{1} << log2_n, .block_size = 256})};
}

inline void add_points(Run& run, Experiment& experiment, std::string_view family, Dtype dtype, int log2_n) {
  for (const Variant& variant : variants()) {
    if (variant.family != family) continue;
    PointId id = point_id(experiment.name, variant, dtype, log2_n);
    const bool chooses_elements = variant.id == "sum_warp_shuffle" || variant.id == "sum_block_shuffle";
    const bool is_swept = variant.id == "sum_warp_shuffle" && experiment.name == "seeds";
    const std::vector<int> elements = is_swept ? std::vector{1, 8, 128} : std::vector{128};
    for (const int count : elements) {
      if (chooses_elements) id.axes.set(axis::kElements, count);
      experiment.points.push_back(id);
      run.measurements.push_back(measurement(variant, id));
      if (!chooses_elements) break;
    }
  }
}

inline Catalogue catalogue() {
  Catalogue made;
  for (const Variant& variant : variants()) {
    VariantInfo info;
    info.id = variant.id;
    info.label = variant.label;
    info.title = variant.title;
    info.family = variant.family;
    info.output = variant.output;
    info.dtypes = {Dtype::f32};
    info.block_sizes = {256};
    info.default_block_size = 256;
    made.variants.push_back(std::move(info));
  }
  return made;
}

inline DeviceInfo device() {
  DeviceInfo made;
  made.name = "NVIDIA H200";
  made.uuid = "GPU-00000000-0000-0000-0000-000000000000";
  made.chip = "GH100";
  made.compute_capability = 90;
  made.sm_count = 132;
  made.memory_bytes = 150754820096;
  made.l2_bytes = 62914560;
  made.memory_bus_bits = 6144;
  made.memory_clock_hz = 3.201e9;
  made.sm_clock_hz = 1.98e9;
  made.ecc_enabled = true;
  made.driver_version = "580.159.04";
  made.cuda_driver_version = 13000;
  made.cuda_runtime_version = 13000;
  return made;
}

/// A run with device, catalogue and ceilings, and no points.
inline Run empty_run() {
  Run run;
  run.tool_version = "0.1.0";
  run.tool_commit = "constructed";
  run.started_utc = "2026-01-02T03:04:05Z";
  run.wall_s = 42;
  run.host = "constructed-host";
  run.command_line = {"rooflinectl", "run", "experiments.yaml"};
  run.devices[0] = device();
  run.plan.name = "constructed";
  run.catalogue = catalogue();
  run.counter_session.available = true;
  run.counter_session.passes = 2;
  run.counter_session.collection_s = 0.4;
  run.ceilings = ceilings();
  return run;
}

/// The ladder and the sum line at 2^28, and the seeds' sizes.
inline Run run() {
  Run run = empty_run();
  Experiment ladder{
      .name = "ladder", .title = "Ladder of reductions: sums of 2^28 floats", .timing = {}, .points = {}};
  add_points(run, ladder, "reduction ladder", Dtype::f32, 28);
  add_points(run, ladder, "whole sums", Dtype::f32, 28);
  Experiment seeds{.name = "seeds", .title = "The sizes that the seeds use", .timing = {}, .points = {}};
  add_points(run, seeds, "reduction ladder", Dtype::f32, 25);
  add_points(run, seeds, "whole sums", Dtype::f32, 20);
  add_points(run, seeds, "whole sums", Dtype::f16, 20);
  run.plan.experiments = {ladder, seeds};
  return run;
}

/// Adds both forms of a ceiling to `run`.
inline void add_ceiling(Run& run, const std::string& id, CeilingKind kind, const std::string& subject,
                        const std::string& operation, double measured, double theoretical) {
  run.ceilings.push_back(
      ceiling(id, kind, CeilingSource::theoretical, subject, operation, theoretical, "constructed: formula"));
  run.ceilings.push_back(
      ceiling(id, kind, CeilingSource::measured, subject, operation, measured, "constructed: kernel"));
}

/// `run` with the traffic of every memory level counted, and with every ceiling that a device can have.
inline Run with_levels(Run run) {
  for (Measurement& measurement : run.measurements) {
    const double input = measurement.work.read_bytes;
    const double shared = measurement.point.subject.starts_with("reduce") ? 4 * input : input / 32;
    measurement.counters.insert_or_assign(std::string(counter::kL2Bytes),
                                          CounterValue::measured(1.5 * input));
    measurement.counters.insert_or_assign(std::string(counter::kL1Bytes), CounterValue::measured(input));
    measurement.counters.insert_or_assign(std::string(counter::kSharedBytes), CounterValue::measured(shared));
  }
  run.ceilings.push_back(ceiling("dram_triad", CeilingKind::bandwidth, CeilingSource::measured, "dram",
                                 "triad", 4300e9, "constructed: kernel"));
  add_ceiling(run, "l2_read", CeilingKind::bandwidth, "l2", "read", 9.9e12, 10.8e12);
  add_ceiling(run, "l2_write", CeilingKind::bandwidth, "l2", "write", 5.9e12, 10.8e12);
  add_ceiling(run, "l1_read", CeilingKind::bandwidth, "l1", "read", 31e12, 33.45e12);
  add_ceiling(run, "shared_read", CeilingKind::bandwidth, "shared", "read", 33e12, 33.45e12);
  for (const std::string precision : {"f64", "f16", "bf16", "i32"}) {
    const double value = precision.ends_with("16") ? 131e12 : 33e12;
    add_ceiling(run, precision + "_fma", CeilingKind::compute, precision, "fma", value, 1.02 * value);
    add_ceiling(run, precision + "_add", CeilingKind::compute, precision, "add", value / 2, 0.51 * value);
  }
  for (const std::string precision : {"f16", "bf16", "tf32", "f8", "i8"}) {
    const double value = precision.ends_with("16") ? 850e12 : precision == "tf32" ? 420e12 : 1650e12;
    add_ceiling(run, precision + "_tensor", CeilingKind::compute, precision, "tensor", value, 1.17 * value);
  }
  return run;
}

/// `run` with integers instead of floats.
inline Run of_integers(Run run) {
  for (Measurement& measurement : run.measurements) set_precision(measurement, Dtype::i32);
  return run;
}

}  // namespace rooflinectl::constructed
