// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/enum_names.h"
#include "core/text/names.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

bool is_kernel(const Loss& loss) {
  return loss.kind != LossKind::waiting && loss.kind != LossKind::idle;
}

struct IdleWords {
  std::string_view gaps;       ///< their length
  std::string_view cause;      ///< what the CPU does
  std::string_view next_step;  ///< what would help
  std::string_view headline;   ///< both, after `The GPU is idle 51 % of the time, `
};

constexpr std::array<IdleWords, kEnumerators<IdleCause>.size()> kIdleWords = {
    {{},
     {"below 100 µs", "the CPU launches more slowly than the GPU runs.",
      "Use CUDA graphs, or fewer, longer kernels (fusion, larger batches).",
      "waiting for launches in gaps mostly below 100 µs: try CUDA graphs, or larger batches"},
     {"of 100 µs to 1 ms", "the CPU was busy or synchronising.",
      "Use larger batches and fewer synchronisations.",
      "waiting for the CPU between kernels, mostly for 100 µs to 1 ms: try larger batches and fewer "
      "synchronisations"},
     {"of 1 ms or more", "the CPU did other work, or waited for the GPU.",
      "Let the CPU launch ahead: wait for results (block_until_ready, .item(), copies to the host) less "
      "often, "
      "and load input in other threads.",
      "waiting for the CPU, mostly in gaps of 1 ms or more: wait for results less often, or load input "
      "ahead"}}};

const IdleWords& idle_words(IdleCause cause) {
  return kIdleWords.at(static_cast<std::size_t>(cause));
}

/// `725 gaps below 100 µs per step`; of the whole run if there are no steps.
std::string gaps_text(const ProgramUse& program, std::string_view length) {
  const std::uint64_t gaps = program.idle->cause_gaps;
  const LossBasis basis = loss_basis(program);
  if (!basis.is_step) return fmt::format("{} {}", format::counted(gaps, "gap"), length);
  const double per_step = static_cast<double>(gaps) * basis.time_s / program.watched_s();
  const std::string number = format::significant(per_step);
  return fmt::format("{} {} per step", number == "1.00" ? "1 gap" : number + " gaps", length);
}

/// `, mostly before saxpy`; empty if no kernel has most of the idle time before it.
std::string before_text(const IdleUse& idle) {
  constexpr double kMost = 0.5;
  if (idle.before.empty() || idle.before.front().share < kMost || idle.before.front().group == nullptr)
    return "";
  return fmt::format(", mostly before {}", idle.before.front().group->label);
}

LossText idle_text(const ProgramUse& program) {
  const IdleUse& idle = *program.idle;
  if (idle.cause == IdleCause::unclear) return {};
  const IdleWords& words = idle_words(idle.cause);
  return {.cause = fmt::format("{} of the idle time is in {}{}: {}", format::whole_percent(idle.cause_share),
                               gaps_text(program, words.gaps), before_text(idle), words.cause),
          .next_step = std::string(words.next_step)};
}

bool is_slow(const CollectiveWaiting& waiting) {
  constexpr double kSlow = 0.01;
  return waiting.last_slow_share >= kSlow;
}

LossText waiting_text(const CollectiveWaiting& waiting) {
  const std::string most = fmt::format("{} of the ranks’ waiting in collectives is for {}",
                                       format::whole_percent(waiting.last_share), waiting.last);
  if (!waiting.is_one_late) {
    return {
        .cause = fmt::format("The ranks take turns arriving last: {}, {} for {}. Their CPUs launch unevenly.",
                             most, format::whole_percent(waiting.second_share), waiting.second),
        .next_step =
            "Use fewer launches (CUDA graphs, larger batches), or find what delays the CPUs: "
            "input, logging, synchronisation, other programs on their cores."};
  }
  if (is_slow(waiting)) {
    return {.cause = fmt::format("{}, whose kernels take {} longer than those of the others.", most,
                                 format::percent(waiting.last_slow_share)),
            .next_step =
                fmt::format("Give {} less work, or find what slows its kernels (see Ranks).", waiting.last)};
  }
  return {.cause = fmt::format("{}. Its kernels are not slower: its CPU launches late.", most),
          .next_step = fmt::format(
              "Find what the CPU of {} does before collectives: input, logging, synchronisation, other "
              "programs on its cores.",
              waiting.last)};
}

LossText fusion_text(const ProgramUse& program) {
  const FusionSaving& fusion = *program.fusion;
  return {
      .name = fmt::format("fusing {} DRAM-bound kernels over the same data in {}", fusion.kernels.size(),
                          range_title(fusion.path)),
      .cause = fmt::format(
          "In {}, {} DRAM-bound kernels with the same grid take {} of {}, with little else between them: "
          "they seem to go over the same data one after another, and move {:.1f} times the bytes of the one "
          "that moves most.",
          range_title(fusion.path), fusion.kernels.size(),
          time_and_share(program, time_share(program, fusion.total_s)),
          program.step != nullptr ? "a step" : "the time", fusion.bytes / fusion.fewest_bytes),
      .next_step = "Use one fused kernel (in PyTorch, torch.compile; for an optimizer, fused=True)."};
}

LossText short_text(const ProgramUse& program, const Loss& loss) {
  return {.name = "fusing short launches",
          .cause = fmt::format(
              "Launches of less than {} ({}) take {} of {}, most of it before and after their work.",
              format::duration(kShortLaunchS), format::counted(loss.groups.size(), "launch group"),
              time_and_share(program, loss.share), program.step != nullptr ? "a step" : "the time"),
          .next_step =
              "Fuse them with the work before or after them (in PyTorch, torch.compile), or use larger "
              "batches: faster kernels would save little."};
}

bool overlaps(const Loss& loss) {
  return std::ranges::any_of(loss.groups,
                             [](const RooflinePoint* group) { return group->launches->is_overlapped; });
}

/// `377.9 µs of each 4.4 ms step`, or of all time if there are no steps; without that if it was said before.
std::string cost_of_all(const ProgramUse& program, const Loss& loss, bool is_said) {
  const LossBasis basis = loss_basis(program);
  const std::string cost = format::duration(loss.share * basis.time_s);
  if (is_said) return cost;
  const std::string all = format::duration(basis.time_s);
  return basis.is_step ? fmt::format("{} of each {} step", cost, all) : fmt::format("{} of {}", cost, all);
}

/// `layer_norm could save up to 377.9 µs of each 4.4 ms step (8.5 %)`.
std::string saving(const ProgramUse& program, const Loss& loss, bool is_said) {
  return fmt::format("{} could save up to {} ({}){}", loss_text(program, loss).name,
                     cost_of_all(program, loss, is_said), format::percent(loss.share),
                     overlaps(loss) ? ", less where it overlaps with other kernels" : "");
}

/// Which ranks the others wait for, and why: after `for the rank that arrives last 26 % of the time`. Of all
/// ranks together: the last one never waits for itself.
std::string late_headline(const CollectiveWaiting& waiting) {
  if (!waiting.is_one_late) return ": the ranks take turns arriving last, as their CPUs launch unevenly";
  return fmt::format(": {} of it for {}, whose {}", format::whole_percent(waiting.last_share), waiting.last,
                     is_slow(waiting) ? "kernels are slower" : "CPU launches late");
}

/// A sentence on waiting or idle time.
std::string loss_headline(const ProgramUse& program, const Loss& loss, bool is_said) {
  const bool several = program.gpus > 1;
  const std::string share = fmt::format("{} of the time ({})", format::whole_percent(loss.share),
                                        cost_of_all(program, loss, is_said));
  if (loss.kind == LossKind::idle) {
    return fmt::format("{} idle {}, {}.", several ? "The GPUs are" : "The GPU is", share,
                       idle_words(program.idle->cause).headline);
  }
  return fmt::format("{} in collectives for the rank that arrives last {}{}.",
                     several ? "The GPUs wait" : "The GPU waits", share,
                     several ? late_headline(*program.waiting) : "");
}

/// `; v0_global could save at most 1.031 ms (14.0 %)`, for reports that lack some counts; empty for others.
std::string partly_known_saving(const ProgramUse& program, bool is_said) {
  const auto most_s = [](const RooflinePoint* group) {
    return group->launches->total_s * std::max(0.0, 1 - *group->fraction_of_roofline);
  };
  const auto& groups = program.partly_counted;
  const auto most = std::ranges::max_element(groups, {}, most_s);
  if (most == groups.end()) return {};
  const double share = time_share(program, most_s(*most));
  return fmt::format("; {} could save at most {} ({})", (*most)->label,
                     cost_of_all(program, {.share = share}, is_said), format::percent(share));
}

/// What takes most of the time.
std::string where_the_time_is(const ProgramUse& program) {
  const std::vector<TimeLimit> limits = time_by_limit(program);
  const Concentration& most = program.concentration;
  const bool is_communication = !limits.empty() && limits.front().bound == Bound::communication;
  if (!is_communication && most.kernels == program.kernels && most.kernels > 1) {
    return fmt::format("GPU time is spread over {}", format::counted(program.kernels, "kernel"));
  }
  const double share =
      time_share(program, program.in_steps_s * (is_communication ? limits.front().share : most.share));
  const std::string kernels =
      most.kernels == program.kernels
          ? "The only kernel takes"
          : fmt::format("{} of {} take{}", most.kernels, format::counted(program.kernels, "kernel"),
                        most.kernels == 1 ? "s" : "");
  return fmt::format("{} {} of the time ({})", is_communication ? "Collectives take" : kernels,
                     format::whole_percent(share), cost_of_all(program, {.share = share}, false));
}

}  // namespace

std::string time_and_share(const ProgramUse& program, double share) {
  return fmt::format("{} ({})", format::duration(share * loss_basis(program).time_s), format::percent(share));
}

std::string steps_text(const ProgramUse& program) {
  return program.step == nullptr ? "" : format::counted(program.step->count, "step");
}

LossText loss_text(const ProgramUse& program, const Loss& loss) {
  LossText text;
  switch (loss.kind) {
    case LossKind::waiting:
      text = waiting_text(*program.waiting);
      text.name = "waiting in collectives";
      break;
    case LossKind::idle:
      text = idle_text(program);
      text.name = "GPU idle";
      break;
    case LossKind::fusion:
      text = fusion_text(program);
      break;
    case LossKind::short_launches:
      text = short_text(program, loss);
      break;
    case LossKind::groups:
      text.name = fmt::format("{} ({} launch groups)", loss.groups.front()->kernel, loss.groups.size());
      break;
    case LossKind::kernel:
      text.name = loss.groups.front()->label;
      break;
  }
  text.cost = (overlaps(loss) ? "~" : "") + format::duration(loss.share * loss_basis(program).time_s);
  return text;
}

std::string program_headline(const ProgramUse& program) {
  constexpr double kWorthSaying = 0.02;  // beside what costs more
  const std::vector<Loss> all = losses(program);
  const auto first_kernel = std::ranges::find_if(all, is_kernel);
  std::vector<std::string> sentences;
  for (auto loss = all.begin(); loss != first_kernel; ++loss)
    sentences.push_back(loss_headline(program, *loss, !sentences.empty()));
  if (sentences.empty()) {
    const std::string where = where_the_time_is(program);
    const bool is_said = where.ends_with(')');
    if (first_kernel == all.end()) return where + partly_known_saving(program, is_said) + ".";
    return fmt::format("{}; {}.", where, saving(program, *first_kernel, is_said));
  }
  if (first_kernel != all.end() && first_kernel->share >= kWorthSaying) {
    std::string sentence = saving(program, *first_kernel, true) + ".";
    const LossKind kind = first_kernel->kind;
    if (kind == LossKind::fusion || kind == LossKind::short_launches) sentence.front() = 'F';  // fusing …
    sentences.push_back(std::move(sentence));
  }
  return format::joined(sentences, " ");
}

Table loss_table(const ProgramUse& program, std::size_t most) {
  Table table = {.title = "Where to begin",
                 .columns = {column::sentence("where to begin"),
                             column::number(loss_basis(program).is_step ? "per step" : "could save"),
                             column::number(loss_basis(program).is_step ? "of a step" : "of the time")}};
  const std::vector<Loss> all = losses(program);
  const auto is_one_kernel = [](const Loss& loss) { return loss.kind == LossKind::kernel; };
  if (std::ranges::all_of(all, is_one_kernel)) return table;
  const std::size_t shown = std::min(most, all.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const LossText text = loss_text(program, all[i]);
    table.rows.push_back({text.name, text.cost, format::percent(all[i].share)});
  }
  return table;
}

}  // namespace rooflinectl
