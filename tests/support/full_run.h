// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/run.h"

namespace rooflinectl::constructed {

/// The smallest run in which every field of every core type has a value of its own, and every optional field
/// is present once and absent once.
inline Run full_run() {
  VariantInfo fixed;
  fixed.id = "reduce_v3_sequential";
  fixed.label = "V3";
  fixed.title = "sequential addressing";
  fixed.family = "ladder";
  fixed.dtypes = {Dtype::f32};
  fixed.block_sizes = {128, 256, 512};
  fixed.default_block_size = 256;
  fixed.output = OutputKind::partials;
  fixed.destroys_input = true;
  fixed.deterministic = true;

  VariantInfo chosen;
  chosen.id = "sum_warp_shuffle";
  chosen.label = "warp shuffle";
  chosen.title = "one atomic per warp";
  chosen.family = "sum";
  chosen.dtypes = {Dtype::f32, Dtype::f16};
  chosen.block_sizes = {256};
  chosen.default_block_size = 256;
  chosen.default_elements_per_thread = 8;
  chosen.minimum_sm = 80;
  chosen.several_gpus = true;

  PointId plain;
  plain.experiment = "ladder";
  plain.subject = fixed.id;
  plain.axes = axes_of({.dtype = Dtype::f32, .n_elements = 1ull << 33, .block_size = 128});

  PointId with_elements;
  with_elements.experiment = "seeds";
  with_elements.subject = chosen.id;
  with_elements.axes = axes_of({.dtype = Dtype::f16,
                                .n_elements = 1000,
                                .block_size = 256,
                                .elements_per_thread = 8,
                                .cache = CacheState::warm,
                                .launch_mode = LaunchMode::plain,
                                .gpus = 2});

  Run run;
  run.tool_version = "0.1.0";
  run.tool_commit = "0123456789ab";
  run.source = RunSource::replayed;
  run.started_utc = "2026-11-21T09:30:00Z";
  run.wall_s = 12.5;
  run.resumed_utc = {"2026-11-21T09:40:00Z", "2026-11-21T10:00:00Z"};
  run.host = "node-7";
  run.command_line = {"rooflinectl", "run", "experiments.yaml"};
  run.devices.resize(2);
  run.devices[1].name = "NVIDIA L4";
  run.together = true;
  run.devices[0] = {.name = "NVIDIA H200",
                    .uuid = "GPU-00000000-0000-0000-0000-000000000001",
                    .chip = "GH100",
                    .index = 1,
                    .host = "node7",
                    .compute_capability = 90,
                    .sm_count = 132,
                    .memory_bytes = 150'000'000'000,
                    .l2_bytes = 62'914'560,
                    .memory_bus_bits = 6144,
                    .memory_clock_hz = 3.201e9,
                    .sm_clock_hz = 1.98e9,
                    .ecc_enabled = true,
                    .driver_version = "580.159.04",
                    .cuda_driver_version = 13000,
                    .cuda_runtime_version = 13000,
                    .cupti_version = 130000,
                    .settings = DeviceSettings{.pci_bus_id = "0000:17:00.0",
                                               .persistence_mode = true,
                                               .compute_mode = "exclusive process",
                                               .mig_mode = true,
                                               .power_limit_w = 650,
                                               .default_power_limit_w = 700,
                                               .max_power_limit_w = 725.5,
                                               .max_sm_clock_hz = 1.97e9,
                                               .max_memory_clock_hz = 3.2e9,
                                               .application_sm_clock_hz = 1.5e9,
                                               .application_memory_clock_hz = 2.6e9}};
  run.environment = Environment{.operating_system = "Debian GNU/Linux 12 (bookworm)",
                                .kernel = "Linux 6.1.0",
                                .processor = "AMD EPYC 9654",
                                .container = "docker",
                                .variables = {{"CUDA_VISIBLE_DEVICES", "1"}}};
  run.plan.name = "shipped";
  run.plan.text = "name: shipped\n# \"quoted\" and Ω\n";
  run.plan.ceilings = {"dram_read", "f32_add"};
  run.plan.experiments = {{.name = "ladder",
                           .title = "The ladder",
                           .timing = {.relative_half_width = 0.01, .time_limit_s = 3.5},
                           .counters = CounterSet::basic,
                           .points = {plain},
                           .energy = true},
                          {.name = "seeds",
                           .title = "The seeds' own size",
                           .timing = {},
                           .counters = CounterSet::none,
                           .points = {with_elements},
                           .energy = false,
                           .application = PlannedApplication{.command = {"python3", "train.py"},
                                                             .environment = {{"OMP_NUM_THREADS", "4"}},
                                                             .folder = "/srv/model",
                                                             .kernels = "gemm|conv",
                                                             .nvtx = "step *",
                                                             .capture = "nvtx:epoch",
                                                             .samples = 5}}};
  run.catalogue.variants = {fixed, chosen};
  run.catalogue.ceilings = {"dram_copy", "dram_read", "f32_add"};
  run.counter_session = {.available = true,
                         .reason = {},
                         .hint = {},
                         .passes = 2,
                         .host_setup_s = 0.66,
                         .collection_s = 0.37,
                         .metrics = {{"fadd", "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"}}};
  run.ceilings = {{.id = "dram",
                   .kind = CeilingKind::bandwidth,
                   .source = CeilingSource::theoretical,
                   .subject = "dram",
                   .operation = "read",
                   .value = 4.814e12,
                   .sm_clock_hz = std::nullopt,
                   .relative_spread = 0,
                   .method = "bus width x clock x 2"},
                  {.id = "f32_add",
                   .kind = CeilingKind::compute,
                   .source = CeilingSource::measured,
                   .subject = "f32",
                   .operation = "add",
                   .value = 3.2e13,
                   .sm_clock_hz = 1.95e9,
                   .relative_spread = 0.002,
                   .method = "ceiling_f32_add 1056 x 256",
                   .measured_utc = "2026-11-20T09:30:00Z",
                   .confirmation = Confirmation{true, "counted 1.0002 of the declared operations"}},
                  {.id = "launch",
                   .kind = CeilingKind::latency,
                   .source = CeilingSource::measured,
                   .subject = "launch",
                   .operation = "empty",
                   .value = 2.1e-6,
                   .sm_clock_hz = std::nullopt,
                   .relative_spread = 0.03,
                   .method = "empty kernel"}};
  run.links = {{.from = 0,
                .to = 1,
                .mover = LinkMover::copy,
                .both_ways = true,
                .bytes_per_s = 7.5e11,
                .relative_spread = 0.004,
                .method = "cudaMemcpyPeerAsync, 8 times 256 MiB",
                .moved_bytes = 4.3e9,
                .sent_bytes = CounterValue::measured(4.31e9),
                .received_bytes = CounterValue::unavailable("this device cannot sample it"),
                .measured_utc = "2026-11-21T09:31:00Z",
                .missing = ""},
               {.from = 1,
                .to = 0,
                .mover = LinkMover::load,
                .both_ways = false,
                .bytes_per_s = 0,
                .relative_spread = 0,
                .method = "",
                .measured_utc = "",
                .missing = "no peer access between these devices"}};
  run.collectives =
      Collectives{.nccl = "NCCL 2.28.9",
                  .method = "float, out of place, median of 15",
                  .times = {{.collective = Collective::all_reduce,
                             .sizes = {{.bytes = 8, .time_s = 9.5e-6, .relative_spread = 0.03},
                                       {.bytes = 1.073742e9, .time_s = 2.9e-3, .relative_spread = 0.002}},
                             .sent_bytes = CounterValue::measured(2.15e9)},
                            {.collective = Collective::broadcast,
                             .missing = "the result is wrong: element 7 of device 1 is 0, not 3"}},
                  .measured_utc = "2026-11-21T09:32:00Z",
                  .missing = ""};

  Measurement measured;
  measured.point = plain;
  measured.launch = {.grid = 1ull << 26, .block = 128, .bytes_in_flight_per_block = 8192};
  measured.resources = KernelResources{.registers_per_thread = 40,
                                       .shared_bytes_per_block = 1024,
                                       .blocks_per_sm = 12,
                                       .blocks_per_sm_by_registers = 12,
                                       .has_half_arithmetic = true};
  measured.work = {.read_bytes = 3.4e10,
                   .written_bytes = 2.7e8,
                   .operations = {{Dtype::f64, {.flops = 8.5e9, .fma_flops = 2}}},
                   .link_bytes = 24};
  measured.verification = Verification{true, 0.25, "position-unique, ones"};
  measured.time = TimeResult{.median_s = 7.5e-3,
                             .ci_low_s = 7.4e-3,
                             .ci_high_s = 7.6e-3,
                             .launches_per_sample = 4,
                             .samples_s = {7.4e-3, 7.5e-3, 7.6e-3},
                             .sample_clocks_hz = {1.98e9, 1.97e9, 1.5e9},
                             .noisy = true,
                             .throttled_samples = 1,
                             .mode = LaunchMode::graph,
                             .sm_clock_hz = 1.975e9,
                             .clock_event_reasons = {{{"hardware slowdown", 1}, {"power cap", 2}}}};
  measured.energy =
      EnergyResult{.joules = CounterValue::measured(0.125), .mean_power_w = 512.5, .duration_s = 1.6};
  measured.counters = {{"fadd", CounterValue::measured(0)},
                       {"dram_read_bytes", CounterValue::unavailable("the chip has no DRAM unit")}};
  measured.counter_spread = {{"fadd", 0.0625}};
  measured.counter_repeats = 3;
  measured.device = 1;
  measured.rank = 3;
  measured.process = 4711;
  measured.launches = LaunchStatistics{
      .symbol = "_Z3addPf",
      .first = 3,
      .count = 120,
      .traced = 100,
      .total_s = 0.751,
      .held = 5,
      .held_s = 0.375,
      .p95_s = 7.6e-3,
      .overlapped_s = 0.125,
      .gaps_before = 40,
      .idle_before_s = 0.25,
      .counted = 3,
      .period = 24,
      .counters_scale = 0.75,
      .clusters = WorkClusters{.counter = "tensor_bf16_ops",
                               .parts = {{.share = 0.75, .mean = 1e9}, {.share = 0.25, .mean = 4e9}}},
      .operations_per_tensor_instruction = 4096,
      .operations_path = "warm-up",
      .has_half_arithmetic = false,
      .has_sparse_products = true,
      .products = TensorProducts{.type = TensorElement::f8,
                                 .accumulator = TensorElement::f32,
                                 .is_sparse = true,
                                 .scales = BlockScales::mx},
      .sampled = SampledLines{.samples = 5000,
                              .lines = {{.file = "attention.py",
                                         .line = 45,
                                         .text = "acc += tl.dot(p, v)",
                                         .samples = 3000,
                                         .stall = "long_scoreboard",
                                         .stalled = 2000},
                                        {.file = "attention.py",
                                         .line = 47,
                                         .text = {},
                                         .samples = 500,
                                         .stall = {},
                                         .stalled = 0}}},
      .graph_nodes = 7,
      .graph_kernels = {{.kernel = "add(float*)", .launches = 300, .total_s = 0.5}},
      .over_time = {{.start_s = 0,
                     .launches = 1,
                     .counted = 1,
                     .min_s = 7.75e-3,
                     .median_s = 7.75e-3,
                     .max_s = 7.75e-3},
                    {.start_s = 0.5,
                     .launches = 99,
                     .counted = 2,
                     .min_s = 7.25e-3,
                     .median_s = 7.5e-3,
                     .max_s = 7.75e-3}}};

  Measurement failed;
  failed.point = with_elements;
  failed.status = Status::failed;
  failed.cause = "cudaErrorIllegalAddress";
  run.measurements = {measured, failed};

  PrimitiveInfo scan;
  scan.id = "device_scan_exclusive_i64_cub";
  scan.family = "device_scan";
  scan.title = "exclusive scan of the device";
  scan.by = "CUB";
  scan.dtype = Dtype::i64;
  scan.scope = PrimitiveScope::device;
  PrimitiveInfo shuffle;
  shuffle.id = "shuffle_down_i32";
  shuffle.family = "shuffle";
  shuffle.title = "shuffle down";
  shuffle.by = "ours";
  shuffle.dtype = Dtype::i32;
  shuffle.instructions = 1;
  run.catalogue.primitives = {scan, shuffle};
  run.plan.primitives = {scan.id, shuffle.id};
  run.plan.kernels = {{.id = "scale",
                       .title = "twice each value",
                       .source = "/home/me/scale.cu",
                       .text = "__global__ void scale();",
                       .function = "scale<{dtype}>",
                       .options = {"-use_fast_math"},
                       .first = {},
                       .arguments = {{"x", ArgumentKind::in, "dtype", "n", "uniform", 7},
                                     {"a", ArgumentKind::scalar, "f32", "", "2", 0}},
                       .launch = {{"n / 256"}, {"256"}, {"2"}, "1024"},
                       .work = {"4 * n", "4 * n", "2 * n", "2 * n", "f32"},
                       .reference = {"simple",
                                     "/home/me/expected.py",
                                     "/home/me/expected.cpp",
                                     "expected",
                                     {{"y", "/home/me/y.npy"}},
                                     1e-5,
                                     1e-8},
                       .places = {}}};
  run.compiled_kernels = {{.kernel = "scale",
                           .function = "scale<float>",
                           .options = {"-use_fast_math"},
                           .architecture = 90,
                           .compiler = "nvcc 13.0.48",
                           .symbol = "_Z5scaleIfEvPfS0_",
                           .registers = 40,
                           .spill_bytes = 16,
                           .has_half_arithmetic = false,
                           .warnings = {"scale.cu(7): warning #177-D: variable \"i\" was never referenced"},
                           .file = "/home/me/.cache/rooflinectl/kernels/0123.cubin"}};
  run.python_versions = {{"python", "3.11.2"}, {"torch", "2.9.0+cu130"}};
  run.primitives = {
      {.info = scan,
       .latency = {.median = CounterValue::measured(5000),
                   .ci_low = 4990,
                   .ci_high = 5010,
                   .elements = 4096,
                   .sm_clock_hz = 1.97e9,
                   .samples = {4990, 5000, 5010}},
       .throughput = {.median = CounterValue::unavailable("the SM clock could not be read")}},
      {.info = shuffle, .status = Status::failed, .cause = "cudaErrorIllegalAddress", .device = 1}};

  run.self_test = SelfTest{.reason = "interrupted",
                           .wall_s = 1.5,
                           .agreements = {{.subject = "f32_fadd",
                                           .quantity = "fadd",
                                           .unit = ComparedUnit::operations,
                                           .ours = CounterValue::measured(1024),
                                           .reference = CounterValue::measured(1024),
                                           .tolerance = 0.02,
                                           .is_relative = false,
                                           .note = "exact"}}};
  run.cross_checks = {{.tool = CrossCheckTool::ncu,
                       .version = "2025.3.1.0",
                       .source = "ncu --csv",
                       .reason = "no counters",
                       .hint = "run as root",
                       .agreements = {{.subject = range_name(plain),
                                       .quantity = "dram_bytes",
                                       .unit = ComparedUnit::bytes,
                                       .ours = CounterValue::measured(3.4e10),
                                       .reference = CounterValue::unavailable("not in the file"),
                                       .tolerance = 0.02,
                                       .is_relative = true,
                                       .note = "total of read and write"}}}};
  run.application = Application{
      .command_line = {"python3", "train.py"},
      .folder = "/home/ada/model",
      .exit_code = 139,
      .wall_s = 12.5,
      .runs = 2,
      .hosts = {{.name = "node-7", .boot_id = "0b1c", .clock_ns = 123'456'789'012, .uncertainty_s = 0},
                {.name = "node-8", .boot_id = "", .clock_ns = 5, .uncertainty_s = std::nullopt}},
      .processes = {{.id = 4711,
                     .rank = 3,
                     .ranks = 4,
                     .host = 1,
                     .devices = {1},
                     .collectives = {{.kernel = 0, .start_ns = 1000, .duration_ns = 250}},
                     .holds = {{.start_ns = 0, .duration_ns = 700}, {.start_ns = 900, .duration_ns = 50}}},
                    {.id = 4712,
                     .rank = std::nullopt,
                     .ranks = std::nullopt,
                     .host = 0,
                     .devices = {0, 1},
                     .collectives = {}}},
      .collectives = {{.subject = "ncclDevKernel_AllReduce_Sum_f32_RING_LL()",
                       .path = "step",
                       .bytes = 1 << 26},
                      {.subject = "ncclDevKernel_Broadcast_RING_LL()", .path = "", .bytes = std::nullopt}},
      .launches = 100'000,
      .untraced = 17,
      .lost = 3,
      .devices = {{.device = 1,
                   .span_s = 10.5,
                   .untraced_s = 0.5,
                   .kernel_busy_s = 8.25,
                   .busy_s = 8.5,
                   .kernel_s = 9.75,
                   .undisturbed = UndisturbedUse{.busy_s = 4.5, .gaps = {{5e-6, 1000, 0.25}, {{}, 2, 1.5}}}}},
      .transfers = {{.device = 1,
                     .kind = TransferKind::host_to_device,
                     .count = 40,
                     .bytes = 1.5e9,
                     .total_s = 0.0625,
                     .gaps_before = 2,
                     .idle_before_s = 1.5}},
      .passes = {{.process = 4711,
                  .pass = "operations",
                  .is_traced = false,
                  .start_s = 0.25,
                  .end_s = 1.5,
                  .counted_until_s = 1.5}},
      .ranges = {{.path = "step",
                  .count = 300,
                  .undisturbed = 280,
                  .median_s = 0.015625,
                  .p95_s = 0.03125,
                  .interval_s = 0.0625}},
      .other_ranks = {{.point = plain,
                       .ranks = {{.process = 4712,
                                  .count = 7,
                                  .traced = 6,
                                  .total_s = 0.75,
                                  .median_s = 0.125,
                                  .ci_low_s = 0.1,
                                  .ci_high_s = 0.15,
                                  .overlapped_s = 0.25}}}},
      .problems = {{.cause = "wrote no last record", .hint = "", .process = 4712, .subject = ""},
                   {.cause = "not done in time",
                    .hint = "count fewer launches",
                    .process = std::nullopt,
                    .subject = "add(float*)"}}};
  run.imports = {{.name = "train.ncu-rep",
                  .format = "Nsight Compute report",
                  .tool_version = "2025.3.1.0",
                  .recorded_utc = "2026-11-23T04:49:37Z",
                  .command_line = "ncu --set full ./train",
                  .replay = "kernel",
                  .clock_control = "base",
                  .cache_control = "all",
                  .sections = {"set full"},
                  .problems = {"the last kernel is cut off"}}};
  return run;
}

}  // namespace rooflinectl::constructed
