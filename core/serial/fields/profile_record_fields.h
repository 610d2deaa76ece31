// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "core/json/line.h"
#include "core/json/rules.h"
#include "core/program/profile_record.h"
#include "core/serial/fields/application_fields.h"

namespace rooflinectl::serial {

template <>
inline constexpr const char* kType<record::Process> = "process";
void fields(auto& f, Is<record::Process> auto& process) {
  f("process", process.process);
  f("parent", process.parent);
  f.optional("rank", process.rank);
  f.optional("ranks", process.ranks);
  f.optional("host", process.host);
  f.optional("boot_id", process.boot_id);
  f("command_line", process.command_line);
  f("start_ns", process.start_ns);
}

template <>
inline constexpr const char* kType<record::Device> = "device";
void fields(auto& f, Is<record::Device> auto& device) {
  f("device", device.device);
  f("uuid", device.uuid);
  f("chip", device.chip);
  f.optional("cupti_version", device.cupti_version);
}

template <>
inline constexpr auto kValues<TensorOpcode> =
    std::array{TensorOpcode::hmma,    TensorOpcode::imma,   TensorOpcode::dmma,    TensorOpcode::bmma,
               TensorOpcode::qmma,    TensorOpcode::omma,   TensorOpcode::hgmma,   TensorOpcode::igmma,
               TensorOpcode::bgmma,   TensorOpcode::qgmma,  TensorOpcode::utchmma, TensorOpcode::utcimma,
               TensorOpcode::utcqmma, TensorOpcode::utcomma};

template <>
inline constexpr auto kValues<TensorElement> =
    std::array{TensorElement::unknown, TensorElement::f16, TensorElement::bf16, TensorElement::tf32,
               TensorElement::f32,     TensorElement::f64, TensorElement::f8,   TensorElement::f8f6f4,
               TensorElement::f4,      TensorElement::i8,  TensorElement::i4,   TensorElement::i32,
               TensorElement::b1};

void fields(auto& f, Is<TensorInstruction> auto& instruction) {
  f("opcode", instruction.opcode);
  f("type", instruction.type);
  f("accumulator", instruction.accumulator);
  f("m", instruction.m);
  f("n", instruction.n);
  f("k", instruction.k);
  f("is_sparse", instruction.is_sparse);
  f.optional("operations", instruction.operations);
}

template <>
inline constexpr const char* kType<record::Kernel> = "kernel";
void fields(auto& f, Is<record::Kernel> auto& kernel) {
  f("kernel", kernel.kernel);
  f("symbol", kernel.symbol);
  f.optional("graph_nodes", kernel.graph_nodes);
  f("registers_per_thread", kernel.registers_per_thread);
  f("static_shared_bytes", kernel.static_shared_bytes);
  f("local_bytes_per_thread", kernel.local_bytes_per_thread);
  f.optional("code", kernel.code);
  f.optional("tensor_instructions", kernel.tensor_instructions);
  f.optional("has_half_arithmetic", kernel.has_half_arithmetic);
}

template <>
inline constexpr const char* kType<record::Group> = "group";
void fields(auto& f, Is<record::Group> auto& group) {
  f("group", group.group);
  f("device", group.device);
  f("kernel", group.kernel);
  f("grid", group.grid);
  f("block", group.block);
  f.optional("cluster", group.cluster);
  f("dynamic_shared_bytes", group.dynamic_shared_bytes);
  f.optional("blocks_per_sm", group.blocks_per_sm);
  f.optional("first_launch", group.first_launch);
  f("path", group.path);
  f.optional("message_bytes", group.message_bytes);
}

template <>
inline constexpr const char* kType<record::Launches> = "launches";
void fields(auto& f, Is<record::Launches> auto& traced) {
  using record::Launch;
  f.rows("launches", traced.launches, &Launch::group, &Launch::stream, &Launch::start_ns,
         &Launch::duration_ns, &Launch::is_counted);
}

template <>
inline constexpr const char* kType<record::GraphKernels> = "graph_kernels";
void fields(auto& f, Is<record::GraphKernels> auto& inside) {
  using record::GraphKernel;
  f.rows("kernels", inside.kernels, &GraphKernel::group, &GraphKernel::kernel, &GraphKernel::launches,
         &GraphKernel::duration_ns);
}

template <>
inline constexpr const char* kType<record::Transfers> = "transfers";
void fields(auto& f, Is<record::Transfers> auto& traced) {
  using record::Transfer;
  f.rows("transfers", traced.transfers, &Transfer::kind, &Transfer::device, &Transfer::bytes,
         &Transfer::start_ns, &Transfer::duration_ns);
}

template <>
inline constexpr const char* kType<record::Counted> = "counted";
void fields(auto& f, Is<record::Counted> auto& counted) {
  f("group", counted.group);
  f("pass", counted.pass);
  f("ordinal", counted.ordinal);
  f("counters", counted.counters);
}

template <>
inline constexpr const char* kType<record::Untraced> = "untraced";
void fields(auto& f, Is<record::Untraced> auto& untraced) {
  f("group", untraced.group);
  f("launches", untraced.launches);
}

template <>
inline constexpr const char* kType<record::Failed> = "failed";
void fields(auto& f, Is<record::Failed> auto& failed) {
  f("group", failed.group);
  f("launches", failed.launches);
  f("error", failed.error);
}

template <>
inline constexpr const char* kType<record::Held> = "held";
void fields(auto& f, Is<record::Held> auto& held) {
  using record::Range;
  f("device", held.device);
  f.rows("spans", held.spans, &Range::start_ns, &Range::duration_ns);
}

template <>
inline constexpr const char* kType<record::Ranges> = "ranges";
void fields(auto& f, Is<record::Ranges> auto& closed) {
  using record::Range;
  f("path", closed.path);
  f.rows("ranges", closed.ranges, &Range::start_ns, &Range::duration_ns);
}

template <>
inline constexpr const char* kType<record::PassBegun> = "pass";
void fields(auto& f, Is<record::PassBegun> auto& begun) {
  f("pass", begun.pass);
  f("is_traced", begun.is_traced);
  f("at_ns", begun.at_ns);
}

template <>
inline constexpr const char* kType<record::SamplingBegun> = "sampling";
void fields(auto& f, Is<record::SamplingBegun> auto& begun) {
  f("device", begun.device);
  f("interval_ns", begun.interval_ns);
  f("at_ns", begun.at_ns);
  f("keys", begun.keys);
  f("metrics", begun.metrics);
  f("left_out", begun.left_out);
}

template <>
inline constexpr const char* kType<record::Samples> = "samples";
void fields(auto& f, Is<record::Samples> auto& taken) {
  using record::Sample;
  f("device", taken.device);
  f.rows("samples", taken.samples, &Sample::start_ns, &Sample::duration_ns, &Sample::values);
}

template <>
inline constexpr const char* kType<record::Power> = "power";
void fields(auto& f, Is<record::Power> auto& taken) {
  using record::PowerReading;
  f("device", taken.device);
  f.rows("readings", taken.readings, &PowerReading::at_ns, &PowerReading::watts);
}

template <>
inline constexpr const char* kType<record::Problem> = "problem";
void fields(auto& f, Is<record::Problem> auto& problem) {
  f.optional("group", problem.group);
  f("cause", problem.cause);
  f("hint", problem.hint);
}

template <>
inline constexpr const char* kType<record::End> = "end";
void fields(auto& f, Is<record::End> auto& end) {
  f("at_ns", end.at_ns);
  f("lost_activities", end.lost_activities);
  f("lost_records", end.lost_records);
  f.optional("left_out_launches", end.left_out_launches);
}

}  // namespace rooflinectl::serial
