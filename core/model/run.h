// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters/counters.h"
#include "core/machine/catalogue.h"
#include "core/machine/environment.h"
#include "core/machine/link.h"
#include "core/model/agreement.h"
#include "core/model/ceiling_kind.h"
#include "core/model/plan.h"
#include "core/model/primitive.h"
#include "core/program/application.h"
#include "core/program/collective.h"
#include "core/program/launch.h"

namespace rooflinectl {

/// The GPU that was measured, as the CUDA runtime and the driver describe it.
struct DeviceInfo {
  std::string name;
  std::string uuid;  ///< `GPU-xxxxxxxx-…`, as nvidia-smi prints it
  std::string chip;  ///< CUPTI's name, for example GH100; empty where CUPTI is missing
  int index = 0;
  std::optional<std::string> host;  ///< its name; nothing in a run of one host
  int compute_capability = 0;       ///< 90 for 9.0
  int sm_count = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  int memory_bus_bits = 0;
  double memory_clock_hz = 0;  ///< command clock of the memory; data move twice per cycle
  double sm_clock_hz = 0;      ///< the highest clock that the device reports (nominal)
  bool ecc_enabled = false;
  std::string driver_version;              ///< for example 580.159.04; empty if it cannot be read
  int cuda_driver_version = 0;             ///< 13000 for 13.0: the newest CUDA that the driver supports
  int cuda_runtime_version = 0;            ///< the CUDA that the collector was built with
  std::optional<int> cupti_version;        ///< CUPTI's API version, if it was loaded
  std::optional<DeviceSettings> settings;  ///< nothing where the driver's management library is missing

  bool operator==(const DeviceInfo&) const = default;
};

enum class CeilingSource { theoretical, measured };

/// Whether counters confirm the work that a ceiling's benchmark declares.
struct Confirmation {
  bool agrees = false;
  std::string detail;  ///< `counted 1.001 of the declared bytes`

  bool operator==(const Confirmation&) const = default;
};

/// One roof of a device. `id` is shared by the theoretical and the measured form where both exist.
struct Ceiling {
  /// `dram_read`, `l2_read`, `pcie_h2d`, `f32_fma`, `bf16_tensor`, `dram_latency`, `atomic_f32`, `launch`;
  /// the theoretical DRAM bandwidth is `dram`, that of all NVLinks together in one direction `nvlink`.
  std::string id;
  CeilingKind kind = CeilingKind::bandwidth;
  CeilingSource source = CeilingSource::measured;
  /// Memory level (`dram`, `l2`, `l1`, `shared`), link (`pcie`, `nvlink`) or precision (`f32`, `i32`,
  /// `tf32`); empty for a launch.
  std::string subject;
  /// `read`, `write`, `copy`, `triad`, `mix`; `h2d`, `d2h`; `fma`, `add`, `tensor`, `sustained`; `latency`,
  /// `atomic`; empty where it holds for all of them.
  std::string operation;
  /// Bytes per second, operations per second (a multiply-add is two), or seconds: per launch, per dependent
  /// load (`…_latency`), or per addition where all threads of the device add to one address (`atomic_…`).
  double value = 0;
  /// The SM clock at which the value held (measured) or for which it was computed (theoretical).
  std::optional<double> sm_clock_hz;
  /// Interquartile range of the samples over their median; 0 for theoretical ones.
  double relative_spread = 0;
  std::string method;                        ///< the kernel and launch shape that measured it, or the formula
  std::string measured_utc;                  ///< when, ISO 8601; empty for theoretical ones
  std::optional<Confirmation> confirmation;  ///< nothing where nothing was counted
  std::size_t device = 0;                    ///< its place in `Run::devices`
  std::optional<TensorProducts> products;    ///< of Tensor Cores; nothing in older runs

  bool operator==(const Ceiling&) const = default;
};

/// What the main kernel uses of an SM's resources, and how many of its blocks fit.
struct KernelResources {
  int registers_per_thread = 0;
  int shared_bytes_per_block = 0;      ///< static and dynamic
  int blocks_per_sm = 0;               ///< that fit at once
  int blocks_per_sm_by_registers = 0;  ///< that would fit if registers were all that counts
  /// As in `CompiledKernel`; set for functions in Python alone.
  std::optional<bool> has_half_arithmetic = {};

  bool operator==(const KernelResources&) const = default;
};

/// How the result was checked before anything was timed.
struct Verification {
  bool passed = false;
  /// Largest error over its bound among the data sets that have a bound; 0 where only exact data were used.
  double worst_error_over_bound = 0;
  std::string detail;  ///< data sets tried and, on failure, the first wrong value
  bool operator==(const Verification&) const = default;
};

/// Time per launch of the variant, in seconds, from unprofiled runs.
struct TimeResult {
  double median_s = 0;
  double ci_low_s = 0;  ///< 95 % confidence interval of the median
  double ci_high_s = 0;
  int launches_per_sample = 1;  ///< more than one: a graph of that many launches; samples are per launch
  std::vector<double> samples_s;
  std::vector<double> sample_clocks_hz;  ///< SM clock around each sample; 0 where it could not be read
  bool noisy = false;         ///< the time limit, or the sample limit, was reached before the target
  int throttled_samples = 0;  ///< slowed down by something other than the kernel: kept, but not in the median
  std::optional<LaunchMode> mode;  ///< how it was timed; nothing in older runs: see `launch_mode`
  /// The median over the same samples as `median_s`; nothing in older runs, and where no clock could be read.
  std::optional<double> sm_clock_hz;
  /// For how many samples the driver gave each of its reasons for a lower clock (`power cap`, `thermal`, …).
  /// Nothing in older runs, and where the reasons could not be read.
  std::optional<std::map<std::string, int>> clock_event_reasons;

  bool operator==(const TimeResult&) const = default;
};

/// How the samples were taken: as graphs of launches or launch by launch. Older runs do not record it, but
/// only samples that are graphs have several launches.
LaunchMode launch_mode(const TimeResult& time);

/// The energy of launches, as the meter of the whole board reads it, its idle share included. The launches
/// follow each other, so caches hold what the one before left.
struct EnergyResult {
  CounterValue joules = CounterValue::unavailable("not measured");  ///< per launch
  double mean_power_w = 0;                                          ///< while launches ran
  double duration_s = 0;                                            ///< for which they were metered

  bool operator==(const EnergyResult&) const = default;
};

/// Everything measured for one point.
struct Measurement {
  PointId point;
  LaunchShape launch;
  std::optional<KernelResources> resources;  ///< nothing where they could not be determined
  Work work;                                 ///< as declared
  Status status = Status::ok;
  std::string cause;  ///< why it failed or is unverified
  std::optional<Verification> verification;
  std::optional<TimeResult> time;
  std::optional<EnergyResult> energy;  ///< nothing where the plan does not ask for it
  Counters counters;
  /// As `RepeatedCounters::spread`; empty in older runs too.
  std::map<std::string, double> counter_spread;
  int counter_repeats = 0;     ///< how often the launch was counted; 0 in older runs
  std::size_t device = 0;      ///< its place in `Run::devices`
  std::optional<int> rank;     ///< of the process among those that ran together; nothing where it ran alone
  std::optional<int> process;  ///< its id; nothing where this program launched the point
  /// Nothing where this program launched the point.
  std::optional<LaunchStatistics> launches;

  bool operator==(const Measurement&) const = default;
};

/// How counters were gathered, or why they were not.
struct CounterSession {
  bool available = false;
  std::string reason;  ///< if not available: the cause
  std::string hint;    ///< if not available: what to do
  int passes = 0;
  double host_setup_s = 0;  ///< building the configuration, before the first launch
  double collection_s = 0;  ///< all passes, with the launches in them
  std::map<std::string, std::string>
      metrics;  ///< our key → the hardware metric that it came from on this chip

  bool operator==(const CounterSession&) const = default;
};

enum class RunSource { measured, replayed };

/// One run of one plan: what crosses from measuring to understanding.
struct Run {
  static constexpr int kSchema = 2;

  std::string tool_version;
  std::string tool_commit;
  RunSource source = RunSource::measured;
  std::string started_utc;               ///< ISO 8601, for example 2026-11-21T09:30:00Z
  double wall_s = 0;                     ///< of measuring, over all sessions of a run that was resumed
  std::vector<std::string> resumed_utc;  ///< when it was resumed
  std::string host;
  std::optional<Environment> environment;  ///< nothing in runs of early versions
  std::vector<std::string> command_line;
  /// At least one. Ceilings and measurements refer to theirs by its place.
  std::vector<DeviceInfo> devices = std::vector<DeviceInfo>(1);
  bool together = false;  ///< whether the points were measured on all devices at once
  Plan plan;
  std::vector<CompiledKernel> compiled_kernels;  ///< the plan's kernels from files; no two alike
  /// Of `python` and of the libraries that functions in Python files imported (`torch`, `triton`, …), by
  /// name; empty if the plan has no such kernels, and in older runs.
  std::map<std::string, std::string> python_versions;
  Catalogue catalogue;
  CounterSession counter_session;
  std::vector<Ceiling> ceilings;
  std::vector<LinkBandwidth> links;        ///< between its devices; empty where they were not measured
  std::optional<Collectives> collectives;  ///< over all its devices; nothing where they were not tried
  std::vector<Measurement> measurements;
  std::vector<PrimitiveResult> primitives;
  std::optional<SelfTest> self_test;  ///< nothing where none was asked for
  std::vector<CrossCheck> cross_checks;
  std::optional<Application> application;  ///< the program that was profiled, if one was
  std::vector<ImportedFile> imports;       ///< other tools' files with these numbers; empty where we measured

  /// The first device; most runs have no other.
  static constexpr std::size_t kFirstDevice = 0;
  const DeviceInfo& device() const { return devices[kFirstDevice]; }
  const DeviceInfo& device_of(const Measurement& measurement) const { return devices[measurement.device]; }
  const DeviceInfo& device_of(const PrimitiveResult& result) const { return devices[result.device]; }

  bool operator==(const Run&) const = default;
};

/// The ceiling of the device at this place in `run.devices` with this id and source; null if there is none.
const Ceiling* find_ceiling(const Run& run, std::string_view id, CeilingSource source, std::size_t device);

/// Which ceilings of the device at this place its points are compared with: the measured ones or, in an
/// imported run that has none, the theoretical ones.
CeilingSource roof_source(const Run& run, std::size_t device);

/// The text of a `run.json` (`docs/schema/run.schema.json`).
std::string run_to_json(const Run& run);

/// Reads a `run.json`. `name` is used in error messages.
/// Throws Error(usage) if the text is not JSON, not a run, of a newer schema, or lacks or mistypes a field;
/// the message names the place.
Run run_from_json(std::string_view text, std::string_view name);

}  // namespace rooflinectl
