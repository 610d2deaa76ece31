// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json/rules.h"
#include "core/model/run.h"
#include "core/serial/fields/application_fields.h"
#include "core/serial/fields/plan_fields.h"
#include "core/serial/fields/primitive_fields.h"

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

}  // namespace rooflinectl::serial
