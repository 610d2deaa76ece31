// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json/json.h"
#include "core/model/file_kernel.h"
#include "core/model/plan.h"
#include "core/model/primitive.h"

namespace rooflinectl::serial {

void fields(auto& f, Is<FileKernelArgument> auto& argument) {
  f("name", argument.name);
  f("kind", argument.kind);
  f("type", argument.type);
  f.optional("count", argument.count);
  f.optional("fill", argument.fill);
  f.optional("seed", argument.seed);
}

void fields(auto& f, Is<FileKernelLaunch> auto& launch) {
  f("grid", launch.grid);
  f("block", launch.block);
  f.optional("cluster", launch.cluster);
  f.optional("shared_bytes", launch.shared_bytes);
}

void fields(auto& f, Is<FileKernelWork> auto& work) {
  f.optional("read_bytes", work.read_bytes);
  f.optional("written_bytes", work.written_bytes);
  f.optional("flops", work.flops);
  f.optional("fma_flops", work.fma_flops);
  f.optional("type", work.type);
}

void fields(auto& f, Is<FileKernelReference> auto& reference) {
  f.optional("kernel", reference.kernel);
  f.optional("python", reference.python);
  f.optional("cpp", reference.cpp);
  f.optional("function", reference.function);
  f.optional("files", reference.files);
  f.optional("relative", reference.relative, AllDigits{});
  f.optional("absolute", reference.absolute, AllDigits{});
}

void fields(auto& f, Is<FileKernel> auto& kernel) {
  f("id", kernel.id);
  f("title", kernel.title);
  f("source", kernel.source);
  f("text", kernel.text);
  f("function", kernel.function);
  f.optional("options", kernel.options);
  f("axes", kernel.first);
  f("arguments", kernel.arguments);
  f("launch", kernel.launch);
  f.optional("work", kernel.work);
  f.optional("reference", kernel.reference);
}

void fields(auto& f, Is<CompiledKernel> auto& compiled) {
  f("kernel", compiled.kernel);
  f("function", compiled.function);
  f.optional("options", compiled.options);
  f("architecture", compiled.architecture);
  f("compiler", compiled.compiler);
  f("symbol", compiled.symbol);
  f("registers", compiled.registers, AtLeast{0});
  f("spill_bytes", compiled.spill_bytes);
  f.optional("has_half_arithmetic", compiled.has_half_arithmetic);
  f.optional("warnings", compiled.warnings);
  f("file", compiled.file);
}

/// Without the name of the experiment, which the experiment has itself.
void fields(auto& f, Is<PointId> auto& point) {
  f("subject", point.subject);
  f("axes", point.axes);
}

void fields(auto& f, Is<TimingTarget> auto& timing) {
  f("relative_half_width", timing.relative_half_width, AllDigits{});
  f("time_limit_s", timing.time_limit_s, AllDigits{});
}

void fields(auto& f, Is<PlannedApplication> auto& application) {
  f("command", application.command, AtLeast{1});
  f("variables", application.environment);
  f("folder", application.folder);
  f("kernels", application.kernels);
  f("nvtx", application.nvtx);
  f("capture", application.capture);
  f("samples", application.samples, AtLeast{1});
}

/// With no more than `max_points`.
void fields(auto& f, Is<Experiment> auto& experiment, std::size_t max_points) {
  f("name", experiment.name);
  f("title", experiment.title);
  f("timing", experiment.timing);
  f("counters", experiment.counters);
  f.added("energy", experiment.energy);
  f("points", experiment.points, AtMost{max_points});
  f.optional("application", experiment.application);
  f.after_reading(experiment, [](Experiment& read) {
    for (PointId& point : read.points) point.experiment = read.name;
  });
}

void fields(auto& f, Is<Plan> auto& plan) {
  f("name", plan.name);
  f("text", plan.text);
  f("ceilings", plan.ceilings);
  std::size_t max_points = kMaxPoints;
  f.each("experiments", plan.experiments, [&](auto& of_experiment, auto& experiment) {
    fields(of_experiment, experiment, max_points);
    max_points -= experiment.points.size();
  });
  f.optional("primitives", plan.primitives);
  f.optional("kernels", plan.kernels);
}

void fields(auto& f, Is<PrimitiveInfo> auto& primitive) {
  f("id", primitive.id);
  f("family", primitive.family);
  f("title", primitive.title);
  f("by", primitive.by);
  f("dtype", primitive.dtype);
  f("scope", primitive.scope);
  f.optional("instructions", primitive.instructions);
}

void fields(auto& f, Is<Cycles> auto& cycles) {
  f("median", cycles.median);
  f("ci_low", cycles.ci_low);
  f("ci_high", cycles.ci_high);
  f("elements", cycles.elements);
  f("samples", cycles.samples);
  f.optional("sm_clock_hz", cycles.sm_clock_hz);
}

void fields(auto& f, Is<PrimitiveResult> auto& result) {
  fields(f, result.info);
  f.optional("device", result.device);
  f("status", result.status);
  f.optional("cause", result.cause);
  f("latency", result.latency);
  f("throughput", result.throughput);
}

}  // namespace rooflinectl::serial
