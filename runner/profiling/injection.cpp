// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "core/files/files.h"
#include "core/serial/program/program_files.h"
#include "core/serial/run_file.h"
#include "runner/machine/catalogue.h"
#include "runner/profiling/profile.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "librooflinectl-injection.so";
constexpr const char* kCupti = "libcupti.so.13";
// The variables that make CUDA and NVTX load a library.
constexpr std::array kInjectionVariables = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"};

/// Best guess first, as in collector/device/libraries.cpp.
std::vector<fs::path> folders_of_cupti() {
  std::vector<fs::path> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = std::getenv(variable)) roots.emplace_back(root);
  }
  for (const char* root : {"/usr/local/cuda-13.0", "/usr/local/cuda-13", "/usr/local/cuda"})
    roots.emplace_back(root);
  std::vector<fs::path> folders;
  for (const fs::path& root : roots) {
    for (const char* folder : {"extras/CUPTI/lib64", "lib64"}) folders.push_back(root / folder);
  }
  for (const char* folder : {"/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"})
    folders.emplace_back(folder);
  return folders;
}

/// Beside this program or in `../lib`, or the file that the user names; absolute.
fs::path require_injection() {
  if (const char* const path = std::getenv("ROOFLINECTL_INJECTION")) return fs::absolute(path);
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& library : {folder / kLibrary, folder.parent_path() / "lib" / kLibrary}) {
    if (!error && fs::exists(library, error)) return library;
  }
  throw CannotMeasure(
      ErrorKind::environment,
      fmt::format("{} is not installed: this build can only report on runs; it cannot profile", kLibrary),
      "install a build with CUDA (cmake --preset release) on the machine with the GPU");
}

/// For programs that do not bring their own; absolute. Empty where there is none.
fs::path find_cupti() {
  std::error_code error;
  for (const fs::path& folder : folders_of_cupti()) {
    if (fs::exists(folder / kCupti, error)) return fs::absolute(folder / kCupti);
  }
  return {};
}

}  // namespace

std::map<std::string, std::string> profiling_variables(const ProfileRequest& request,
                                                       const fs::path& records) {
  ProfileSettings settings = request.settings;
  settings.records = records.string();
  settings.cupti = find_cupti().string();
  const fs::path library = require_injection();
  std::map<std::string, std::string> variables;
  for (const char* const name : kInjectionVariables) {
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0') {
      throw Error(ErrorKind::environment, fmt::format("{} is already set to {}", name, value),
                  "only one library can be loaded into the program: unset the variable, or run rooflinectl "
                  "outside of the other tool");
    }
    variables[name] = library.string();
  }
  variables[kProfileVariable] = encode(settings);
  return variables;
}

namespace {

/// What follows `key` in the line, up to the next quotation mark.
std::string_view text_after(std::string_view line, std::string_view key) {
  const std::size_t place = line.find(key);
  if (place == std::string_view::npos) return {};
  line.remove_prefix(place + key.size());
  return line.substr(0, line.find('"'));
}

}  // namespace

const ProfileProgress& RecordWatch::update() {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (entry.path().extension() == ".jsonl") read_on(entry.path());
  }
  progress_.processes = read_.size();
  return progress_;
}

void RecordWatch::read_on(const fs::path& path) {
  std::uint64_t& read = read_[path];
  std::ifstream file(path);
  file.seekg(static_cast<std::streamoff>(read));
  std::string line;
  while (std::getline(file, line) && !file.eof()) {
    read += line.size() + 1;
    add(line);
  }
}

void RecordWatch::add(std::string_view line) {
  constexpr std::string_view kBegin = R"({"type":")";
  if (!line.starts_with(kBegin)) return;
  const std::string_view type = text_after(line, kBegin);
  if (type == "group") {
    ++progress_.groups;
  } else if (type == "counted") {
    ++progress_.counted;
  } else if (type == "launches") {  // a list of lists
    progress_.launches +=
        static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(std::ranges::count(line, '[') - 1, 0));
  } else if (type == "pass") {
    progress_.pass = text_after(line, R"("pass":")");
  }
}

namespace {

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
