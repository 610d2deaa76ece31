// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/program_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/roofline/launch_times.h"
#include "core/text/kernel_name.h"
#include "reports/sentences/import_text.h"
#include "reports/sentences/point_text.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

// From this share on, it is worth mentioning.
constexpr double kNotable = 0.01;
constexpr double kNotableIdle = 0.05;

std::string optional_text(const std::optional<double>& value, std::string (*show)(double)) {
  return format::optional(value, show);
}

std::string process_name(const Application& application, int id) {
  const ProgramProcess* process = find_process(application.processes, id);
  return process != nullptr && process->rank ? fmt::format("rank {}", *process->rank)
                                             : fmt::format("process {}", id);
}

/// What an older run calls by the name of a pass: `operations was not counted`.
std::string with_plural(const std::string& cause) {
  constexpr std::string_view kSingular = "operations was not";
  return cause.starts_with(kSingular) ? fmt::format("operations were not{}", cause.substr(kSingular.size()))
                                      : cause;
}

std::string_view transfer_name(TransferKind kind) {
  switch (kind) {
    case TransferKind::host_to_device:
      return "host to device";
    case TransferKind::pageable_to_device:
      return "host to device, pageable";
    case TransferKind::device_to_host:
      return "device to host";
    case TransferKind::device_to_pageable:
      return "device to host, pageable";
    case TransferKind::device_to_device:
      return "within the device";
    case TransferKind::peer_to_peer:
      return "device to device";
    case TransferKind::set:
      return "memset";
    case TransferKind::other:
      return "other";
  }
  return "?";
}

/// `could save up to 377.9 µs of each 4.4 ms step (8.5 %)`, or of all GPU time if it has no steps.
std::string saving(const ProgramUse& program, std::string_view name, double recoverable_s,
                   const std::optional<double>& per_step_s) {
  if (per_step_s && program.step != nullptr) {
    const double step_s = *program.step->interval_s;
    return fmt::format("{} could save up to {} of each {} step ({})", name, format::duration(*per_step_s),
                       format::duration(step_s), format::percent(*per_step_s / step_s));
  }
  return fmt::format("{} could save up to {} of {} ({})", name, format::duration(recoverable_s),
                     format::duration(program.kernel_s), format::percent(recoverable_s / program.kernel_s));
}

/// The most that one kernel could save, in one shape or in several together.
double most_of_a_kernel_s(const ProgramUse& program) {
  if (program.recoverable.empty()) return 0;
  const auto together = kernel_saving(program);
  return together ? together->recoverable_s : *program.recoverable.front()->launches->recoverable_s;
}

bool is_fusion_most(const ProgramUse& program) {
  return program.fusion && program.fusion->recoverable_s > most_of_a_kernel_s(program);
}

std::string fusion_name(const FusionSaving& fusion) {
  return fmt::format("fusing {} DRAM-bound kernels over the same data in {}", fusion.kernels.size(),
                     fusion.path);
}

std::string fusion_sentence(const ProgramUse& program) {
  const FusionSaving& fusion = *program.fusion;
  return fmt::format(
      "In {}, {} DRAM-bound kernels with the same grid take {} ({} of GPU time), with little else between "
      "them: they seem to go over the same data one after another, and move {:.1f} times the bytes of the "
      "one that moves most. One fused kernel (torch.compile; for an optimizer, fused=True) could save up to "
      "{}.",
      fusion.path, fusion.kernels.size(), format::duration(fusion.total_s),
      format::percent(fusion.total_s / program.kernel_s), fusion.bytes / fusion.fewest_bytes,
      format::duration(fusion.recoverable_s));
}

/// Where to begin: with the group, with the kernel in several shapes, or with the kernels that one could
/// replace, that could save most. Empty if nothing could save anything.
std::string most_saving(const ProgramUse& program) {
  if (is_fusion_most(program)) {
    const FusionSaving& fusion = *program.fusion;
    return saving(program, fusion_name(fusion), fusion.recoverable_s, fusion.recoverable_per_step_s);
  }
  if (program.recoverable.empty()) return {};
  const auto together = kernel_saving(program);
  const auto is_overlapped = [](const RooflinePoint* group) { return group->launches->is_overlapped; };
  if (!together || std::any_of(together->groups.begin(), together->groups.end(), is_overlapped)) {
    const RooflinePoint& group = *program.recoverable.front();
    const std::string text =
        saving(program, group.label, *group.launches->recoverable_s, group.launches->recoverable_per_step_s);
    return group.launches->is_overlapped ? text + ", less where it overlaps with other kernels" : text;
  }
  const std::string name =
      fmt::format("{} ({} shapes)", together->groups.front()->kernel, together->groups.size());
  return saving(program, name, together->recoverable_s, together->recoverable_per_step_s);
}

/// The median, or where that says little about the launches, their mean.
std::string launch_time_text(const RooflinePoint& group) {
  return has_uneven_launches(*group.measurement)
             ? fmt::format("mean {}", format::duration(mean_launch(*group.measurement).time_s))
             : format::duration(group.measurement->time->median_s);
}

/// What stands before a number that would be higher if all operations were known.
std::string_view at_least(const RangeUse& use) {
  return use.has_all_flops() ? "" : "≥ ";
}

std::string rate(const RangeUse& use) {
  return format::optional(use.flop_per_s(), [&](double value) {
    return fmt::format("{}{}", at_least(use), format::rate(value, format::kFlops));
  });
}

std::string intensity(const RangeUse& use) {
  return format::optional(
      use.ai(), [&](double value) { return fmt::format("{}{}", at_least(use), format::significant(value)); });
}

/// Spaces that pages and Markdown show, too.
std::string indent(std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < 2 * depth; ++i) text += "\u00a0";
  return text;
}

std::string idle_sentence(const IdleUse& idle) {
  const std::string share = format::whole_percent(idle.cause_share);
  const std::string gaps = format::counted(idle.cause_gaps, "gap");
  switch (idle.cause) {
    case IdleCause::launches:
      return fmt::format(
          "{} of the idle time is in {} below 100 µs: launching takes longer than running. CUDA graphs, or "
          "fewer, longer kernels (fusion, larger batches), would help.",
          share, gaps);
    case IdleCause::between_launches:
      return fmt::format(
          "{} of the idle time is in {} of 100 µs to 1 ms: the CPU was busy or synchronising. Larger batches "
          "and fewer synchronisations would help.",
          share, gaps);
    case IdleCause::elsewhere:
      return fmt::format(
          "{} of the idle time is in {} of 1 ms or more: the CPU was doing other work, such as loading "
          "input, or was waiting.",
          share, gaps);
    case IdleCause::unclear:
      break;
  }
  return {};
}

double most_recoverable_s(const ProgramUse& program) {
  const double of_kernel_s =
      program.recoverable.empty() ? 0 : *program.recoverable.front()->launches->recoverable_s;
  return std::max(of_kernel_s, program.fusion ? program.fusion->recoverable_s : 0);
}

/// Whether this share of the time costs more than any kernel could save.
bool costs_most(const ProgramUse& program, double share) {
  const double busy = program.busy_share().value_or(1) + program.waiting_share();
  return program.kernel_s > 0 && share >= busy * most_recoverable_s(program) / program.kernel_s;
}

bool is_waiting_notable(const ProgramUse& program) {
  constexpr double kMuch = 0.1;
  return program.waiting_share() >= kMuch && costs_most(program, program.waiting_share());
}

/// The idle time, where it costs more than any kernel could save; empty where it does not, or its cause is
/// unclear.
std::string idle_cause_text(const ProgramUse& program) {
  if (!program.idle || !costs_most(program, program.idle->share)) return {};
  switch (program.idle->cause) {
    case IdleCause::launches:
      return "waiting for launches, mostly for less than 100 µs";
    case IdleCause::between_launches:
      return "waiting for the CPU between kernels, mostly for 100 µs to 1 ms";
    case IdleCause::elsewhere:
      return "waiting for the CPU, mostly for 1 ms or more";
    case IdleCause::unclear:
      break;
  }
  return {};
}

/// What the device does besides work, if that costs more than any kernel could save: waiting within
/// collectives first. Otherwise empty.
std::string idle_headline(const ProgramUse& program) {
  std::string text;
  if (is_waiting_notable(program)) {
    const CollectiveWaiting& waiting = *program.waiting;
    text =
        fmt::format("The GPU waits in collectives for the last rank {} of the time (in {} of them for {}). ",
                    format::whole_percent(program.waiting_share()), format::whole_percent(waiting.last_share),
                    waiting.last);
  }
  const std::string cause = idle_cause_text(program);
  if (cause.empty()) return text;
  return fmt::format("{}The GPU is idle {} of the time, {}. ", text,
                     format::whole_percent(program.idle->share), cause);
}

/// A length that somebody chose: `5 µs`, `1 ms`.
std::string bound(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:g} µs", seconds * 1e6) : fmt::format("{:g} ms", seconds * 1e3);
}

std::string gap_name(const std::optional<double>& from_s, const std::optional<double>& below_s) {
  if (!from_s && !below_s) return "all";
  if (!from_s) return fmt::format("below {}", bound(*below_s));
  return below_s ? fmt::format("{} to {}", bound(*from_s), bound(*below_s))
                 : fmt::format("{} or more", bound(*from_s));
}

/// Why a group has no roof, or was not timed.
std::string roofless_reason(const RooflinePoint& group) {
  const std::string& cause = group.measurement->cause;
  if (!group.measurement->time && !cause.empty()) return cause;
  if (!group.measurement->time && group.measurement->launches->held > 0) {
    return "each of its launches with a time waited for a rank that was held to be counted";
  }
  if (!group.measurement->time) return "none of its launches was traced";
  return group.roof_missing;
}

std::string counted_sentence(const Run& run, const ProgramUse& program) {
  if (!program.partly_counted.empty()) return partly_counted_sentence(run);
  std::string text =
      fmt::format("Counters are complete for {} of GPU time", format::percent(program.counted_share));
  if (program.roofless_share > 0) {
    text += fmt::format("; {} has no roof and is left out of the savings",
                        format::percent(program.roofless_share));
  }
  return text + ".";
}

std::string where_the_time_is(const ProgramUse& program) {
  const std::vector<TimeLimit> limits = time_by_limit(program);
  if (!limits.empty() && limits.front().bound == Bound::communication) {
    return fmt::format("{} of GPU time is in collectives", format::whole_percent(limits.front().share));
  }
  const Concentration& most = program.concentration;
  const std::string kernels = format::counted(program.kernels, "kernel");
  if (most.kernels == program.kernels && most.kernels > 1) {
    return fmt::format("GPU time is spread over {}", kernels);
  }
  return fmt::format("{} of GPU time is in {} of {}", format::whole_percent(most.share), most.kernels,
                     kernels);
}

}  // namespace

std::vector<Loss> losses_beside_kernels(const ProgramUse& program) {
  std::vector<Loss> losses;
  if (is_waiting_notable(program)) {
    const CollectiveWaiting& waiting = *program.waiting;
    losses.push_back(
        {"waiting in collectives", waiting.wait_s,
         fmt::format("In {} of the collectives, the others wait for {}: the table of ranks has its time "
                     "in kernels; launches that come late there delay all.",
                     format::whole_percent(waiting.last_share), waiting.last)});
  }
  if (!idle_cause_text(program).empty())
    losses.push_back({"GPU idle", program.idle->idle_s, idle_sentence(*program.idle)});
  if (is_fusion_most(program))
    losses.push_back({fusion_name(*program.fusion), program.fusion->recoverable_s, fusion_sentence(program)});
  const auto takes_more = [](const Loss& a, const Loss& b) { return a.time_s > b.time_s; };
  std::stable_sort(losses.begin(), losses.end(), takes_more);
  return losses;
}

std::string program_headline(const ProgramUse& program) {
  std::string text = idle_headline(program) + where_the_time_is(program);
  const std::string saving = most_saving(program);
  return saving.empty() ? text + "." : fmt::format("{}; {}.", text, saving);
}

std::vector<std::string> program_sentences(const Run& run, const ProgramUse& program) {
  std::vector<std::string> texts = import_sentences(run);
  if (program.gpus > 1) {
    texts.push_back(fmt::format(
        "Launches and total times are sums over {} GPUs; the time per launch is a mean.", program.gpus));
    texts.push_back(
        fmt::format("All kernels are compared with the roofs of device {}; the timeline and PyTorch's "
                    "operators are shown for each device.",
                    program.groups.front()->measurement->device));
  }
  if (program.is_part) {
    texts.push_back(
        fmt::format("The program used more GPUs, but the run has counters for these {} only.", program.gpus));
  }
  if (const auto busy = program.busy_share()) {
    const double waiting = program.waiting_share();
    texts.push_back(fmt::format(
        "GPU busy {},{} idle {} (over {} {}).", format::percent(*busy),
        waiting > 0 ? fmt::format(" waiting for other ranks in collectives {},", format::percent(waiting))
                    : "",
        format::percent(std::max(0.0, 1 - *busy - waiting)), format::duration(program.watched_s()),
        program.idle ? "without counting" : "of tracing, including launches held for counting"));
  }
  if (program.idle && program.idle->cause != IdleCause::unclear)
    texts.push_back(idle_sentence(*program.idle));
  texts.push_back(counted_sentence(run, program));
  if (program.fusion) texts.push_back(fusion_sentence(program));
  if (program.short_groups > 0) {
    texts.push_back(fmt::format(
        "{} shorter than {}: {} launches take {} ({} of GPU time). Fewer of them (fusion, larger batches) "
        "would "
        "save time, faster ones would not.",
        program.short_groups == 1 ? "1 kernel is" : fmt::format("{} kernels are", program.short_groups),
        format::duration(kShortLaunchS), program.short_launches, format::duration(program.short_s),
        format::percent(program.short_s / program.kernel_s)));
  }
  if (program.overlapped_share >= kNotable) {
    texts.push_back(
        fmt::format("For {} of their time, kernels overlapped with others: the program may gain less than "
                    "such a kernel (~) could save.",
                    format::percent(program.overlapped_share)));
  }
  if (program.held > 0) {
    texts.push_back(fmt::format(
        "{} of {} launches of collectives ({}) waited for a rank that was held to be counted: they "
        "are in no time.",
        program.held, program.collectives, format::duration(program.held_s)));
  }
  if (!run.application) return texts;
  const Application& application = *run.application;
  if (application.untraced > 0) {
    texts.push_back(fmt::format("Times cover {} of {} launches: tracing is off while counters run.",
                                application.launches - application.untraced, application.launches));
  }
  if (application.lost > 0) {
    texts.push_back(
        fmt::format("{} launches were lost: CUPTI had no room for their records.", application.lost));
  }
  if (application.runs > 1) texts.push_back(fmt::format("The program was run {} times.", application.runs));
  if (application.exit_code.value_or(0) != 0) {
    texts.push_back(fmt::format("The program ended with exit code {}.", *application.exit_code));
  }
  return texts;
}

ProgramTable recoverable_table(const ProgramUse& program, std::size_t most) {
  ProgramTable table = {.title = "Possible savings",
                        .columns = {{"kernel"},
                                    {"share", true},
                                    {"launches", true},
                                    {"time", true},
                                    {"of roofline", true},
                                    {"roof"},
                                    {"could save", true}}};
  const std::size_t shown = std::min(most, program.recoverable.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const RooflinePoint& group = *program.recoverable[i];
    const LaunchUse& launches = *group.launches;
    table.rows.push_back(
        {group.label, format::percent(launches.share), fmt::format("{}", group.measurement->launches->count),
         launch_time_text(group), format::whole_percent(*group.fraction_of_roofline),
         std::string(roof_name(group)),
         fmt::format("{}{}", launches.is_overlapped ? "~" : "", format::duration(*launches.recoverable_s))});
  }
  table.left_out = program.recoverable.size() - shown;
  for (const RooflinePoint* group : program.partly_counted) {
    if (table.rows.size() == most) {
      ++table.left_out;
      continue;
    }
    const double most_s = group->launches->total_s * std::max(0.0, 1 - *group->fraction_of_roofline);
    table.rows.push_back({group->label, format::percent(group->launches->share),
                          fmt::format("{}", group->measurement->launches->count),
                          format::duration(group->measurement->time->median_s),
                          fmt::format("≥ {}", format::whole_percent(*group->fraction_of_roofline)),
                          std::string(words_for(group->roof->resource).label),
                          fmt::format("≤ {}", format::duration(most_s))});
  }
  return table;
}

ProgramTable roofless_table(const ProgramUse& program, std::size_t most) {
  struct Reason {
    std::string text;
    std::vector<const RooflinePoint*> groups;
    double share = 0;
    std::uint64_t launches = 0;
  };
  std::vector<Reason> reasons;  // the one of the group that took longest first
  for (const RooflinePoint* group : program.groups) {
    if (group->fraction_of_roofline) continue;
    const std::string text = roofless_reason(*group);
    auto reason =
        std::find_if(reasons.begin(), reasons.end(), [&](const Reason& known) { return known.text == text; });
    if (reason == reasons.end()) reason = reasons.insert(reason, Reason{.text = text});
    reason->groups.push_back(group);
    reason->share += group->launches->share;
    reason->launches += group->measurement->launches->count;
  }
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const Reason& a, const Reason& b) { return a.share > b.share; });
  ProgramTable table = {.title = "Without a roof",
                        .columns = {{"kernels"}, {"share", true}, {"launches", true}, {"reason"}}};
  for (const Reason& reason : reasons) {
    if (table.rows.size() == most) {
      ++table.left_out;
      continue;
    }
    const std::size_t others = reason.groups.size() - 1;
    table.rows.push_back(
        {reason.groups.front()->label + (others > 0 ? fmt::format(" and {} more", others) : ""),
         format::percent(reason.share), fmt::format("{}", reason.launches), reason.text});
  }
  return table;
}

ProgramTable use_table(std::string_view title, std::string_view first, const std::vector<RangeUse>& uses,
                       std::size_t most) {
  ProgramTable table = {.title = title,
                        .columns = {{first},
                                    {"share", true},
                                    {"time", true},
                                    {"launches", true},
                                    {"FLOP/s", true},
                                    {"FLOP/byte", true},
                                    {"could save", true}}};
  std::vector<double> times;
  for (const RangeUse& use : uses) times.push_back(use.total_s);
  std::sort(times.begin(), times.end(), std::greater<>());
  const double shortest_s = times.size() > most ? times[most - 1] : 0;
  for (const RangeUse& use : uses) {
    if (use.total_s < shortest_s || table.rows.size() == most) {
      ++table.left_out;
      continue;
    }
    table.rows.push_back(
        {indent(use.depth) + use.name, format::percent(use.share), format::duration(use.total_s),
         fmt::format("{}", use.launches), rate(use), intensity(use),
         use.roofed_s > 0 ? format::duration(use.recoverable_s) : std::string(format::kUnavailable)});
  }
  return table;
}

ProgramTable range_table(const ProgramUse& program, std::size_t most) {
  return use_table("NVTX ranges", "range", program.ranges, most);
}

ProgramTable transfer_table(const ProgramUse& program) {
  ProgramTable table = {.title = "Memory copies and memsets",
                        .columns = {{"copies"},
                                    {"number", true},
                                    {"bytes", true},
                                    {"time", true},
                                    {"each", true},
                                    {"bandwidth", true},
                                    {"of ceiling", true}}};
  for (const TransferRate& rate : program.transfers) {
    const TransferUse& use = *rate.use;
    const std::string share = optional_text(rate.fraction, format::whole_percent);
    table.rows.push_back({std::string(transfer_name(use.kind)), fmt::format("{}", use.count),
                          format::amount(use.bytes, "B"), format::duration(use.total_s),
                          format::duration(use.total_s / static_cast<double>(use.count)),
                          optional_text(rate.bytes_per_s, format::bandwidth),
                          rate.fraction ? fmt::format("{} {}", share, rate.ceiling) : share});
  }
  return table;
}

ProgramTable gap_table(const ProgramUse& program) {
  ProgramTable table = {.title = "Idle time by length of the gap",
                        .columns = {{"gap"}, {"number", true}, {"time", true}, {"of idle time", true}}};
  if (!program.idle || program.idle->share < kNotableIdle) return table;
  std::optional<double> from_s;
  for (const IdleGaps& gaps : program.idle->undisturbed->gaps) {
    table.rows.push_back({gap_name(from_s, gaps.below_s), fmt::format("{}", gaps.count),
                          format::duration(gaps.total_s),
                          format::percent(gaps.total_s / program.idle->idle_s)});
    from_s = gaps.below_s;
  }
  return table;
}

ProgramTable idle_before_table(const ProgramUse& program, std::size_t most) {
  ProgramTable table = {
      .title = "Idle time before each kernel",
      .columns = {{"kernel"}, {"of idle time", true}, {"idle", true}, {"gaps", true}, {"mean gap", true}}};
  if (!program.idle || program.idle->share < kNotableIdle) return table;
  const std::vector<IdleBefore>& all = program.idle->before;
  const auto row = [&](const std::string& name, double idle_s, std::uint64_t gaps) {
    return std::vector<std::string>{name, format::percent(idle_s / program.idle->idle_s),
                                    format::duration(idle_s), fmt::format("{}", gaps),
                                    format::duration(idle_s / static_cast<double>(gaps))};
  };
  const std::size_t shown = std::min(most, all.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string name =
        all[i].group != nullptr ? all[i].group->label : std::string(transfer_name(all[i].transfer->kind));
    table.rows.push_back(row(name, all[i].idle_s, all[i].gaps));
  }
  if (shown == all.size()) return table;
  double idle_s = 0;
  std::uint64_t gaps = 0;
  for (std::size_t i = shown; i < all.size(); ++i) {
    idle_s += all[i].idle_s;
    gaps += all[i].gaps;
  }
  table.rows.push_back(row(fmt::format("{} others", all.size() - shown), idle_s, gaps));
  return table;
}

std::vector<std::string> program_problems(const Run& run) {
  std::vector<std::string> texts = import_problems(run);
  if (!run.application) return texts;
  for (const ApplicationProblem& problem : run.application->problems) {
    const std::string process =
        problem.process ? process_name(*run.application, *problem.process) + ": " : "";
    const std::string subject =
        problem.subject.empty() ? "" : fmt::format(" ({})", short_kernel_name(problem.subject));
    const std::string hint = problem.hint.empty() ? "" : fmt::format(" — {}", problem.hint);
    texts.push_back(fmt::format("{}{}{}{}", process, with_plural(problem.cause), subject, hint));
  }
  return texts;
}

}  // namespace rooflinectl
