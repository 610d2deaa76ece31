// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json/json.h"
#include "core/machine/ranks.h"
#include "core/program/application.h"
#include "core/serial/fields/plan_fields.h"

namespace rooflinectl::serial {

void fields(auto& f, Is<ProgramHost> auto& host) {
  f("name", host.name);
  f.optional("boot_id", host.boot_id);
  f("clock_ns", host.clock_ns);
  f.optional("uncertainty_s", host.uncertainty_s);
}

void fields(auto& f, Is<ProgramProcess> auto& process) {
  f("id", process.id);
  f.optional("rank", process.rank);
  f.optional("ranks", process.ranks, AtLeast{1});
  f("host", process.host);
  f("devices", process.devices);
  f.optional_rows("collectives", process.collectives, &CollectiveLaunch::kernel, &CollectiveLaunch::start_ns,
                  &CollectiveLaunch::duration_ns);
  f.optional_rows("holds", process.holds, &Hold::start_ns, &Hold::duration_ns);
}

void fields(auto& f, Is<CollectiveKernel> auto& kernel) {
  f("subject", kernel.subject);
  f.optional("path", kernel.path);
  f.optional("bytes", kernel.bytes);
}

void fields(auto& f, Is<RankGroup> auto& group) {
  f("experiment", group.point.experiment);
  fields(f, group.point);
  f.rows("ranks", group.ranks, &RankLaunches::process, &RankLaunches::count, &RankLaunches::traced,
         &RankLaunches::total_s, &RankLaunches::median_s, &RankLaunches::ci_low_s, &RankLaunches::ci_high_s,
         &RankLaunches::overlapped_s);
}

void fields(auto& f, Is<IdleGaps> auto& gaps) {
  f.optional("below_s", gaps.below_s, Range::positive);
  f("count", gaps.count);
  f("total_s", gaps.total_s);
}

void fields(auto& f, Is<UndisturbedUse> auto& use) {
  f("busy_s", use.busy_s);
  f("gaps", use.gaps);
}

void fields(auto& f, Is<DeviceUse> auto& use) {
  f("device", use.device);
  f("span_s", use.span_s);
  f("untraced_s", use.untraced_s);
  f("kernel_busy_s", use.kernel_busy_s);
  f("busy_s", use.busy_s);
  f("kernel_s", use.kernel_s);
  f.optional("undisturbed", use.undisturbed);
}

void fields(auto& f, Is<TransferUse> auto& use) {
  f("device", use.device);
  f("kind", use.kind);
  f("count", use.count);
  f("bytes", use.bytes);
  f("total_s", use.total_s);
  f.optional("gaps_before", use.gaps_before);
  f.optional("idle_before_s", use.idle_before_s);
}

void fields(auto& f, Is<ApplicationProblem> auto& problem) {
  f("cause", problem.cause);
  f.optional("hint", problem.hint);
  f.optional("process", problem.process);
  f.optional("subject", problem.subject);
}

void fields(auto& f, Is<PassUse> auto& use) {
  f("process", use.process);
  f("pass", use.pass);
  f("is_traced", use.is_traced);
  f("start_s", use.start_s);
  f("end_s", use.end_s);
  f.optional("counted_until_s", use.counted_until_s);
}

void fields(auto& f, Is<RangeTimes> auto& times) {
  f("path", times.path);
  f("count", times.count);
  f("undisturbed", times.undisturbed);
  f.optional("median_s", times.median_s);
  f.optional("p95_s", times.p95_s);
  f.optional("interval_s", times.interval_s);
}

void fields(auto& f, Is<Application> auto& application) {
  f("command_line", application.command_line);
  f.optional("folder", application.folder);
  f.optional("exit_code", application.exit_code);
  f.optional("wall_s", application.wall_s);
  f("runs", application.runs, AtLeast{1});
  f.optional("hosts", application.hosts);
  f("processes", application.processes);
  f.optional("collectives", application.collectives);
  f("launches", application.launches);
  f("untraced", application.untraced);
  f("lost", application.lost);
  f("devices", application.devices);
  f("transfers", application.transfers);
  f.optional("passes", application.passes);
  f.optional("ranges", application.ranges);
  f.optional("other_ranks", application.other_ranks);
  f.optional("problems", application.problems);
}

void fields(auto& f, Is<GraphKernelUse> auto& use) {
  f("kernel", use.kernel);
  f("launches", use.launches);
  f("total_s", use.total_s);
}

void fields(auto& f, Is<WorkCluster> auto& cluster) {
  f("share", cluster.share);
  f("mean", cluster.mean);
}

void fields(auto& f, Is<WorkClusters> auto& clusters) {
  f("counter", clusters.counter);
  f("parts", clusters.parts);
}

void fields(auto& f, Is<TensorProducts> auto& products) {
  f("type", products.type);
  f("accumulator", products.accumulator);
  f("is_sparse", products.is_sparse);
  f("scales", products.scales);
}

void fields(auto& f, Is<SampledLine> auto& line) {
  f("file", line.file);
  f("line", line.line, AtLeast{1});
  f.optional("source_text", line.text);
  f("samples", line.samples);
  f.optional("stall", line.stall);
  f.optional("stalled", line.stalled);
}

void fields(auto& f, Is<SampledLines> auto& sampled) {
  f("samples", sampled.samples);
  f("lines", sampled.lines);
}

void fields(auto& f, Is<LaunchStatistics> auto& launches) {
  f.optional("symbol", launches.symbol);
  f.optional("first", launches.first);
  f("count", launches.count);
  f("traced", launches.traced);
  f("total_s", launches.total_s);
  f.optional("held", launches.held);
  f.optional("held_s", launches.held_s);
  f("p95_s", launches.p95_s);
  f("overlapped_s", launches.overlapped_s);
  f.optional("gaps_before", launches.gaps_before);
  f.optional("idle_before_s", launches.idle_before_s);
  f("counted", launches.counted);
  f.optional("period", launches.period);
  f.optional("counters_scale", launches.counters_scale);
  f.optional("clusters", launches.clusters);
  f.optional("operations_per_tensor_instruction", launches.operations_per_tensor_instruction);
  f.optional("operations_path", launches.operations_path);
  f.optional("has_half_arithmetic", launches.has_half_arithmetic);
  f.optional("has_sparse_products", launches.has_sparse_products);
  f.optional("products", launches.products);
  f.optional("sampled", launches.sampled);
  f.optional("graph_nodes", launches.graph_nodes);
  f.optional("graph_kernels", launches.graph_kernels);
  f.optional_rows("over_time", launches.over_time, &LaunchTimes::start_s, &LaunchTimes::launches,
                  &LaunchTimes::counted, &LaunchTimes::min_s, &LaunchTimes::median_s, &LaunchTimes::max_s);
}

void fields(auto& f, Is<ImportedFile> auto& file) {
  f("name", file.name);
  f("format", file.format);
  f.optional("tool_version", file.tool_version);
  f.optional("recorded_utc", file.recorded_utc);
  f.optional("command_line", file.command_line);
  f.optional("replay", file.replay);
  f.optional("clock_control", file.clock_control);
  f.optional("cache_control", file.cache_control);
  f.optional("sections", file.sections);
  f.optional("problems", file.problems);
}

}  // namespace rooflinectl::serial
