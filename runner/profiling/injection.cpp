// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/injection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "core/serial/program/program_files.h"
#include "runner/machine/catalogue.h"

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

}  // namespace

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

fs::path find_cupti() {
  std::error_code error;
  for (const fs::path& folder : folders_of_cupti()) {
    if (fs::exists(folder / kCupti, error)) return fs::absolute(folder / kCupti);
  }
  return {};
}

std::map<std::string, std::string> injection_variables(const fs::path& library,
                                                       const ProfileSettings& settings) {
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

}  // namespace rooflinectl
