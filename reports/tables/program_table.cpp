// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/explain/explanation.h"
#include "analysis/roofline/point.h"
#include "core/enum_names.h"
#include "core/model/known_ceilings.h"
#include "core/text/kernel_name.h"
#include "reports/sentences/sentences.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"

namespace rooflinectl {

namespace {

// From this share on, it is worth mentioning.
constexpr double kNotable = 0.01;
constexpr double kNotableIdle = 0.05;

std::string process_name(const Application& application, int id) {
  const ProgramProcess* process = find_process(application.processes, id);
  return process != nullptr && process->rank ? fmt::format("rank {}", *process->rank)
                                             : fmt::format("process {}", id);
}

std::string_view transfer_name(TransferKind kind) {
  constexpr std::array<std::string_view, kEnumerators<TransferKind>.size()> kNames = {
      "host to device",    "host to device, pageable", "device to host", "device to host, pageable",
      "within the device", "device to device",         "memset",         "other"};
  return kNames.at(static_cast<std::size_t>(kind));
}

/// Among kernels: `copy within the device`.
std::string copy_name(TransferKind kind) {
  const bool is_copy = kind != TransferKind::set && kind != TransferKind::other;
  return fmt::format("{}{}", is_copy ? "copy " : "", transfer_name(kind));
}

/// The mean over several GPUs; of one the median, or where that says little about the launches, their mean.
std::string launch_time_text(const ProgramUse& program, const RooflinePoint& group) {
  const std::string mean = format::duration(mean_launch(*group.measurement).time_s);
  if (program.gpus > 1) return mean;
  return has_uneven_launches(*group.measurement) ? fmt::format("mean {}", mean)
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
  if (!group.measurement->time && !cause.empty()) return plain_cause(cause);
  if (!group.measurement->time && group.measurement->launches->held > 0) {
    return "each of its launches with a time waited for a rank that was held to be counted";
  }
  if (!group.measurement->time) return "none of its launches was traced";
  return plain_cause(group.roof_missing);
}

std::string counted_sentence(const ProgramUse& program) {
  if (!program.partly_counted.empty()) return {};  // what is missing was said of the import
  constexpr double kRounding = 1e-9;
  const std::string_view time = program.groups_beside_steps > 0 ? "GPU time in steps" : "GPU time";
  std::string share = format::percent(program.counted_share);
  if (share == "100.0 %" && program.counted_share < 1 - kRounding) share = ">99.9 %";
  std::string text = program.counted_share > 0
                         ? fmt::format("Counters are complete for {} of {}", share, time)
                         : "No kernel has all of its counters";
  if (program.roofless_share > 0) {
    text += fmt::format("; {}{} has no roof and is left out of the savings",
                        format::percent(program.roofless_share),
                        program.counted_share > 0 ? "" : fmt::format(" of {}", time));
  }
  return text + ".";
}

/// What the GPU did in a step, or in all of the time.
std::string busy_sentence(const ProgramUse& program) {
  const double busy = *program.busy_share();
  const double waiting = program.waiting_share();
  const double idle = std::max(0.0, 1 - busy - waiting);
  const std::string how =
      program.idle ? "without counting" : "of tracing, including launches held for counting";
  const std::string waited = "waiting for other ranks in collectives";
  if (program.step == nullptr) {
    return fmt::format("GPU busy {},{} idle {} (over {} {}).", format::percent(busy),
                       waiting > 0 ? fmt::format(" {} {},", waited, format::percent(waiting)) : "",
                       format::percent(idle), format::duration(program.watched_s()), how);
  }
  return fmt::format("Each step of {}, the median of {} {}: GPU busy {},{} idle {}.",
                     format::duration(*program.step->interval_s), program.step->undisturbed, how,
                     time_and_share(program, busy),
                     waiting > 0 ? fmt::format(" {} {},", waited, time_and_share(program, waiting)) : "",
                     time_and_share(program, idle));
}

/// What costs most, whatever it is, and what else is not a single kernel: the cause, and what to try.
std::vector<std::string> loss_sentences(const Run& run, const ProgramUse& program) {
  std::vector<std::string> texts;
  bool is_first = true;
  for (const Loss& loss : losses(program)) {
    const LossText text = loss_text(program, loss);
    if (!text.cause.empty()) {
      texts.push_back(fmt::format("{} Next: {}", text.cause, text.next_step));
    } else if (is_first) {
      const std::vector<Finding> findings = explain(run, *loss.groups.front()).findings;
      if (!findings.empty()) {
        const Finding& finding = findings.front();
        texts.push_back(fmt::format("{}: {} Next: {}", text.name, finding.text, finding.next_step));
      }
    }
    is_first = false;
  }
  return texts;
}

std::string of_processes(const Run& run, const std::string& steps) {
  const std::size_t processes = run.application->processes.size();
  return steps.empty() || processes < 2 ? steps : fmt::format("{} of {} processes", steps, processes);
}

/// Everything else is of a step: the run as a whole is named once. Empty if there is nothing to say.
std::string run_sentence(const Application& application, const std::string& steps) {
  const std::uint64_t timed = application.launches - application.untraced;
  const std::string cover = fmt::format("imes cover {} of {} launches: tracing is off while counters run.",
                                        timed, application.launches);
  if (steps.empty()) return application.untraced > 0 ? "T" + cover : "";
  return application.untraced > 0
             ? fmt::format("The whole run has {}; t{}", steps, cover)
             : fmt::format("The whole run has {} and {} launches.", steps, application.launches);
}

/// What is in no share of a step; empty if everything is.
std::string beside_steps_sentence(const ProgramUse& program) {
  if (program.groups_beside_steps == 0) return "";
  return fmt::format("Outside the steps, {} took {} ({} of GPU time): no share of a step includes them.",
                     format::counted(program.groups_beside_steps, "launch group"),
                     format::duration(program.kernel_s - program.in_steps_s),
                     format::percent(1 - program.in_steps_s / program.kernel_s));
}

/// Of a count in the time that was watched for gaps: what falls on a step, or all if there are no steps.
std::string watched_count(const ProgramUse& program, std::uint64_t count) {
  constexpr double kRare = 0.01;
  if (program.step == nullptr) return fmt::format("{}", count);
  const double per_step = static_cast<double>(count) * loss_basis(program).time_s / program.watched_s();
  return per_step < kRare ? fmt::format("<{}", kRare) : format::significant(per_step);
}

/// The same for a time.
std::string watched_time(const ProgramUse& program, double seconds) {
  const double of_basis = program.step == nullptr ? 1 : loss_basis(program).time_s / program.watched_s();
  return format::duration(seconds * of_basis);
}

/// What stands behind the title of a table that has no numbers per step although there are steps.
std::string of_whole_run(const ProgramUse& program, std::string_view title) {
  return fmt::format("{}{}", title, program.step == nullptr ? "" : ", whole run");
}

/// `DRAM copy` for `dram_copy`; of the link to the host just `PCIe`: the row has the direction.
std::string transfer_ceiling_text(std::string_view id) {
  const std::size_t end = std::min(id.find('_'), id.size());
  const std::string subject(subject_name(id.substr(0, end)));
  return id.starts_with("dram_") ? fmt::format("{} {}", subject, id.substr(end + 1)) : subject;
}

std::string value_text(double value, StripUnit unit) {
  using Show = std::string (*)(double);
  constexpr std::array<Show, kEnumerators<StripUnit>.size()> kShow = {
      [](double rate) { return rate > 0 ? format::bandwidth(rate) : "0 B/s"; },
      [](double rate) { return format::rate(rate, format::kFlops); }, format::percent, format::hertz,
      format::power};
  return kShow.at(static_cast<std::size_t>(unit))(value);
}

}  // namespace

std::vector<std::string> program_sentences(const Run& run, const ProgramUse& program) {
  std::vector<std::string> texts = import_sentences(run);
  const auto say = [&](const std::string& text) {
    if (!text.empty()) texts.push_back(text);
  };
  if (program.gpus > 1) {
    say(fmt::format("Launches and total times are sums over {} GPUs; the time per launch is a mean.",
                    program.gpus));
    say(
        fmt::format("All kernels are compared with the roofs of device {}; the timeline and PyTorch's "
                    "operators are shown for each device.",
                    program.groups.front()->measurement->device));
  }
  if (program.is_part) {
    say(fmt::format("The program used more GPUs, but the run has counters for these {} only.", program.gpus));
  }
  if (program.busy_share()) say(busy_sentence(program));
  for (const std::string& sentence : loss_sentences(run, program)) say(sentence);
  if (program.idle && program.idle->beside_steps.count > 0) {
    const IdleGaps& gaps = program.idle->beside_steps;
    say(fmt::format("{}, the program left the GPU idle for {}, in {}.",
                    program.step != nullptr ? "Beside its steps" : "While it started, ended or paused",
                    format::duration(gaps.total_s), format::counted(gaps.count, "gap")));
  }
  say(counted_sentence(program));
  const std::vector<Loss> all = losses(program);
  const bool is_loss = std::ranges::find(all, LossKind::short_launches, &Loss::kind) != all.end();
  if (program.short_groups > 0 && !is_loss) {
    say(fmt::format(
        "Launches of less than {} take {} of {} ({}). Fewer of them (fusion, larger batches) would save "
        "time, faster kernels would not.",
        format::duration(kShortLaunchS), time_and_share(program, time_share(program, program.short_s)),
        program.step != nullptr ? "a step" : "the time",
        format::counted(program.short_groups, "launch group")));
  }
  if (program.overlapped_share >= kNotable) {
    say(
        fmt::format("For {} of their time, kernels overlapped with others: the program may gain less than "
                    "such a kernel (~) could save.",
                    format::percent(program.overlapped_share)));
  }
  if (program.held > 0) {
    say(fmt::format(
        "{} of {} launches of collectives ({}) waited for a rank that was held to be counted: they "
        "are in no time.",
        program.held, program.collectives, format::duration(program.held_s)));
  }
  if (!run.application) return texts;
  const Application& application = *run.application;
  say(run_sentence(application, of_processes(run, steps_text(program))));
  say(beside_steps_sentence(program));
  if (application.lost > 0) {
    say(fmt::format("{} launches were lost: CUPTI had no room for their records.", application.lost));
  }
  if (application.runs > 1) say(fmt::format("The program was run {} times.", application.runs));
  if (application.exit_code.value_or(0) != 0) {
    say(fmt::format("The program ended with exit code {}.", *application.exit_code));
  }
  return texts;
}

Table recoverable_table(const ProgramUse& program, std::size_t most) {
  const LossBasis basis = loss_basis(program);
  const std::string_view time_title = program.gpus > 1 ? "mean time" : "time";
  Table table = {
      .title = "Possible savings",
      .columns = {column::sentence("kernel"), column::number(basis.is_step ? "of a step" : "of the time"),
                  column::number("launches"), column::number(std::string(time_title)),
                  column::number("of roofline"), column::text("bound by"),
                  column::number(basis.is_step ? "could save/step" : "could save")},
      .dispensable = {"launches", time_title}};
  const auto add = [&](const RooflinePoint& group, std::string_view at_least, const std::string& saving) {
    table.add({group.label, format::percent(time_share(program, group.launches->in_steps_s)),
               fmt::format("{}", group.measurement->launches->count), launch_time_text(program, group),
               fmt::format("{}{}", at_least, format::whole_percent(*group.fraction_of_roofline)),
               std::string(bound_name(group)), saving},
              most);
  };
  for (const RooflinePoint* group : program.recoverable) {
    const double saved_s = saving_share(program, *group->launches) * basis.time_s;
    add(*group, "",
        fmt::format("{}{}", group->launches->is_overlapped ? "~" : "", format::duration(saved_s)));
  }
  for (const RooflinePoint* group : program.partly_counted) {
    const double most_s = group->launches->total_s * std::max(0.0, 1 - *group->fraction_of_roofline);
    add(*group, "≥ ", fmt::format("≤ {}", format::duration(most_s)));
  }
  if (basis.is_step) table.remove("launches");  // these are of the whole run
  return table;
}

Table roofless_table(const ProgramUse& program, std::size_t most) {
  struct Reason {
    std::string text;
    std::vector<std::string> groups;
    double share = 0;
    std::uint64_t launches = 0;
  };
  std::vector<Reason> reasons;  // the one of the group that took longest first
  for (const RooflinePoint* group : program.groups) {
    if (group->fraction_of_roofline) continue;
    const std::string text = roofless_reason(*group);
    auto reason = std::ranges::find(reasons, text, &Reason::text);
    if (reason == reasons.end()) reason = reasons.insert(reason, Reason{.text = text});
    reason->groups.push_back(group->label);
    reason->share += group->launches->share;
    reason->launches += group->measurement->launches->count;
  }
  std::ranges::stable_sort(reasons, std::greater(), &Reason::share);
  Table table = {.title = "Without a roof",
                 .columns = {column::sentence("kernels"), column::number("share"), column::number("launches"),
                             column::sentence("reason")},
                 .dispensable = {"launches"}};
  for (const Reason& reason : reasons) {
    table.add({format::listed(reason.groups, 1), format::percent(reason.share),
               fmt::format("{}", reason.launches), reason.text},
              most);
  }
  return table;
}

double shortest_shown_s(const std::vector<RangeUse>& uses, std::size_t most) {
  if (uses.size() <= most) return 0;
  std::vector<double> times;
  for (const RangeUse& use : uses) times.push_back(use.total_s);
  std::ranges::sort(times, std::greater());
  return times[most - 1];
}

Table use_table(std::string_view title, std::string_view first, const std::vector<RangeUse>& uses,
                std::size_t most) {
  Table table = {.title = std::string(title),
                 .columns = {column::sentence(std::string(first)), column::number("share"),
                             column::number("time"), column::number("launches"), column::number("FLOP/s"),
                             column::number("FLOP/byte"), column::number("could save")},
                 .dispensable = {"launches", "FLOP/byte"}};
  const double shortest_s = shortest_shown_s(uses, most);
  for (const RangeUse& use : uses) {
    if (use.total_s < shortest_s) {
      ++table.left_out;
      continue;
    }
    table.add({indent(use.depth) + use.name, format::percent(use.share), format::duration(use.total_s),
               fmt::format("{}", use.launches), rate(use), intensity(use), format::saving(use.recoverable_s)},
              most);
  }
  return table;
}

Table range_table(const ProgramUse& program, std::size_t most) {
  Table table = use_table(of_whole_run(program, "NVTX ranges"), "range", program.ranges, most);
  std::uint64_t timed = 0;
  std::uint64_t launches = 0;
  for (const RooflinePoint* group : program.groups) {
    timed += group->measurement->launches->traced;
    launches += group->measurement->launches->count;
  }
  if (timed < launches) {
    table.notes.push_back(fmt::format("Times are of {} of {} launches.", timed, launches));
  }
  return table;
}

Table transfer_table(const ProgramUse& program) {
  Table table = {.title = of_whole_run(program, "Memory copies and memsets"),
                 .columns = {column::text("copies"), column::number("number"), column::number("bytes"),
                             column::number("time"), column::number("each"), column::number("bandwidth"),
                             column::number("of ceiling")},
                 .dispensable = {"of ceiling", "number"}};
  for (const TransferRate& rate : program.transfers) {
    const TransferUse& use = *rate.use;
    const std::string share = format::optional(rate.fraction, format::whole_percent);
    table.rows.push_back(
        {std::string(transfer_name(use.kind)), fmt::format("{}", use.count), format::amount(use.bytes, "B"),
         format::duration(use.total_s), format::duration(use.total_s / static_cast<double>(use.count)),
         format::optional(rate.bytes_per_s, format::bandwidth),
         rate.fraction ? fmt::format("{} of {}", share, transfer_ceiling_text(rate.ceiling)) : share});
  }
  return table;
}

Table gap_table(const ProgramUse& program) {
  const bool has_steps = program.step != nullptr;
  Table table = {
      .title = "Idle time by length of the gap",
      .columns = {column::text("gap"), column::number(has_steps ? "number/step" : "number"),
                  column::number(has_steps ? "time/step" : "time"), column::number("of idle time")}};
  if (!program.idle || program.idle->share < kNotableIdle) return table;
  std::optional<double> from_s;
  for (const IdleGaps& gaps : program.idle->gaps) {
    table.rows.push_back({gap_name(from_s, gaps.below_s), watched_count(program, gaps.count),
                          watched_time(program, gaps.total_s),
                          format::percent(gaps.total_s / program.idle->idle_s)});
    from_s = gaps.below_s;
  }
  return table;
}

Table idle_before_table(const ProgramUse& program, std::size_t most) {
  const bool has_steps = program.step != nullptr;
  const std::string_view gaps_title = has_steps ? "gaps/step" : "gaps";
  Table table = {.title = "Idle time before each kernel",
                 .columns = {column::sentence("kernel"), column::number("of idle time"),
                             column::number(has_steps ? "idle/step" : "idle"),
                             column::number(std::string(gaps_title)), column::number("mean gap")},
                 .dispensable = {"mean gap", gaps_title}};
  if (!program.idle || program.idle->share < kNotableIdle) return table;
  const std::vector<IdleBefore>& all = program.idle->before;
  const auto row = [&](const std::string& name, double idle_s, std::uint64_t gaps) {
    return std::vector<std::string>{name, format::percent(idle_s / program.idle->idle_s),
                                    watched_time(program, idle_s), watched_count(program, gaps),
                                    format::duration(idle_s / static_cast<double>(gaps))};
  };
  const std::size_t shown = std::min(most, all.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string name = all[i].group != nullptr ? all[i].group->label : copy_name(all[i].transfer->kind);
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
  struct Problem {
    std::string processes;
    std::string text;
  };
  std::vector<Problem> problems;  // those that several processes have once
  for (const ApplicationProblem& problem : run.application->problems) {
    std::string process = problem.process ? process_name(*run.application, *problem.process) : "";
    const std::string subject =
        problem.subject.empty() ? "" : fmt::format(" ({})", short_kernel_name(problem.subject));
    const std::string hint = problem.hint.empty() ? "" : fmt::format(" — {}", problem.hint);
    std::string text = fmt::format("{}{}{}", plain_cause(problem.cause), subject, hint);
    const auto same = std::ranges::find(problems, text, &Problem::text);
    if (same == problems.end() || process.empty() || same->processes.empty()) {
      problems.push_back({std::move(process), std::move(text)});
    } else {
      same->processes += ", " + process;
    }
  }
  for (const auto& [processes, text] : problems) {
    texts.push_back(processes.empty() ? text : fmt::format("{}: {}", processes, text));
  }
  return texts;
}

Table strip_table(const DeviceView& view) {
  Table table = {.columns = {column::text("metric"), column::number("mean"), column::number("peak"),
                             column::number("roof"), column::number("mean, % of roofline")}};
  for (const Strip& strip : view.strips) {
    const auto text = [&](double value) { return value_text(value, strip.unit); };
    const std::string longest = format::duration(static_cast<double>(view.bin_ns) * 1e-9);
    const bool has_roof = strip.unit != StripUnit::share;
    const std::string roof = has_roof ? format::optional(strip.roof, text) : format::kUnavailable;
    table.rows.push_back(
        {std::string(strip.title), format::optional(strip.mean(), text),
         format::optional(strip.peak(),
                          [&](double value) { return fmt::format("{} for {}", text(value), longest); }),
         has_roof && !strip.ceiling.empty() ? fmt::format("{} ({})", roof, strip.ceiling) : roof,
         has_roof ? format::optional(strip.mean_of_roof(), format::percent) : format::kUnavailable});
  }
  return table;
}

}  // namespace rooflinectl
