// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/model/known_ceilings.h"
#include "core/stats/statistics.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"

namespace rooflinectl {

namespace {

/// What tells Tensor Core ceilings of one type apart: `, MX scales`; empty for the usual one.
std::string_view products_name(const Ceiling& ceiling) {
  if (!ceiling.products) return "";
  if (ceiling.products->scales == BlockScales::mx) return ", MX scales";
  if (ceiling.products->scales == BlockScales::nv) return ", NV scales";
  return ceiling.products->accumulator == TensorElement::f16 ? ", FP16 sums" : "";
}

/// The operation of a ceiling: `read`, `Tensor Core`; an instruction in capitals, `FMA`.
std::string operation_name(const Ceiling& ceiling) {
  if (ceiling.operation == "h2d") return "host to device";
  if (ceiling.operation == "d2h") return "device to host";
  if (ceiling.operation == "mix")
    return fmt::format("mix, {} % written", ceiling.id.substr(ceiling.id.rfind('_') + 1));
  if (ceiling.kind != CeilingKind::compute) return ceiling.operation;
  if (ceiling.operation == "tensor" || ceiling.operation == "sustained") {
    return fmt::format("Tensor Core{}{}", products_name(ceiling),
                       ceiling.operation == "sustained" ? ", sustained" : "");
  }
  std::string name = ceiling.operation;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

const Ceiling& either(const CeilingPair& pair) {
  return pair.measured != nullptr ? *pair.measured : *pair.theoretical;
}

std::string value_of(const Ceiling* ceiling) {
  return ceiling != nullptr ? ceiling_value(*ceiling, ceiling->value) : format::kUnavailable;
}

// What the counters measured instead is below the table.
std::string counted(const CeilingPair& pair) {
  if (pair.measured == nullptr || !pair.measured->confirmation) return format::kUnavailable;
  return pair.measured->confirmation->agrees ? "ok" : "no";
}

std::string name_on_its_device(const Run& run, const Ceiling& ceiling) {
  const std::string name = ceiling_name(ceiling);
  return run.devices.size() < 2 ? name : fmt::format("{}, device {}", name, ceiling.device);
}

// A ceiling that is older than the run was not measured by it.
std::string method(const Run& run, const CeilingPair& pair) {
  const Ceiling& ceiling = either(pair);
  const bool is_older = !ceiling.measured_utc.empty() && ceiling.measured_utc < run.started_utc;
  return is_older ? fmt::format("{}; measured {}", ceiling.method, format::utc(ceiling.measured_utc))
                  : ceiling.method;
}

std::string cycles_text(double cycles) {
  if (cycles >= 1e6) return fmt::format("{} M", format::significant(cycles / 1e6));
  return cycles >= 1000 ? fmt::format("{:.0f}", cycles) : format::significant(cycles);
}

std::string with_interval(const Cycles& cycles) {
  if (!cycles.median.available()) return format::kUnavailable;
  return fmt::format("{} ±{}", cycles_text(*cycles.median.value()),
                     format::percent(relative_half_width(cycles)));
}

std::vector<std::string> primitive_failures(const Run& run) {
  std::vector<std::string> texts;
  for (const PrimitiveResult& result : run.primitives) {
    if (result.status == Status::ok) continue;
    texts.push_back(fmt::format("{} {}: {}", result.info.id, to_string(result.status), result.cause));
  }
  return texts;
}

}  // namespace

std::string ceiling_name(const Ceiling& ceiling) {
  const std::string_view subject = subject_name(ceiling.subject);
  const std::string operation = operation_name(ceiling);
  return fmt::format("{}{}{}", subject, subject.empty() || operation.empty() ? "" : " ", operation);
}

std::string ceiling_value(const Ceiling& ceiling, double value) {
  if (ceiling.kind == CeilingKind::bandwidth || ceiling.kind == CeilingKind::transfer) {
    return format::bandwidth(value);
  }
  if (ceiling.kind == CeilingKind::latency) return format::duration(value);
  return format::rate(value, ceiling.subject.starts_with('i') ? format::kOps : format::kFlops);
}

Table ceiling_table(const Run& run, const std::vector<CeilingPair>& pairs) {
  Table table = {
      .title = "Ceilings",
      .columns = {column::text("ceiling"), column::number("measured"), column::number("theoretical"),
                  column::number("at SM clock"), column::number("% of theoretical"),
                  column::number("SM clock"), column::number("spread"), column::text("counted"),
                  TableColumn{.title = "method", .is_wide = true}},
      .notes = ceiling_findings(pairs),
      .dispensable = {"at SM clock", "SM clock", "theoretical"}};
  for (const CeilingPair& pair : pairs) {
    table.rows.push_back(
        {name_on_its_device(run, either(pair)), value_of(pair.measured), value_of(pair.theoretical),
         format::optional(pair.theoretical_at_clock,
                          [&](double value) { return ceiling_value(either(pair), value); }),
         format::optional(pair.fraction, format::percent),
         format::optional(either(pair).sm_clock_hz, format::hertz),
         pair.measured != nullptr ? format::percent(pair.measured->relative_spread) : format::kUnavailable,
         counted(pair), method(run, pair)});
  }
  const bool is_measured =
      std::ranges::any_of(pairs, [](const CeilingPair& pair) { return pair.measured != nullptr; });
  if (!is_measured && !pairs.empty()) table.remove_empty();
  return table;
}

std::vector<std::string> ceiling_findings(const std::vector<CeilingPair>& pairs) {
  std::vector<std::string> findings;
  for (const CeilingPair& pair : pairs) {
    for (const std::string& finding : pair.findings) {
      findings.push_back(fmt::format("{}: {}", ceiling_name(either(pair)), finding));
    }
  }
  return findings;
}

Table primitive_table(const Run& run) {
  Table table = {
      .title = "Primitives",
      .columns = {column::text("primitive"), column::text("type"), column::text("by"),
                  column::number("latency"), column::number("throughput"), column::number("per instr."),
                  column::number("per element"), column::number("elements/s"), column::number("bandwidth")},
      .dispensable = {"bandwidth", "elements/s", "throughput"}};
  for (const PrimitiveResult& result : run.primitives) {
    const int sm_count = run.device_of(result).sm_count;
    table.rows.push_back(
        {result.info.title, std::string(to_string(result.info.dtype)), result.info.by,
         with_interval(result.latency), with_interval(result.throughput),
         format::optional(cycles_per_instruction(result), cycles_text),
         format::optional(cycles_per_element(result.throughput), cycles_text),
         format::optional(elements_per_s(result, sm_count),
                          [](double rate) { return fmt::format("{} G", format::significant(rate / 1e9)); }),
         format::optional(bytes_per_s(result, sm_count), format::bandwidth)});
  }
  table.notes = primitive_failures(run);
  return table;
}

std::string primitive_text(const PrimitiveResult& result) {
  if (result.status != Status::ok) return fmt::format("{}: {}", to_string(result.status), result.cause);
  return fmt::format("latency {} cycles, throughput {} cycles", with_interval(result.latency),
                     with_interval(result.throughput));
}

}  // namespace rooflinectl
