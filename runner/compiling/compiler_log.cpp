// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "core/text/kernel_name.h"
#include "runner/compiling/compiling.h"

namespace rooflinectl {

namespace {

/// Calls `function` with each line.
template <typename Function>
void for_each_line(std::string_view text, Function function) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    function(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// The number before `unit` in `line`; 0 if there is none.
std::uint64_t number_before(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string_view::npos) return 0;
  const std::size_t begin = line.find_last_not_of("0123456789", end == 0 ? 0 : end - 1) + 1;
  std::uint64_t number = 0;
  std::from_chars(line.data() + begin, line.data() + end, number);
  return number;
}

bool is_report(std::string_view line) {
  return line.starts_with("ptxas info") || line.find(" bytes stack frame") != std::string_view::npos ||
         line.starts_with("Remark: The warnings can be suppressed");
}

/// Without its parameters: `scale(float*)` is `scale`.
std::string_view without_parameters(std::string_view name) {
  return name.ends_with(')') ? name.substr(0, name.find('(')) : name;
}

}  // namespace

KernelReport kernel_report(std::string_view log, std::string_view symbol) {
  KernelReport report;
  bool is_of_symbol = false;
  const std::string begin = fmt::format("Compiling entry function '{}'", symbol);
  for_each_line(log, [&](std::string_view line) {
    if (line.find("Compiling entry function") != std::string_view::npos) {
      is_of_symbol = line.find(begin) != std::string_view::npos;
    }
    if (!is_of_symbol) return;
    if (line.find(" bytes spill stores") != std::string_view::npos) {
      report.spill_bytes =
          number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
    }
    if (line.find("Used ") != std::string_view::npos) {
      report.registers = static_cast<int>(number_before(line, " registers"));
    }
  });
  return report;
}

std::vector<std::string> messages_in(std::string_view log) {
  std::vector<std::string> messages;
  for_each_line(log, [&](std::string_view line) {
    if (!is_report(line) && line.find_first_not_of(" \t\r") != std::string_view::npos)
      messages.emplace_back(line);
  });
  return messages;
}

std::vector<std::string> errors_in(std::string_view log, std::string_view unit, std::string_view place) {
  std::vector<std::string> of_user;
  std::vector<std::string> of_function;
  std::vector<std::string> of_arguments;
  bool is_of_user = true;
  bool has_error = false;
  for (const std::string& line : messages_in(log)) {
    if (line.find(unit) != std::string::npos || line == "compilation terminated.") continue;  // no message
    const std::size_t error = line.find("error");
    if (line.starts_with(kFunctionFile) || line.starts_with(kArgumentsFile)) {
      is_of_user = false;
      if (error == std::string::npos) continue;
      if (line.starts_with(kFunctionFile)) {
        of_function.push_back(fmt::format("{}: {}", place, line.substr(error)));
      } else if (line.ends_with('"')) {
        const std::size_t quote = line.find('"');
        of_arguments.push_back(line.substr(quote + 1, line.size() - quote - 2));
      }
    } else if (!line.starts_with(' ')) {
      is_of_user = true;
      has_error = has_error || error != std::string::npos;
    }
    if (is_of_user) of_user.push_back(line);
  }
  if (has_error) return of_user;
  if (!of_function.empty()) return {of_function.front()};
  return of_arguments.empty() ? messages_in(log) : of_arguments;
}

std::string marked_kernel(std::string_view cubin, std::string_view marker) {
  // Both are among the names of the file: each ends with a zero. A name within another, as the marker has it,
  // is abbreviated differently, so what they stand for is compared.
  constexpr std::size_t kMaxName = 16'384;
  std::optional<std::string> wanted;
  const auto for_each_name = [&](auto function) {
    for (std::size_t begin = 0; begin < cubin.size();) {
      const std::size_t end = std::min(cubin.find('\0', begin), cubin.size());
      if (end > begin && end - begin <= kMaxName) function(cubin.substr(begin, end - begin));
      begin = end + 1;
    }
  };
  const std::string beginning = fmt::format("{}<&", marker);
  for_each_name([&](std::string_view name) {
    if (wanted || !name.starts_with("_Z")) return;
    const std::string demangled = demangle(name);
    if (!demangled.starts_with(beginning) || !demangled.ends_with('>')) return;
    std::string_view inner(demangled);
    inner = inner.substr(beginning.size(), inner.size() - beginning.size() - 1);
    if (inner.starts_with('(') && inner.ends_with(')')) inner = inner.substr(1, inner.size() - 2);
    wanted = inner;
  });
  std::string found;
  if (!wanted) return found;
  constexpr std::string_view kText = ".text.";  // the section of a kernel is called like it
  for_each_name([&](std::string_view name) {
    if (!found.empty() || !name.starts_with(kText)) return;
    const std::string_view symbol = name.substr(kText.size());
    const bool is_c = symbol == without_parameters(*wanted);
    if (is_c || demangle(symbol) == *wanted) found = symbol;
  });
  return found;
}

}  // namespace rooflinectl
