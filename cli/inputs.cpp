// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string_view>
#include <vector>

#include "analysis/compare/run_digest.h"
#include "cli/terminal.h"
#include "core/error.h"
#include "core/files/files.h"
#include "core/plan/plan_yaml.h"
#include "core/serial/program/program_files.h"
#include "core/serial/run_file.h"
#include "core/serial/run_index.h"
#include "core/text/names.h"
#include "core/text/printable.h"
#include "runner/built_in.h"
#include "runner/machine/catalogue.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

/// A run's folder, where its file is called as usual.
std::string name_of_run(const std::filesystem::path& file) {
  const bool is_usual = file.filename() == "run.json" || file.filename() == "run.json.gz";
  return (is_usual && file.has_parent_path() ? file.parent_path() : file).string();
}

}  // namespace

std::vector<AnalysedRun> read_runs(const std::vector<std::string>& names) {
  std::vector<AnalysedRun> runs;
  for (const std::string& name : names) runs.push_back({name, read_run(run_file(name))});
  return runs;
}

RunsToCompare read_runs_to_compare(const std::vector<std::string>& runs,
                                   const std::vector<std::string>& baseline) {
  if (!baseline.empty()) return {read_runs(baseline), read_runs(runs)};
  if (runs.size() < 2) {
    throw Error(ErrorKind::usage, "compare needs at least two runs: the base and a new one",
                "name both, or pass the base runs with --baseline");
  }
  return {read_runs({runs.front()}), read_runs({runs.begin() + 1, runs.end()})};
}

RunsOverTime read_runs_over_time(const std::vector<std::string>& names,
                                 const std::vector<std::string>& counters) {
  RunsOverTime result;
  result.files = run_files_below(names);
  ProgressDisplay display(stderr);
  std::deque<RunIndex> indices;
  // The commit changes what this program makes of a run.
  const std::string version = fmt::format("{} {}", tool_version(), tool_commit());
  for (const std::string& name : names) indices.emplace_back(name, version);
  DigestReader digests;
  const auto read = [&](const std::filesystem::path& file) {
    const auto index = std::ranges::find_if(indices, [&](const RunIndex& of) { return of.covers(file); });
    const auto state = index != indices.end() ? RunIndex::state_of(file) : std::nullopt;
    if (const auto known = state ? index->find(file, *state) : std::nullopt) {
      auto run = digests.read(name_of_run(file), known->shared, known->own, counters);
      if (run) return std::move(*run);
    }
    const RunDigest digest = digest_of(AnalysedRun(name_of_run(file), read_run(file)));
    if (state) index->add(file, *state, {digest.shared, digest.own});
    return digests.read(name_of_run(file), digest.shared, digest.own, counters).value();
  };
  read_in_parallel(result.files, read, [&](std::size_t i, std::future<AnalysedRun>& reading) {
    try {
      result.runs.push_back(reading.get());
    } catch (const Error& error) {
      const std::string reason = fmt::format("cannot be read: {}", error.what());
      result.damaged.push_back({name_of_run(result.files[i]), reason});
    }
    display.status(fmt::format("read {} of {} runs", i + 1, result.files.size()));
  });
  for (const RunIndex& index : indices) index.save();
  return result;
}

AnalysedRun as_run_over_time(const AnalysedRun& run) {
  const RunDigest digest = digest_of(run);
  return DigestReader().read(run.name, digest.shared, digest.own).value();
}

std::optional<Timeline> timeline_beside(const std::filesystem::path& run_file, const Run& run) {
  try {
    return read_timeline(run_file, run);
  } catch (const Error& error) {
    terminal::print(stderr, "warning: the report has no timeline: {}\n", error.what());
    return std::nullopt;
  }
}

namespace {

/// An executable of Linux, or a script that names its interpreter.
bool is_program(std::string_view content) {
  return content.starts_with("\177ELF") || content.starts_with("#!");
}

namespace fs = std::filesystem;

constexpr const char* kUnnamedPlan = "kernels";

KernelFile kernel_file(const fs::path& path) {
  return {path.string(), read_file(path)};
}

/// The kernels of a folder that describe themselves, in the order of their names.
std::vector<KernelFile> kernel_files_in(const fs::path& folder) {
  std::vector<KernelFile> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (!is_kernel_file(entry.path())) continue;
    KernelFile file = kernel_file(entry.path());
    if (has_description(file.text)) files.push_back(std::move(file));
  }
  if (files.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: no .cu or .py file in this folder describes its kernel", folder.string()),
                "describe it in comments `// rooflinectl: …`, or `#` in Python (docs/plans.md)");
  }
  std::ranges::sort(files,
                    [](const KernelFile& a, const KernelFile& b) { return natural_less(a.path, b.path); });
  return files;
}

Plan parse_file(const std::string& file) {
  if (fs::is_directory(file)) {
    const fs::path folder = fs::absolute(file).lexically_normal();
    const fs::path named = folder.has_filename() ? folder : folder.parent_path();
    return parse_kernel_files(plain_name(named.filename().string(), kUnnamedPlan), kernel_files_in(file),
                              load_catalogue());
  }
  // Of scripts, few describe a kernel.
  if (is_kernel_file(file) && (fs::path(file).extension() == ".cu" || has_description(read_file(file)))) {
    return parse_kernel_files(plain_name(fs::path(file).stem().string(), kUnnamedPlan), {kernel_file(file)},
                              load_catalogue());
  }
  const std::string content = read_file(file);
  if (is_program(content)) {
    throw Error(ErrorKind::usage, fmt::format("{}: this is a program, not a plan", file),
                fmt::format("`rooflinectl profile -- {}` measures its kernels; a plan is a YAML file that "
                            "names kernels of `rooflinectl list`, such as experiments.yaml",
                            printable(file)));
  }
  const ReadSource read_source = [](const std::string& path) { return read_file(path); };
  if (fs::path(file).extension() == ".json" && is_tuning_file(content)) {
    return parse_tuning_file(plain_name(fs::path(file).stem().string(), kUnnamedPlan), {file, content},
                             load_catalogue(), read_source);
  }
  return parse_plan(content, file, load_catalogue(), read_source);
}

}  // namespace

bool is_kernel_file(const fs::path& path) {
  return path.extension() == ".cu" || path.extension() == ".py";
}

Plan load_plan(const std::string& file) {
  Plan plan = parse_file(file);
  // Wherever the run is resumed.
  for (FileKernel& kernel : plan.kernels) {
    kernel.source = fs::absolute(kernel.source).lexically_normal().string();
    const fs::path folder = fs::path(kernel.source).parent_path();
    for (auto& [argument, path] : kernel.reference.files) path = (folder / path).lexically_normal().string();
    for (std::string* const path : {&kernel.reference.python, &kernel.reference.cpp}) {
      if (path->empty()) continue;
      *path = (folder / *path).lexically_normal().string();
      if (!fs::is_regular_file(*path)) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}, the reference of '{}', is not there", *path, kernel.id));
      }
    }
  }
  return plan;
}

}  // namespace rooflinectl
