// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/files/files.h"
#include "core/program/application.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

namespace rooflinectl {

namespace {

std::string cuda_version(int version) {
  return version == 0 ? "unknown" : fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string or_unknown(const std::string& text) {
  return text.empty() ? "unknown" : text;
}

std::string watts(double value) {
  return fmt::format("{:g} W", value);
}

/// `700 W, by default 700 W, at most 700 W`, as far as known.
std::string limits(const std::optional<double>& now, const std::optional<double>& usual,
                   const std::optional<double>& highest, std::string (*show)(double)) {
  std::vector<std::string> parts;
  if (now) parts.push_back(show(*now));
  if (usual) parts.push_back(fmt::format("default {}", show(*usual)));
  if (highest) parts.push_back(fmt::format("maximum {}", show(*highest)));
  return parts.empty() ? "unknown" : format::joined(parts);
}

std::string switch_text(const std::optional<bool>& value) {
  if (!value) return "unknown";
  return *value ? "on" : "off";
}

void add_settings(const DeviceSettings& settings, std::vector<Fact>& facts) {
  facts.push_back({"PCI bus ID", settings.pci_bus_id.value_or("unknown")});
  facts.push_back({"power limit", limits(settings.power_limit_w, settings.default_power_limit_w,
                                         settings.max_power_limit_w, watts)});
  facts.push_back({"application SM clock", limits(settings.application_sm_clock_hz, std::nullopt,
                                                  settings.max_sm_clock_hz, format::hertz)});
  facts.push_back({"application memory clock", limits(settings.application_memory_clock_hz, std::nullopt,
                                                      settings.max_memory_clock_hz, format::hertz)});
  facts.push_back(
      {"GPU modes",
       fmt::format("persistence {}, MIG {}, compute mode {}", switch_text(settings.persistence_mode),
                   switch_text(settings.mig_mode), settings.compute_mode.value_or("unknown"))});
}

void add_device(const DeviceInfo& device, std::vector<Fact>& facts) {
  facts.push_back({"device", fmt::format("{} ({}, sm_{}, {} SMs)", device.name,
                                         device.chip.empty() ? "chip unknown" : device.chip,
                                         device.compute_capability, device.sm_count)});
  facts.push_back({"UUID", or_unknown(device.uuid)});
  if (device.host) facts.push_back({"on host", *device.host});
  facts.push_back({"memory", fmt::format("{}, {} bit at {}, ECC {}", format::memory_size(device.memory_bytes),
                                         device.memory_bus_bits, format::hertz(device.memory_clock_hz),
                                         device.ecc_enabled ? "on" : "off")});
  facts.push_back({"L2", format::memory_size(device.l2_bytes)});
  facts.push_back({"max SM clock", format::hertz(device.sm_clock_hz)});
  if (device.settings) add_settings(*device.settings, facts);
  facts.push_back({"driver", fmt::format("{} (CUDA {})", or_unknown(device.driver_version),
                                         cuda_version(device.cuda_driver_version))});
  facts.push_back({"CUDA runtime", cuda_version(device.cuda_runtime_version)});
  if (device.cupti_version) facts.push_back({"CUPTI API", fmt::format("{}", *device.cupti_version)});
}

std::string variables_text(const Environment& environment) {
  if (environment.variables.empty()) return "none set that matter";
  return format::joined(environment.variables, " ", [](const auto& variable) {
    return fmt::format("{}={}", variable.first, variable.second);
  });
}

void add_host(const Run& run, std::vector<Fact>& facts) {
  facts.push_back({"host", or_unknown(run.host)});
  if (!run.environment) return;
  const Environment& environment = *run.environment;
  facts.push_back({"system", fmt::format("{}, {}", or_unknown(environment.operating_system),
                                         or_unknown(environment.kernel))});
  facts.push_back({"CPU", or_unknown(environment.processor)});
  facts.push_back({"container", environment.container.empty() ? "none detected" : environment.container});
  facts.push_back({"environment variables", variables_text(environment)});
}

std::string counters_text(const CounterSession& counters) {
  if (!counters.available) return fmt::format("declared, not counted: {}", counters.reason);
  const std::string passes = fmt::format("{} pass{}", counters.passes, counters.passes == 1 ? "" : "es");
  // Those of a program are counted while it runs.
  return counters.collection_s > 0 ? fmt::format("{}, {}", passes, format::duration(counters.collection_s))
                                   : passes;
}

/// `python 3.11.2, torch 2.9.0`
std::string python_text(const std::map<std::string, std::string>& versions) {
  std::vector<std::string> texts;
  for (const auto& [name, version] : versions) {
    texts.insert(name == "python" ? texts.begin() : texts.end(), fmt::format("{} {}", name, version));
  }
  return format::joined(texts);
}

}  // namespace

std::vector<Fact> environment_facts(const Run& run) {
  std::vector<Fact> facts;
  for (std::size_t i = 0; i < run.devices.size(); ++i) {
    const std::size_t first = facts.size();
    add_device(run.devices[i], facts);
    if (i == Run::kFirstDevice) continue;
    for (std::size_t fact = first; fact < facts.size(); ++fact) {
      facts[fact].name = fmt::format("device {}: {}", i, facts[fact].name);
    }
  }
  facts.push_back({"tool", fmt::format("rooflinectl {} ({})", run.tool_version, run.tool_commit)});
  add_host(run, facts);
  facts.push_back({"started", format::utc(run.started_utc)});
  if (run.imports.empty()) facts.push_back({"wall time", format::duration(run.wall_s)});
  facts.push_back({"command", command_text(run.command_line)});
  if (!run.plan.text.empty()) {
    facts.push_back({"plan", fmt::format("{}, SHA-256 {}", run.plan.name, sha256(run.plan.text))});
  }
  for (const CompiledKernel& compiled : run.compiled_kernels) {
    facts.push_back({fmt::format("kernel {}", compiled.kernel), compiled_text(compiled)});
    for (const std::string& warning : compiled.warnings) facts.push_back({"compiler's warning", warning});
  }
  if (!run.python_versions.empty()) facts.push_back({"kernels in Python", python_text(run.python_versions)});
  if (run.imports.empty()) facts.push_back({"source", std::string(to_string(run.source))});
  if (run.imports.empty()) facts.push_back({"counters", counters_text(run.counter_session)});
  for (const ImportedFile& file : run.imports) {
    facts.push_back({"imported", fmt::format("{}: {}", file.name, import_text(file))});
    if (!file.command_line.empty()) facts.push_back({"recorded by", file.command_line});
  }
  return facts;
}

std::string registers_text(const CompiledKernel& compiled) {
  return fmt::format(
      "{}, {}", format::counted(static_cast<std::size_t>(compiled.registers), "register"),
      compiled.spill_bytes == 0 ? "no spills" : fmt::format("{} bytes spilled", compiled.spill_bytes));
}

std::string compiled_text(const CompiledKernel& compiled) {
  return fmt::format("{}, {} for sm_{}: {}", compiled.function, compiled.compiler, compiled.architecture,
                     registers_text(compiled));
}

std::vector<std::string> compiler_findings(const Run& run) {
  std::vector<std::string> findings;
  for (const CompiledKernel& compiled : run.compiled_kernels) {
    const std::string name =
        fmt::format("{} ({} for sm_{})", compiled.kernel, compiled.function, compiled.architecture);
    if (compiled.spill_bytes > 0) {
      findings.push_back(fmt::format(
          "{} spills: its {} per thread do not suffice, and each thread stores and loads {} bytes more.",
          name, format::counted(static_cast<std::size_t>(compiled.registers), "register"),
          compiled.spill_bytes));
    }
    if (!compiled.warnings.empty()) {
      findings.push_back(
          fmt::format("{}: the compiler warns: {}", name, format::joined(compiled.warnings, " ")));
    }
  }
  return findings;
}

}  // namespace rooflinectl
