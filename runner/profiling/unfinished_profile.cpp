// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "core/files/files.h"
#include "core/serial/program/program_files.h"
#include "core/serial/run_file.h"
#include "runner/machine/catalogue.h"
#include "runner/profiling/profile.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr const char* kHead = "head.json";
constexpr const char* kSettings = "settings.json";

/// Where the library in that process writes; empty if the process does not have it, or is not ours to look
/// into.
fs::path records_of(const fs::path& process) {
  const std::string prefix = std::string(kProfileVariable) + "=";
  std::ifstream file(process / "environ", std::ios::binary);
  for (std::string variable; std::getline(file, variable, '\0');) {
    if (!variable.starts_with(prefix)) continue;
    try {
      return decode_settings(std::string_view(variable).substr(prefix.size())).records;
    } catch (const Error&) {
      return {};
    }
  }
  return {};
}

/// The id of a process of this machine that may still write records there.
std::optional<std::string> writer_to(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& process : fs::directory_iterator("/proc", ignored)) {
    const fs::path records = records_of(process.path());
    if (fs::equivalent(records.parent_path(), folder, ignored)) return process.path().filename();
  }
  return std::nullopt;
}

/// With what the recorded run did not know yet.
Run head_in(const fs::path& records) {
  Run head = read_run(records / kHead);
  head.devices.clear();  // there is one in each run that can be read
  head.plan.ceilings = load_catalogue().ceilings;
  return head;
}

}  // namespace

fs::path records_folder(const fs::path& run_folder, int number) {
  return run_folder / fmt::format("records-{}", number);
}

void keep_head(const fs::path& records, const Run& head, const ProfileSettings& settings) {
  write_run(records / kHead, head);
  write_file(records / kSettings, encode(settings));
}

ProfileRequest unfinished_profile(const fs::path& folder) {
  const fs::path records = records_folder(folder, 1);
  if (fs::exists(folder / "run.json")) {
    throw Error(ErrorKind::usage, fmt::format("{} is complete: it has a run.json", folder.string()));
  }
  if (!fs::exists(records / kHead)) {
    throw Error(ErrorKind::usage, fmt::format("{}: has no records of a program", folder.string()),
                "rooflinectl profile keeps them in the run's folder until it has written run.json");
  }
  if (const auto process = writer_to(folder)) {
    throw Error(ErrorKind::environment,
                fmt::format("process {} is still running and may write more records", *process),
                "wait until the program ends, or end it");
  }
  ProfileRequest request;
  const Run head = head_in(records);
  request.settings = decode_settings(read_file(records / kSettings));
  request.program.command = head.application->command_line;
  request.program.folder = head.application->folder;
  request.rerun = Rerun::never;
  request.command_line = head.command_line;
  request.extended = RunToExtend{head, folder, head.plan.name};
  request.was_run = true;
  return request;
}

}  // namespace rooflinectl
