// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "core/json/json.h"
#include "core/machine/catalogue.h"
#include "core/machine/link.h"
#include "core/model/agreement.h"
#include "core/model/run.h"
#include "core/program/collective.h"
#include "core/serial/fields/application_fields.h"
#include "core/serial/fields/plan_fields.h"

namespace rooflinectl::serial {

void fields(auto& f, Is<LaunchShape> auto& launch) {
  f("grid", launch.grid);
  f("block", launch.block);
  f.optional("bytes_in_flight_per_block", launch.bytes_in_flight_per_block);
}

void fields(auto& f, Is<KernelResources> auto& resources) {
  f("registers_per_thread", resources.registers_per_thread);
  f("shared_bytes_per_block", resources.shared_bytes_per_block);
  f("blocks_per_sm", resources.blocks_per_sm);
  f("blocks_per_sm_by_registers", resources.blocks_per_sm_by_registers);
  f.optional("has_half_arithmetic", resources.has_half_arithmetic);
}

void fields(auto& f, Is<Operations> auto& operations) {
  f("flops", operations.flops);
  f("fma_flops", operations.fma_flops);
}

void fields(auto& f, Is<Work> auto& work) {
  f("read_bytes", work.read_bytes);
  f("written_bytes", work.written_bytes);
  f("operations", work.operations);
  f.optional("link_bytes", work.link_bytes);
}

void fields(auto& f, Is<Verification> auto& verification) {
  f("passed", verification.passed);
  f("worst_error_over_bound", verification.worst_error_over_bound, Range::not_negative);
  f("detail", verification.detail);
}

/// Early versions, which did not ask why the clock was low, compared samples with the best clock of the run.
/// Where that left no sample, they used all.
inline void mend_throttled_samples(TimeResult& time) {
  const bool all = static_cast<std::size_t>(time.throttled_samples) == time.samples_s.size();
  if (!time.clock_event_reasons && all) time.throttled_samples = 0;
}

void fields(auto& f, Is<TimeResult> auto& time) {
  f("median_s", time.median_s, Range::positive);
  f("ci_low_s", time.ci_low_s, Range::positive);
  f("ci_high_s", time.ci_high_s, Range::positive);
  f("launches_per_sample", time.launches_per_sample, AtLeast{1});
  f("noisy", time.noisy);
  f("throttled_samples", time.throttled_samples);
  f("samples_s", time.samples_s, Range::positive);
  f("sample_clocks_hz", time.sample_clocks_hz);
  f.optional("mode", time.mode);
  f.optional("sm_clock_hz", time.sm_clock_hz);
  f.optional("clock_event_reasons", time.clock_event_reasons);
  f.after_reading(time, mend_throttled_samples);
}

void fields(auto& f, Is<EnergyResult> auto& energy) {
  f("joules", energy.joules);
  f("mean_power_w", energy.mean_power_w);
  f("duration_s", energy.duration_s);
}

void fields(auto& f, Is<Measurement> auto& measurement) {
  f("experiment", measurement.point.experiment);
  fields(f, measurement.point);
  f("device", measurement.device);
  f.optional("rank", measurement.rank);
  f.optional("process", measurement.process);
  f.optional("launches", measurement.launches);
  f("launch", measurement.launch);
  f.optional("resources", measurement.resources);
  f("work", measurement.work);
  f("status", measurement.status);
  f.optional("cause", measurement.cause);
  f.optional("verification", measurement.verification);
  f.optional("time", measurement.time);
  f.optional("energy", measurement.energy);
  f("counters", measurement.counters);
  f.optional("counter_spread", measurement.counter_spread);
  f.optional("counter_repeats", measurement.counter_repeats, AtLeast{1});
}

/// Either how counters were gathered, or why they were not.
void fields(auto& f, Is<CounterSession> auto& session) {
  f("available", session.available);
  if (session.available) {
    f("passes", session.passes);
    f("host_setup_s", session.host_setup_s);
    f("collection_s", session.collection_s);
    f("metrics", session.metrics);
  } else {
    f("reason", session.reason);
    f("hint", session.hint);
  }
}

void fields(auto& f, Is<Agreement> auto& agreement) {
  f("subject", agreement.subject);
  f("quantity", agreement.quantity);
  f("unit", agreement.unit);
  // The verdict is derived from them again when they are read.
  f("ours", agreement.ours, AllDigits{});
  f("reference", agreement.reference, AllDigits{});
  f("tolerance", agreement.tolerance, AllDigits{});
  f("is_relative", agreement.is_relative);
  f("note", agreement.note);
}

void fields(auto& f, Is<SelfTest> auto& self_test) {
  f("reason", self_test.reason);
  f("wall_s", self_test.wall_s);
  f("agreements", self_test.agreements);
}

void fields(auto& f, Is<CrossCheck> auto& cross_check) {
  f("tool", cross_check.tool);
  f("version", cross_check.version);
  f("source", cross_check.source);
  f("reason", cross_check.reason);
  f("hint", cross_check.hint);
  f("agreements", cross_check.agreements);
}

void fields(auto& f, Is<Confirmation> auto& confirmation) {
  f("agrees", confirmation.agrees);
  f("detail", confirmation.detail);
}

void fields(auto& f, Is<Ceiling> auto& ceiling) {
  f("device", ceiling.device);
  f("id", ceiling.id);
  f("kind", ceiling.kind);
  f("source", ceiling.source);
  f("subject", ceiling.subject);
  f("operation", ceiling.operation);
  f.optional("products", ceiling.products);
  f("value", ceiling.value, Range::positive);
  f.optional("sm_clock_hz", ceiling.sm_clock_hz);
  f("relative_spread", ceiling.relative_spread);
  f("method", ceiling.method);
  f.optional("measured_utc", ceiling.measured_utc);
  f.optional("confirmation", ceiling.confirmation);
}

void fields(auto& f, Is<CollectiveTime> auto& time) {
  f("bytes", time.bytes, Range::positive);
  f("time_s", time.time_s, Range::positive);
  f("relative_spread", time.relative_spread);
}

/// Whatever their order in the file.
inline void sort_by_size(CollectiveTimes& times) {
  std::ranges::stable_sort(times.sizes, {}, &CollectiveTime::bytes);
}

void fields(auto& f, Is<CollectiveTimes> auto& times) {
  f("collective", times.collective);
  f("sizes", times.sizes);
  f("sent_bytes", times.sent_bytes);
  f.optional("missing", times.missing);
  f.after_reading(times, sort_by_size);
}

void fields(auto& f, Is<Collectives> auto& collectives) {
  f.optional("library", collectives.nccl);
  f.optional("method", collectives.method);
  f("times", collectives.times);
  f.optional("measured_utc", collectives.measured_utc);
  f.optional("missing", collectives.missing);
}

void fields(auto& f, Is<LinkBandwidth> auto& link) {
  f("from", link.from);
  f("to", link.to);
  f("mover", link.mover);
  f("both_ways", link.both_ways);
  f("bytes_per_s", link.bytes_per_s);
  f("relative_spread", link.relative_spread);
  f("method", link.method);
  f.optional("moved_bytes", link.moved_bytes, Range::positive);
  f.added("sent_bytes", link.sent_bytes);
  f.added("received_bytes", link.received_bytes);
  f.optional("measured_utc", link.measured_utc);
  f.optional("missing", link.missing);
}

void fields(auto& f, Is<VariantInfo> auto& variant) {
  f("id", variant.id);
  f("label", variant.label);
  f("title", variant.title);
  f("family", variant.family);
  f("dtypes", variant.dtypes);
  f("block_sizes", variant.block_sizes);
  f("default_block_size", variant.default_block_size);
  f.optional("default_elements_per_thread", variant.default_elements_per_thread);
  f("output", variant.output);
  f("destroys_input", variant.destroys_input);
  f("deterministic", variant.deterministic);
  f("minimum_sm", variant.minimum_sm);
  f.optional("several_gpus", variant.several_gpus);
}

void fields(auto& f, Is<Catalogue> auto& catalogue) {
  f("variants", catalogue.variants);
  f("ceilings", catalogue.ceilings);
  f.optional("primitives", catalogue.primitives);
}

void fields(auto& f, Is<CounterInfo> auto& counter) {
  f("key", counter.key);
  f("meaning", counter.meaning);
  f("metric", counter.metric);
}

void fields(auto& f, Is<ChipCounters> auto& chip) {
  f("chip", chip.chip);
  f("passes", chip.passes);
  f("counters", chip.counters);
}

void fields(auto& f, Is<Check> auto& check) {
  f("subject", check.subject);
  f("status", check.status);
  f("detail", check.detail);
  f("fix", check.fix);
  f("stops_measuring", check.stops_measuring);
}

void fields(auto& f, Is<Environment> auto& environment) {
  f("operating_system", environment.operating_system);
  f("kernel", environment.kernel);
  f("processor", environment.processor);
  f("container", environment.container);
  f("variables", environment.variables);
}

void fields(auto& f, Is<DeviceSettings> auto& settings) {
  f.optional("pci_bus_id", settings.pci_bus_id);
  f.optional("persistence_mode", settings.persistence_mode);
  f.optional("compute_mode", settings.compute_mode);
  f.optional("mig_mode", settings.mig_mode);
  f.optional("power_limit_w", settings.power_limit_w);
  f.optional("default_power_limit_w", settings.default_power_limit_w);
  f.optional("max_power_limit_w", settings.max_power_limit_w);
  f.optional("max_sm_clock_hz", settings.max_sm_clock_hz);
  f.optional("max_memory_clock_hz", settings.max_memory_clock_hz);
  f.optional("application_sm_clock_hz", settings.application_sm_clock_hz);
  f.optional("application_memory_clock_hz", settings.application_memory_clock_hz);
}

void fields(auto& f, Is<DeviceInfo> auto& device) {
  f("name", device.name);
  f("uuid", device.uuid);
  f("chip", device.chip);
  f("index", device.index);
  f.optional("host", device.host);
  f("compute_capability", device.compute_capability);
  f("sm_count", device.sm_count);
  f("memory_bytes", device.memory_bytes);
  f("l2_bytes", device.l2_bytes);
  f("memory_bus_bits", device.memory_bus_bits);
  f("memory_clock_hz", device.memory_clock_hz);
  f("sm_clock_hz", device.sm_clock_hz);
  f("ecc_enabled", device.ecc_enabled);
  f("driver_version", device.driver_version);
  f("cuda_driver_version", device.cuda_driver_version);
  f("cuda_runtime_version", device.cuda_runtime_version);
  f.optional("cupti_version", device.cupti_version);
  f.optional("settings", device.settings);
}

void fields(auto& f, Is<Run> auto& run) {
  f.object("tool", [&](auto& tool) {
    tool("version", run.tool_version);
    tool("commit", run.tool_commit);
  });
  f("source", run.source);
  f("started_utc", run.started_utc);
  f("wall_s", run.wall_s);
  f("host", run.host);
  f("command_line", run.command_line);
  f("devices", run.devices, AtLeast{1});
  f.optional("together", run.together);
  f("plan", run.plan);
  f.optional("compiled_kernels", run.compiled_kernels);
  f.optional("python_versions", run.python_versions);
  f("catalogue", run.catalogue);
  f("counter_session", run.counter_session);
  f.optional("resumed_utc", run.resumed_utc);
  f.optional("environment", run.environment);
  f("ceilings", run.ceilings);
  f.optional("links", run.links);
  f.optional("collectives", run.collectives);
  f("measurements", run.measurements, AtMost{kMaxPoints});
  f.optional("primitives", run.primitives);
  f.optional("self_test", run.self_test);
  f.optional("cross_checks", run.cross_checks);
  f.optional("application", run.application);
  f.optional("imports", run.imports);
}

}  // namespace rooflinectl::serial
