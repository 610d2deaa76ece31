// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/roofline/point.h"
#include "core/counters/counters.h"
#include "core/text/written_number.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

namespace rooflinectl {

std::string PointNumber::text_of(const RooflinePoint& point) const {
  return text != nullptr ? text(point) : format::optional(value(point), show);
}

namespace point_number {
namespace {

using Number = std::optional<double>;
using P = const RooflinePoint&;

template <auto kField>
Number of_point(P point) {
  return point.*kField;
}

template <auto kPart, auto kField>
Number of_measurement(P point) {
  const auto& part = point.measurement->*kPart;
  return part ? Number(static_cast<double>((*part).*kField)) : std::nullopt;
}

template <auto kField>
Number of_launches(P point) {
  return point.launches ? Number((*point.launches).*kField) : std::nullopt;
}

template <auto kField>
Number of_energy(P point) {
  const auto energy = energy_use(point);
  return energy ? Number((*energy).*kField) : std::nullopt;
}

std::string three_digits(double value) {
  return format::significant(value);
}

std::string whole(double number) {
  return fmt::format("{:.0f}", number);
}

Number mean_s(P point) {
  return is_observed(point) && is_timed(*point.measurement) ? Number(time_per_launch_s(*point.measurement))
                                                            : std::nullopt;
}

Number tensor_share(P point) {
  const ResourceUse* use = find_use(point, Bound::tensor);
  const Number mean = mean_s(point);
  return use != nullptr && use->time_s && mean ? Number(*use->time_s / *mean) : std::nullopt;
}

Number work_per_joule(P point) {
  const auto energy = energy_use(point);
  if (!energy) return std::nullopt;
  return energy->operations_per_joule ? energy->operations_per_joule : energy->bytes_per_joule;
}

std::string work_per_joule_text(P point) {
  const std::string unit = fmt::format("{}/J", point.flops_useful > 0 ? operations_of(point) : "B");
  return format::optional(work_per_joule(point), [&](double value) { return format::amount(value, unit); });
}

// `~1.2 ms`: others ran meanwhile.
template <auto kField>
std::string saving_text(P point) {
  const Number saved_s = of_launches<kField>(point);
  if (!saved_s) return format::kUnavailable;
  return fmt::format("{}{}", point.launches->is_overlapped && *saved_s > 0 ? "~" : "",
                     format::saving(*saved_s));
}

}  // namespace

const PointNumber kTime = {.title = "time",
                           .help = "Median time per launch, measured without counters",
                           .value = of_measurement<&Measurement::time, &TimeResult::median_s>,
                           .show = format::duration,
                           .csv = "time_s",
                           .csv_meaning = "median time of a launch, in seconds"};

const PointNumber kElements = {.title = "n",
                               .name = "elements",
                               .help = "Number of input elements",
                               .value = [](P p) -> Number { return size_of(p.measurement->point); },
                               .text =
                                   [](P p) {
                                     const auto n = size_of(p.measurement->point);
                                     return n ? elements_text(*n) : format::kUnavailable;
                                   }};

const PointNumber kGpus = {
    .title = "GPUs",
    .help = "GPUs that share the elements; rates are those of one of them",
    .value = [](P p) -> Number { return p.measurement->point.axes.number(axis::kGpus); },
    .show = whole};

const PointNumber kUsefulBandwidth = {.title = "GB/s",
                                      .name = "effective bandwidth, GB/s",
                                      .help = "Compulsory bytes over time",
                                      .value = of_point<&RooflinePoint::useful_bytes_per_s>,
                                      .show = format::gigabytes};

const PointNumber kUsefulIntensity = {
    .title = "AI useful",
    .name = "useful intensity, per byte",
    .help = "Arithmetic intensity: operations of the algorithm per compulsory byte of DRAM",
    .value = of_point<&RooflinePoint::ai_useful>,
    .show = three_digits,
    .csv = "ai_useful",
    .csv_meaning = "useful operations per useful DRAM byte"};

const PointNumber kExecutedIntensity = {.title = "AI exec.",
                                        .name = "executed intensity, per byte",
                                        .help = "Executed operations per counted byte of DRAM",
                                        .value = of_point<&RooflinePoint::ai_executed>,
                                        .text = executed_ai_text,
                                        .csv = "ai_executed",
                                        .csv_meaning = "counted operations per counted DRAM byte"};

const PointNumber kExecutedRate = {
    .title = "FLOP/s",
    .name = "executed performance",
    .help = "Executed operations of all types, Tensor Cores included, over the time of a launch",
    .value = of_point<&RooflinePoint::executed_flop_per_s>,
    .text = executed_rate_text,
    .csv = "executed_flop_per_s",
    .csv_meaning = "counted operations per second"};

const PointNumber kDramBandwidth = {.title = "DRAM",
                                    .name = "DRAM bandwidth",
                                    .help = "Counted DRAM bytes over the mean time of a launch",
                                    .value = of_point<&RooflinePoint::dram_bytes_per_s>,
                                    .show = format::bandwidth,
                                    .csv = "dram_bytes_per_s",
                                    .csv_meaning = "counted DRAM bytes per second"};

const PointNumber kRedundancy = {.title = "redundancy",
                                 .value = of_point<&RooflinePoint::redundancy>,
                                 .show = format::factor,
                                 .csv = "redundancy",
                                 .csv_meaning = "`flops_executed` over `flops_useful`"};

const PointNumber kFractionOfRoofline = {
    .title = "% of roofline",
    .help = "Performance relative to what the measured ceilings allow at the useful intensity",
    .value = of_point<&RooflinePoint::fraction_of_roofline>,
    .text = fraction_text,
    .csv = "fraction_of_roofline",
    .csv_meaning =
        "shortest time that the measured ceilings allow over `time_s`, for kernels of programs "
        "over `mean_time_s`; 1 is the roofline"};

const PointNumber kFractionOfTheoretical = {
    .title = "% of theoretical",
    .help = "Performance relative to what the theoretical peaks allow",
    .value = of_point<&RooflinePoint::fraction_of_theoretical>,
    .show = format::percent,
    .csv = "fraction_of_theoretical",
    .csv_meaning = "as `fraction_of_roofline`, with the theoretical ceilings"};

const PointNumber kBusiestUtilisation = {
    .title = "busiest level",
    .help = "The memory level with the highest utilisation of its measured ceiling",
    .value =
        [](P p) {
          const LevelUse* use = find_level(p, p.busiest_level);
          return use != nullptr ? use->utilisation : std::nullopt;
        },
    .text = limit_text,
    .csv = "busiest_level_utilisation",
    .csv_meaning = "its bytes per second over its measured ceiling"};

const PointNumber kShare = {.title = "share",
                            .name = "share of GPU time",
                            .help = "Time of all launches, over that of all kernels",
                            .value = of_launches<&LaunchUse::share>,
                            .show = format::percent,
                            .csv = "share_of_gpu_time",
                            .csv_meaning = "`total_time_s` over the time of all kernels on the device"};

const PointNumber kLaunches = {
    .title = "launches",
    .help = "How often the program launched it with this grid and block in these NVTX ranges",
    .value = of_measurement<&Measurement::launches, &LaunchStatistics::count>,
    .show = whole,
    .csv = "launches",
    .csv_meaning = "launches that were seen"};

const PointNumber kTotal = {.title = "total",
                            .name = "total time",
                            .help = "Sum of the times of the traced launches",
                            .value = of_launches<&LaunchUse::total_s>,
                            .show = format::duration,
                            .csv = "total_time_s",
                            .csv_meaning = "time of all traced launches, in seconds"};

const PointNumber kMean = {.title = "mean",
                           .name = "mean time",
                           .help = "Total time over the traced launches",
                           .value = mean_s,
                           .show = format::duration,
                           .csv = "mean_time_s",
                           .csv_meaning = "mean time of a launch, in seconds"};

const PointNumber kP95 = {.title = "p95",
                          .name = "95th percentile of the times",
                          .help = "One launch in twenty took longer",
                          .value =
                              [](P p) {
                                const auto& all = p.measurement->launches;
                                return all && all->traced > 0 ? Number(all->p95_s) : std::nullopt;
                              },
                          .show = format::duration,
                          .csv = "p95_s",
                          .csv_meaning = "time that 95 % of the launches stay below"};

const PointNumber kSaving = {
    .title = "could save",
    .name = "possible saving",
    .help = "What all launches took beyond the roof; ~ where other kernels ran meanwhile",
    .value = of_launches<&LaunchUse::recoverable_s>,
    .text = saving_text<&LaunchUse::recoverable_s>,
    .csv = "recoverable_s",
    .csv_meaning = "possible saving: the time that these launches took beyond the roofline"};

const PointNumber kSavingPerStep = {
    .title = "could save/step",
    .name = "possible saving in a step",
    .help = "What the launches of one step took beyond the roof, averaged over all steps",
    .value = of_launches<&LaunchUse::recoverable_per_step_s>,
    .text = saving_text<&LaunchUse::recoverable_per_step_s>};

const PointNumber kTensorShare = {
    .title = "tensor",
    .name = "use of the Tensor Cores",
    .help = "Tensor Core operations per second, as a share of the measured ceiling of their type",
    .value = tensor_share,
    .show = format::percent};

const PointNumber kOccupancy = {
    .title = "occupancy",
    .help = "Active warps as a share of those that an SM can hold, while it has any",
    .value =
        [](P p) {
          return is_observed(p) ? value_of(p.measurement->counters, counter::kOccupancy) : std::nullopt;
        },
    .show = format::whole_percent};

const PointNumber kRegisters = {
    .title = "registers",
    .name = "registers per thread",
    .value =
        [](P p) {
          const auto& resources = p.measurement->resources;
          return is_observed(p) && resources ? Number(resources->registers_per_thread) : std::nullopt;
        },
    .show = whole};

const PointNumber kEnergy = {.title = "energy",
                             .help = "Energy per launch, from the energy counter of the whole board",
                             .value = of_energy<&EnergyUse::joules>,
                             .show = format::energy,
                             .csv = "energy_j",
                             .csv_meaning = "energy of a launch, in joules"};

const PointNumber kPower = {.title = "power",
                            .help = "Mean power of the board during back-to-back launches",
                            .value = of_energy<&EnergyUse::mean_power_w>,
                            .show = format::power,
                            .csv = "mean_power_w",
                            .csv_meaning = "mean power while launches ran, in watts"};

const PointNumber kWorkPerJoule = {
    .title = "work/J",
    .name = "useful work per joule",
    .help = "Useful operations over the energy per launch; compulsory bytes if there are no operations",
    .value = work_per_joule,
    .text = work_per_joule_text};

}  // namespace point_number

}  // namespace rooflinectl
