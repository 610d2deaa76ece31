// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>

#include "analysis/devices/devices_together.h"
#include "core/stats/statistics.h"
#include "core/text/names.h"
#include "reports/tables/devices/device_tables.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

constexpr std::size_t kMostStragglers = 3;
constexpr double kNotableOverlap = 0.1;

std::string host_name_of(const Run& run, const RankUse& rank) {
  const auto& hosts = run.application->hosts;
  const bool is_known = rank.process->host < hosts.size();  // not in a run of an early version
  return is_known && !hosts[rank.process->host].name.empty() ? hosts[rank.process->host].name : run.host;
}

std::string text_if_known(bool is_known, const std::string& text) {
  return is_known ? text : format::kUnavailable;
}

std::string devices_of(const RankUse& rank) {
  return format::joined(rank.process->devices);
}

std::string who_and_where(const Run& run, const RankAnalysis& analysis) {
  std::set<std::string> hosts;
  for (const RankUse& rank : analysis.ranks) hosts.insert(host_name_of(run, rank));
  const std::string gpus =
      analysis.gpus.empty() ? "" : fmt::format(", {}", format::joined(analysis.gpus, " and "));
  return fmt::format("{} on {}{}.", format::counted(analysis.ranks.size(), "rank"),
                     format::counted(hosts.size(), "host"), gpus);
}

std::string times_of_ranks(const RankAnalysis& analysis) {
  const auto [shortest, longest] = std::ranges::minmax_element(analysis.ranks, {}, &RankUse::compute_s);
  return fmt::format("In the whole run, kernels other than collectives take {} ({}) to {} ({}).",
                     format::duration(shortest->compute_s), shortest->name,
                     format::duration(longest->compute_s), longest->name);
}

std::string capitalised(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string straggler(const Run& run, const RankAnalysis& analysis, std::size_t place) {
  const RankUse& rank = analysis.ranks[place];
  const RankGroupUse* worst = analysis.slowest_group(place);
  std::string text =
      fmt::format("{} ({}, device {}) is slower than the others in {} of {}: {}, {} of its time", rank.name,
                  host_name_of(run, rank), devices_of(rank), rank.slow_groups,
                  format::counted(analysis.groups.size(), "launch group"), format::duration(rank.slow_s),
                  format::percent(rank.slow_share()));
  if (worst != nullptr) {
    const std::string where = worst->path.empty() ? "" : fmt::format(" in {}", worst->path);
    const RankTime& time = *worst->of(place);
    text += fmt::format("; most of it in {}{}: {} per launch in the mean, against {} in the median rank",
                        worst->kernel, where, format::duration(time.mean.time_s),
                        format::duration(worst->median_s));
    const double overlapped = time.overlapped_share();
    if (overlapped >= kNotableOverlap) {
      text += fmt::format("; other kernels ran alongside it for {} of its time", format::percent(overlapped));
    }
  }
  return capitalised(text + ".");
}

void add_stragglers(const Run& run, const RankAnalysis& analysis, std::vector<std::string>& texts) {
  if (analysis.groups.empty()) return;
  if (analysis.stragglers.empty()) {
    texts.emplace_back("No rank is slower than the others for 1 % of its time or more.");
    return;
  }
  const std::size_t shown = std::min(kMostStragglers, analysis.stragglers.size());
  for (std::size_t i = 0; i < shown; ++i) texts.push_back(straggler(run, analysis, analysis.stragglers[i]));
  if (shown < analysis.stragglers.size()) {
    texts.push_back(fmt::format("{} more are slower, too.", analysis.stragglers.size() - shown));
  }
}

/// How much longer than alone the rank that comes last takes, over all sizes.
std::string beyond_alone(const Run& run, const RankAnalysis& analysis) {
  const auto compared = against_alone(analysis.collective_sizes);
  if (!compared) {
    return "It is unknown how much longer they take than when run alone: rooflinectl ceilings --device all "
           "measures them alone, for later profiles on the same GPUs.";
  }
  const double longer = compared->relative_excess();
  return fmt::format(
      "Without waiting, collectives take {} {} than in isolation ({}, {}; over {} of known size).",
      format::percent(std::abs(longer)), longer < 0 ? "less" : "longer", run.collectives->nccl,
      format::utc(run.collectives->measured_utc), compared->count);
}

/// The ranks that the others wait for; empty if they never do.
std::string who_is_late(const RankAnalysis& analysis) {
  const auto [last, second] = analysis.latest();
  if (last->caused_s <= 0) return "";
  const std::string most =
      fmt::format(" Of that, {} is for {}", format::percent(analysis.caused_share(*last)), last->name);
  if (analysis.is_one_late()) return most + ".";
  return fmt::format("{}, {} for {}: the ranks take turns arriving last.", most,
                     format::percent(analysis.caused_share(*second)), second->name);
}

std::string waiting(const RankAnalysis& analysis) {
  const std::uint64_t judged = analysis.judged_collectives;
  const std::uint64_t set_aside = analysis.set_aside_collectives;
  if (judged + set_aside == 0) {
    return "The waiting time in them is unknown: no launches could be matched between ranks.";
  }
  if (judged == 0) {
    return fmt::format(
        "The waiting time in them is unknown: around all {} that were matched between ranks, launches were "
        "held for counting. Let the program run longer, or count less with --samples 1 or --kernel.",
        set_aside);
  }
  const std::string left_out =
      set_aside == 0 ? ""
                     : fmt::format("; {} left out: counting disturbed {}",
                                   set_aside == 1 ? "1 more is" : fmt::format("{} more are", set_aside),
                                   set_aside == 1 ? "it" : "them");
  return fmt::format(
      "{} of the time in collectives is spent waiting for the last rank to arrive ({} were matched between "
      "ranks{}).{}",
      format::percent(analysis.sum().wait_share()), judged, left_out, who_is_late(analysis));
}

void add_collectives(const Run& run, const RankAnalysis& analysis, std::vector<std::string>& texts) {
  const RankUse all = analysis.sum();
  if (all.collective_s <= 0 && analysis.held_collectives > 0) {
    texts.emplace_back(
        "The time in collectives is unknown: each launch with a time waited for a rank that was held to be "
        "counted. Let the program run longer, or count less with --samples 1 or --kernel.");
  }
  if (all.collective_s <= 0) return;
  texts.push_back(fmt::format(
      "Of the ranks’ time in kernels, which has no idle time, collectives take {}; for {} of that, another "
      "kernel also ran.",
      format::percent(all.collective_share()), format::percent(all.overlapped_share())));
  texts.push_back(waiting(analysis));
  if (!analysis.collective_sizes.empty()) texts.push_back(beyond_alone(run, analysis));
}

void add_clocks(const Run& run, std::vector<std::string>& texts) {
  double uncertainty_s = 0;
  std::size_t by_collectives = 0;
  for (const ProgramHost& host : run.application->hosts) {
    if (host.uncertainty_s.value_or(0) <= 0) continue;
    ++by_collectives;
    uncertainty_s = std::max(uncertainty_s, *host.uncertainty_s);
  }
  if (by_collectives == 0) return;
  texts.push_back(fmt::format("Times of {} are aligned with those of {} by the ends of collectives, to ±{}.",
                              format::counted(by_collectives, "host"), run.application->hosts.front().name,
                              format::duration(uncertainty_s)));
}

std::vector<std::size_t> shown_ranks(const RankAnalysis& analysis, std::size_t most) {
  std::vector<std::size_t> places(analysis.ranks.size());
  std::iota(places.begin(), places.end(), 0);
  if (places.size() <= most) return places;
  std::ranges::stable_sort(places, std::greater(), [&](std::size_t place) {
    return std::pair(analysis.ranks[place].slow_s, analysis.ranks[place].compute_s);
  });
  places.resize(most);
  return places;
}

/// Bus bandwidth of the same collective alone, the share of it that is reached, and the time beyond it.
std::vector<std::string> beside_alone(const CollectiveSize& size) {
  if (!size.alone_s) return std::vector<std::string>(3, format::kUnavailable);
  const double beyond_s = *size.beyond_alone_s();
  return {format::bandwidth(*size.alone_bus_bytes_per_s()), format::percent(*size.share_of_alone()),
          beyond_s > 0 ? format::duration(beyond_s) : ""};
}

std::string path_text(const std::string& path) {
  return path.empty() ? "no range" : range_title(path);
}

/// A row for each rank. If there are more than `most`, those that are slower than the others, then those with
/// most time.
Table rank_table(const Run& run, const RankAnalysis& analysis, std::size_t most) {
  Table table = {
      .title = "Each rank",
      .columns = {column::text("rank"), column::text("host"), column::text("device"),
                  column::number("kernels"), column::number("slower by"), column::number("collectives"),
                  column::number("waiting"), column::number("arrived last"), column::number("overlapped")},
      .dispensable = {"device", "host"}};
  for (const std::size_t place : shown_ranks(analysis, most)) {
    const RankUse& rank = analysis.ranks[place];
    const bool is_judged = rank.collectives > 0;
    const bool has_collectives = rank.collective_s > 0;
    table.rows.push_back({rank.name, host_name_of(run, rank), devices_of(rank),
                          format::duration(rank.compute_s),
                          rank.slow_groups > 0 ? format::percent(rank.slow_share()) : "",
                          has_collectives ? format::duration(rank.collective_s) : "",
                          text_if_known(is_judged, format::percent(rank.wait_share())),
                          text_if_known(is_judged, format::percent(rank.last_share())),
                          has_collectives ? format::percent(rank.overlapped_share()) : ""});
  }
  table.left_out = analysis.ranks.size() - table.rows.size();
  return table;
}

/// Collectives by kind and size: their bandwidth, its share of what a copy over NVLink reaches (in theory, if
/// that was not measured) where all ranks are on one host, and how they compare with the same collectives
/// alone where those were measured. Empty where no size is known.
Table rank_collective_size_table(const Run& run, const RankAnalysis& analysis, std::size_t most) {
  const LinkRoof roof = run.application->hosts.size() == 1 ? link_roof(run) : LinkRoof();
  const auto nvlink = roof.copy_bytes_per_s ? roof.copy_bytes_per_s : roof.theoretical_bytes_per_s;
  Table table = {
      .title = "Collectives by size",
      .columns = {column::text("collective"), column::number("array"), column::number("ranks"),
                  column::number("compared"), column::number("time"), column::number("algorithm bandwidth"),
                  column::number("bus bandwidth"),
                  column::number(roof.copy_bytes_per_s ? "of NVLink copy" : "of theoretical NVLink"),
                  column::number("alone"), column::number("vs. alone"), column::number("extra")},
      .dispensable = {"algorithm bandwidth", "compared", "ranks", "alone"}};
  for (const CollectiveSize& size : analysis.collective_sizes) {
    const double on_the_bus = size.bus_bytes_per_s();
    std::vector<std::string> row = {
        std::string(collective_name(size.collective)),
        format::precise_size(size.time.bytes),
        fmt::format("{}", size.ranks),
        fmt::format("{}", size.count),
        format::duration(size.time.time_s),
        format::bandwidth(algorithm_bytes_per_s(size.time)),
        format::bandwidth(on_the_bus),
        format::optional(nvlink, [&](double peak) { return format::percent(portion_of(on_the_bus, peak)); })};
    std::ranges::move(beside_alone(size), std::back_inserter(row));
    table.add(std::move(row), most);
  }
  return table;
}

/// Kernels other than collectives by NVTX range: the spread of the ranks' times, and the rank that is slower
/// there. First the ranges with most time.
Table rank_range_table(const RankAnalysis& analysis, std::size_t most) {
  Table table = {.title = "Ranges on several ranks",
                 .columns = {column::text("range"), column::number("ranks"), column::number("shortest"),
                             column::number("median"), column::number("longest"), column::number("spread"),
                             column::text("slower"), column::number("by")},
                 .dispensable = {"ranks", "shortest", "longest"}};
  for (const RankPhase& phase : analysis.phases) {
    const std::vector<double> times = phase.sorted_times_s();
    if (phase.is_collectives || times.size() < 2) continue;
    const std::optional<std::size_t> slowest = phase.slowest();
    table.add({phase.name, fmt::format("{}", times.size()), format::duration(times.front()),
               format::duration(median(times)), format::duration(times.back()),
               format::percent(phase.spread()), slowest ? analysis.ranks[*slowest].name : "",
               slowest ? format::percent(phase.slow_share(*slowest)) : ""},
              most);
  }
  return table;
}

/// The same kernel on several ranks: its spread, and the slowest rank. First those in which that rank loses
/// most.
Table rank_group_table(const RankAnalysis& analysis, std::size_t most) {
  Table table = {.title = "The same kernels on several ranks",
                 .columns = {column::sentence("kernel"), column::text("range"), column::number("ranks"),
                             column::number("shortest"), column::number("median"), column::number("longest"),
                             column::text("slowest"), column::number("slower")},
                 .dispensable = {"ranks", "range"}};
  for (const RankGroupUse& group : analysis.groups) {
    if (group.max_s <= 0) continue;
    const std::size_t slower = group.slower();
    table.add({group.kernel, path_text(group.path), fmt::format("{}", group.ranks.size()),
               format::duration(group.min_s), format::duration(group.median_s), format::duration(group.max_s),
               analysis.ranks[group.ranks[group.slowest].rank].name,
               slower > 0 ? format::counted(slower, "rank") : ""},
              most);
  }
  return table;
}

/// Collectives by NVTX range: what of their time was waiting, and what ran beside them. Empty without any.
Table rank_collective_table(const RankAnalysis& analysis, std::size_t most) {
  Table table = {.title = "Collectives by range",
                 .columns = {column::text("range"), column::number("time"), column::number("waiting"),
                             column::number("compared"), column::number("overlapped")},
                 .dispensable = {"compared"}};
  for (const CollectiveUse& use : analysis.collectives) {
    table.add(
        {path_text(use.path), text_if_known(use.total_s > 0, format::duration(use.total_s)),
         text_if_known(use.judged > 0, format::percent(use.wait_share())), fmt::format("{}", use.judged),
         text_if_known(use.total_s > 0, format::percent(use.overlapped_share()))},
        most);
  }
  return table;
}

}  // namespace

std::vector<std::string> rank_sentences(const Run& run, const RankAnalysis& analysis) {
  std::vector<std::string> texts = {who_and_where(run, analysis), times_of_ranks(analysis)};
  if (analysis.gpus.size() > 1) {
    texts.emplace_back("The GPUs are not all alike: a rank may be slower for that reason alone.");
  }
  add_stragglers(run, analysis, texts);
  add_collectives(run, analysis, texts);
  add_clocks(run, texts);
  if (analysis.single_groups > 0) {
    texts.push_back(fmt::format("{} ran on only one rank and cannot be compared.",
                                format::counted(analysis.single_groups, "group")));
  }
  return texts;
}

std::vector<Table> rank_tables(const Run& run, const RankAnalysis& analysis, std::size_t most) {
  return {rank_table(run, analysis, most), rank_collective_table(analysis, most),
          rank_collective_size_table(run, analysis, most), rank_range_table(analysis, most),
          rank_group_table(analysis, most)};
}

}  // namespace rooflinectl
