// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/roofline/bound.h"
#include "core/machine/catalogue.h"
#include "core/model/run.h"

namespace rooflinectl {

/// The type in which most of the declared operations are done, else that of the accumulator.
Dtype precision_of(const Measurement& measurement);

/// The pipe that carries out operations of `precision`.
Bound pipe_of(Dtype precision);

/// The resource that a memory level is.
Bound resource_of(MemoryLevel level);

/// The id of the ceiling of an atomic addition to one result of `measurement`: `atomic_f32`.
std::string atomic_ceiling_id(const Measurement& measurement);

/// The declared work; where several GPUs share it, the part of one of them, since all rates and roofs of a
/// point are those of one GPU.
Work work_of_one_gpu(const Measurement& measurement);

/// Whether there is a time to divide by.
bool is_timed(const Measurement& measurement);

/// The time of `mean_launch`, by which counts per launch are divided, for a point that is timed.
double time_per_launch_s(const Measurement& measurement);

/// Whether it is a kernel of a collective that a program launched.
bool is_collective(const Measurement& measurement);

/// The lanes of a warp: instructions that pipes executed are counted per warp.
inline constexpr double kLanes = 32;

/// The SM clock that the point ran at: the median over the same samples as its time; for a kernel of a
/// profiled program, that of the launches that were counted. Nothing where no clock could be read.
std::optional<double> sm_clock_hz(const Measurement& measurement);

/// Everything about a point except its label.
RooflinePoint analyse_point(const Run& run, const Measurement& measurement);

// How long the launches of a timed point take, each number with its 95 % confidence interval. The trace of a
// program's launches has ticks of 32 ns (docs/method.md), so an interval reaches at least that far to both
// sides.

struct LaunchTime {
  double time_s = 0;
  double low_s = 0;
  double high_s = 0;
};

/// The median: what one launch takes.
LaunchTime median_launch(const Measurement& measurement);

/// The time that sums are made of, and that counts per launch are divided by: the median; for a program's
/// launches, which may differ and whose counters are means, the mean of those that were traced.
LaunchTime mean_launch(const Measurement& measurement);

/// That of one rank, of whose launches only the interval of the median is known: as wide, relative to it.
LaunchTime mean_launch(const RankLaunches& launches);

/// How often a program launched the kernel; 0 for what no program launched.
double launch_count(const Measurement& measurement);

/// Whether neither mean nor median of a program's launches describes all of them: they differ by more than a
/// tenth, or the times have two modes.
bool has_uneven_launches(const Measurement& measurement);

/// `launches take different times: 50 % up to 14.6 µs, the others from 42.6 µs; …`. Nothing where they are
/// alike.
std::optional<std::string> uneven_evidence(const Measurement& measurement);

/// A short name for each of `points`, unique among them if the points are: the catalogue's label of the
/// subject (its id where two subjects share a label), then the values of the axes in which points of the same
/// subject differ: block size (`b128`), elements per thread (`e8`), size (`2^20`), dtype, cache state,
/// others.
std::vector<std::string> point_labels(const Catalogue& catalogue, const std::vector<PointId>& points);

/// Axes of kernels that a profiled program launched.
namespace axis {
inline constexpr std::string_view kGrid = "grid";        ///< blocks: `132`, `64x8`
inline constexpr std::string_view kCluster = "cluster";  ///< blocks of a cluster
inline constexpr std::string_view kShared = "shared";    ///< dynamic shared memory of a block, in bytes
inline constexpr std::string_view kCode = "code";        ///< which of the kernels with that name, from 2
inline constexpr std::string_view kPath = "path";        ///< names of the NVTX ranges, the outermost first
}  // namespace axis

/// Labels those of `points` that a profiled program launched, so that they differ: the kernel's short name;
/// where there are several groups of it, also as much of grid, block, cluster, shared memory, code, NVTX path
/// (its innermost ranges), rank and process as is needed to tell them apart.
void label_kernels(std::vector<RooflinePoint>& points, const Run& run);

/// ` grid 132 block 384 in step/forward`: all that tells groups of one kernel apart, to be added to a label.
std::string kernel_details(const RooflinePoint& point);

/// The place of the process that launched `measurement` among those of the program, from 1; nothing where it
/// is not known.
std::optional<std::size_t> process_number(const Run& run, const Measurement& measurement);

/// The energy of one launch of a point, as the power meter of the whole board reads it, and the useful work
/// per joule.
struct EnergyUse {
  double joules = 0;  ///< per launch
  double mean_power_w = 0;
  std::optional<double> joules_per_element;
  /// Useful operations per joule; nothing where the work has none (a minimum).
  std::optional<double> operations_per_joule;
  std::optional<double> bytes_per_joule;  ///< compulsory DRAM traffic per joule
};

/// Nothing where the energy of `point` was not measured.
std::optional<EnergyUse> energy_use(const RooflinePoint& point);

/// Why there is no `energy_use` of a point whose energy was to be measured; empty where there is one.
std::string energy_missing(const RooflinePoint& point);

/// Whether the energy of a point was to be measured.
bool has_energy(const ExperimentAnalysis& experiment);

/// How much a quantity must change between two versions of a kernel to be worth mentioning.
inline constexpr double kSmallestStepFactor = 1.05;

/// The compared quantities that changed from `before` to `after` by a factor of 1.05 or more, exact ones by
/// `smallest_exact_factor` or more; ratios also have to change by 0.01.
std::vector<CounterChange> counter_changes(const std::vector<QuantityValue>& before,
                                           const std::vector<QuantityValue>& after,
                                           double smallest_exact_factor);

/// Puts first what explains that the time changed by `speedup` (old over new): the quantity that the slower
/// version was bound by, if it got better; then the others, those first whose own factor is nearest to that
/// of the time on a logarithmic scale. What changed in the wrong direction, or from or to zero, comes last.
void sort_by_explanation(std::vector<CounterChange>& changes, double speedup, Bound bound_of_slower);

/// The steps between the points of one experiment, given in plan order. The steps point into `points`.
std::vector<LadderStep> ladder_steps(const Run& run, const std::vector<RooflinePoint>& points);

// Which counts are the same every time the launch runs. Code determines most of them, but a kernel that
// waits in a loop executes as many instructions as the wait takes.

/// How far the operations in the type of the work differ between launches of the same code, relative to their
/// number: the largest less the smallest of repeated countings. For integer operations, which waiting loops
/// execute, at least the difference between the instructions counted by hardware and by instrumentation,
/// which see different launches. 0 where they were the same every time, or nothing is known.
double operations_spread(const Measurement& measurement);

/// The same for DRAM bytes, read and written.
double dram_spread(const Measurement& measurement);

/// The largest spread among what code determines: instructions, operations, accesses to shared memory.
double largest_count_spread(const Measurement& measurement);

/// Half the width of the 95 % interval of the mean work of all launches of a program's kernel, relative to
/// it: from the spread of those that were counted, which are taken to be a random sample (E. Lord,
/// *Biometrika* 34, 1947). `resource`: whose amount it is. 0 if each launch of a period was counted. Nothing
/// if only one was.
std::optional<double> relative_half_width_of_work(const Measurement& measurement, Bound resource);

/// Whether operations of some launches may be divided by the bytes of others: they are alike, or the counts
/// of both stand for all launches.
bool is_of_all_launches(const Measurement& measurement);

/// `its launches do different work: 32 % 8.59e9, 68 % 3.44e10 tensor_bf16_ops; …`. Nothing where they do not.
std::optional<std::string> cluster_evidence(const Measurement& measurement);

/// The evidence that the launch does not execute the same instructions every time, as a sentence; nothing if
/// there is none. Launches of a program that repeat after a period, of which each was counted, need none.
std::optional<std::string> unrepeatable_evidence(const Measurement& measurement);

}  // namespace rooflinectl
