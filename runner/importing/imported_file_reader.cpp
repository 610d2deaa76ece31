// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <istream>
#include <sstream>
#include <string>

#include "core/error.h"
#include "core/files/compression.h"
#include "core/files/files.h"
#include "core/text/printable.h"
#include "readers/ncu/ncu_kernel.h"
#include "readers/torch/torch_trace_file.h"
#include "runner/crosscheck/crosscheck.h"
#include "runner/importing/importing.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

/// Enough to tell what a file is: ncu may print some lines before its table.
constexpr std::size_t kBeginning = std::size_t{64} << 10;
/// A compressed report is unpacked in memory: one of 1,000 kernels of the full set has 220 MB.
constexpr std::size_t kMostUnpackedBytes = std::size_t{1} << 30;
/// `nsys export` takes seconds for a report of about 100 MB.
constexpr std::chrono::minutes kExportLimit{30};

/// `seconds` since 1970; empty for what cannot be the time of a report.
std::string time_text(std::uint64_t seconds) {
  constexpr std::uint64_t kMost = 4'102'444'800;  // the year 2100
  return seconds < kMost ? utc_time(std::chrono::system_clock::time_point(std::chrono::seconds(seconds)))
                         : "";
}

bool is_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

std::string beginning_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kBeginning, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    throw Error(ErrorKind::usage, fmt::format("{}: cannot be read", path.string()));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

ImportedContent read_report(std::istream& file) {
  const NcuReport report = read_ncu_report(file, is_imported_metric);
  ImportedContent content = ncu_content(report.kernels);
  content.file.format = "Nsight Compute report";
  content.file.tool_version = report.version;
  content.file.command_line = report.command_line;
  content.file.problems = report.problems;
  if (report.recorded) content.file.recorded_utc = time_text(*report.recorded);
  set_ncu_options(content.file, report.command_line);
  if (report.has_locked_clocks == false) content.file.clock_control = "none";
  return content;
}

/// Through nsys, if it is installed.
ImportedContent read_nsys_report(const fs::path& path) {
  const auto nsys = find_tool("nsys");
  if (!nsys) {
    throw Error(ErrorKind::usage, "reports of Nsight Systems are read by nsys, which was not found",
                fmt::format("export it where nsys is: nsys export --type sqlite {}", path.string()));
  }
  const PrivateFolder folder;
  const fs::path database = folder.path() / "nsys.sqlite";
  export_nsys_sqlite(*nsys, path, database, kExportLimit);
  return nsys_content(read_nsys_kernels(read_file(database)));
}

/// What came from the file becomes text that a run may hold.
void make_printable(ImportedContent& content) {
  const auto clean = [](std::string& text) { text = printable(text); };
  ImportedFile& file = content.file;
  for (std::string* text : {&file.name, &file.tool_version, &file.command_line, &file.replay,
                            &file.clock_control, &file.cache_control}) {
    clean(*text);
  }
  for (auto* texts : {&file.sections, &file.problems}) std::for_each(texts->begin(), texts->end(), clean);
  for (DeviceInfo& device : content.devices) clean(device.name);
  for (ImportedLaunch& launch : content.launches) {
    clean(launch.kernel);
    clean(launch.path);
  }
}

ImportedContent read_content(const fs::path& path) {
  const std::string beginning = beginning_of(path);
  if (beginning.starts_with(kNcuReportMagic)) {
    std::ifstream file(path, std::ios::binary);
    return read_report(file);
  }
  if (is_zstd(beginning)) {
    std::istringstream file(unpacked_zstd(read_file(path), path.string(), kMostUnpackedBytes));
    return read_report(file);
  }
  if (beginning.starts_with(kSqliteMagic)) return nsys_content(read_nsys_kernels(read_file(path)));
  if (path.extension() == ".nsys-rep") return read_nsys_report(path);
  if (is_gzipped(beginning) || is_json(beginning)) return torch_content(read_torch_trace(path));
  if (may_be_ncu_csv(beginning)) {
    ImportedContent content = ncu_content(read_ncu_csv(read_file(path), is_imported_metric));
    content.file.format = "Nsight Compute CSV";
    return content;
  }
  if (path.extension() == ".ncu-repz") {
    throw Error(ErrorKind::usage, "this report is not compressed with zstd",
                fmt::format("let ncu print it: ncu --import {} --csv --page raw", path.string()));
  }
  throw Error(
      ErrorKind::usage, "this file cannot be imported",
      "import takes reports of ncu, the output of `ncu --csv --page raw` and `nsys export --type sqlite`, "
      "and traces of torch.profiler");
}

}  // namespace

ImportedContent read_imported_file(const fs::path& path) {
  try {
    ImportedContent content = read_content(path);
    content.file.name = path.filename().string();
    make_printable(content);
    return content;
  } catch (const Error& error) {
    const std::string name = path.string();
    if (std::string_view(error.what()).starts_with(name)) throw;
    throw Error(error.kind(), fmt::format("{}: {}", name, error.what()), error.hint());
  }
}

}  // namespace rooflinectl
