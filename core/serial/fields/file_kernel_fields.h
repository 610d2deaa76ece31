// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "core/json/rules.h"
#include "core/model/file_kernel.h"

namespace rooflinectl::serial {

template <>
inline constexpr auto kValues<ArgumentKind> = kArgumentKinds;

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

}  // namespace rooflinectl::serial
