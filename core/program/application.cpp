// SPDX-License-Identifier: Apache-2.0
#include "core/program/application.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/enum_names.h"

namespace rooflinectl {

double UndisturbedUse::idle_s() const {
  double sum_s = 0;
  for (const IdleGaps& of_length : gaps) sum_s += of_length.total_s;
  return sum_s;
}

const ProgramProcess* find_process(const std::vector<ProgramProcess>& processes, int id) {
  const auto found = std::find_if(processes.begin(), processes.end(),
                                  [&](const ProgramProcess& process) { return process.id == id; });
  return found == processes.end() ? nullptr : &*found;
}

std::string command_text(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

bool is_collective(std::string_view symbol) {
  return symbol.find("ncclDevKernel") != std::string_view::npos;
}

std::string_view to_string(TransferKind kind) {
  return enumerator_name(kind);
}

}  // namespace rooflinectl
