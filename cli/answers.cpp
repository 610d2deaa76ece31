// SPDX-License-Identifier: Apache-2.0
#include "cli/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "core/machine/ranks.h"
#include "reports/formats/formats.h"
#include "reports/reports.h"
#include "runner/built_in.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace fs = std::filesystem;

void make_latest(const fs::path& folder) {
  const auto rank = launcher_rank();
  if ((rank && !rank->is_first()) || link_latest(folder)) return;
  terminal::print(stderr, "warning: {} is not a link, and stays as it is: nothing links to this run\n",
                  (folder.parent_path() / "latest").string());
}

void print_report(const fs::path& folder, Verbosity verbosity) {
  terminal::print("{}{}\n",
                  verbosity == Verbosity::quiet ? "" : "report: ", (folder / "report.html").string());
  terminal::flush(stdout);
  make_latest(folder);
}

void finish_run(const ReportModel& report, const fs::path& folder, bool quiet, bool all,
                std::string_view note) {
  write_reports(report, folder);
  if (!quiet) {
    const Rows rows = all ? Rows::all : Rows::notable;
    terminal::print("{}\n{}", terminal_summary(report, columns_of(stdout), rows), note);
  }
  print_report(folder, quiet ? Verbosity::quiet : Verbosity::normal);
}

using serial::Json;

Json answer_head(std::string_view command, const std::vector<DeviceInfo>& devices) {
  Json head = {{"format", fmt::format("rooflinectl-{}", command)},
               {"schema", 1},
               {"tool", {{"version", tool_version()}, {"commit", tool_commit()}}},
               {"command", command},
               {"devices", Json::array()}};
  for (const DeviceInfo& device : devices) {
    head["devices"].push_back({{"name", device.name}, {"uuid", device.uuid}});
  }
  return head;
}

Json answered(Json head, std::string_view answer) {
  head.update(serial::parse_object(answer, "answer"));
  return head;
}

std::vector<DeviceInfo> devices_of(std::initializer_list<std::span<const AnalysedRun>> runs) {
  std::vector<DeviceInfo> devices;
  const auto add = [&](const DeviceInfo& device) {
    const bool is_known =
        std::ranges::any_of(devices, [&](const DeviceInfo& known) { return known.uuid == device.uuid; });
    if (!is_known) devices.push_back(device);
  };
  for (const std::span<const AnalysedRun> part : runs) {
    for (const AnalysedRun& analysed : part) {
      std::ranges::for_each(analysed.run.devices, add);
    }
  }
  return devices;
}

}  // namespace rooflinectl
