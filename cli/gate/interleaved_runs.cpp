// SPDX-License-Identifier: Apache-2.0
#include "cli/gate/interleaved_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <iterator>
#include <set>
#include <utility>

#include "cli/terminal.h"
#include "core/error.h"
#include "core/program/application.h"
#include "core/serial/run_file.h"
#include "runner/processes/guest_program.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlaceholder = "{}";

std::vector<std::string> filled_in(std::vector<std::string> command, std::string_view with) {
  bool has_placeholder = false;
  for (std::string& word : command) {
    std::size_t at = word.find(kPlaceholder);
    has_placeholder |= at != std::string::npos;
    for (; at != std::string::npos; at = word.find(kPlaceholder, at + with.size())) {
      word.replace(at, kPlaceholder.size(), with);
    }
  }
  if (!has_placeholder) {
    throw Error(ErrorKind::usage, fmt::format("'{}' is the same for both sides", command_text(command)),
                "write {} where the two differ: gate --interleave build-base build-new -- {}/app");
  }
  return command;
}

/// `command` with the options that write its run into `folder`: of rooflinectl itself, in front of which
/// `profile` is not needed, after the name of its command.
std::vector<std::string> measuring(const std::vector<std::string>& command, const fs::path& folder) {
  std::vector<std::string> options = {"--quiet", "--output", folder.string()};
  std::vector<std::string> words = command;
  if (fs::path(command.front()).filename() == "rooflinectl" && command.size() > 1) {
    words.insert(words.begin() + 2, options.begin(), options.end());
    return words;
  }
  options.insert(options.begin(), {fs::read_symlink("/proc/self/exe").string(), "profile"});
  options.emplace_back("--");
  words.insert(words.begin(), options.begin(), options.end());
  return words;
}

std::vector<fs::path> runs_in(const fs::path& folder) {
  std::error_code missing;
  if (!fs::exists(folder, missing)) return {};
  try {
    return run_files_below({folder.string()});
  } catch (const Error&) {  // there is none
    return {};
  }
}

AnalysedRun run_in(const fs::path& folder, const std::string& command, int exit_code) {
  const std::vector<fs::path> files = runs_in(folder);
  if (files.size() != 1) {
    const bool cannot_measure = exit_code == static_cast<int>(ErrorKind::environment);
    throw Error(cannot_measure ? ErrorKind::environment : ErrorKind::measurement,
                fmt::format("'{}' left {} in place of one; exit code {}", command,
                            files.empty() ? "no run" : fmt::format("{} runs", files.size()), exit_code),
                "measure it alone first, with the same command");
  }
  AnalysedRun run(files.front().parent_path().string(), read_run(files.front()));
  if (run.run.source == RunSource::replayed) {
    throw Error(ErrorKind::environment,
                fmt::format("'{}' replayed a recording: nothing was measured", command),
                "`rooflinectl doctor` prints why this machine cannot measure");
  }
  return run;
}

std::set<std::string> gpus_of(const AnalysedRun& run) {
  std::set<std::string> uuids;
  for (const DeviceInfo& device : run.run.devices) uuids.insert(device.uuid);
  return uuids;
}

void require_same_gpus(const AnalysedRun& first, const AnalysedRun& run) {
  const std::set<std::string> before = gpus_of(first);
  const std::set<std::string> now = gpus_of(run);
  if (before == now) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} was measured on {}, {} on {}: interleaved runs need the same GPUs", first.name,
                          fmt::join(before, ", "), run.name, fmt::join(now, ", ")),
              "choose one for all of them: CUDA_VISIBLE_DEVICES=GPU-…");
}

}  // namespace

InterleavedRuns measure_interleaved(const Interleaving& interleaving) {
  struct Side {
    std::string_view name;
    std::vector<std::string> command;
    std::vector<AnalysedRun> runs;
  };
  Side base{"base", filled_in(interleaving.command, interleaving.base), {}};
  Side now{"new", filled_in(interleaving.command, interleaving.now), {}};
  const fs::path folder = create_run_folder(interleaving.output, "gate", std::chrono::system_clock::now());
  bool has_failed = false;
  for (std::size_t round = 1; round <= interleaving.rounds && !has_failed; ++round) {
    for (Side* side : {&base, &now}) {
      const std::string command = command_text(side->command);
      terminal::print(stderr, "{} {} of {}: {}\n", side->name, round, interleaving.rounds, command);
      const fs::path own_folder = folder / fmt::format("{}-{}", side->name, round);
      const GuestEnd end = run_guest(
          {.command = measuring(side->command, own_folder), .output_is_error = true}, std::nullopt, [] {});
      if (end.interrupted) {
        throw Error(ErrorKind::measurement,
                    fmt::format("interrupted; what was measured is in {}", folder.string()));
      }
      side->runs.push_back(run_in(own_folder, command, end.exit_code()));
      require_same_gpus(base.runs.front(), side->runs.back());
      has_failed = side == &now && end.exit_code() != 0;
    }
  }
  AnalysedRun last = std::move(now.runs.back());
  now.runs.pop_back();
  const std::size_t base_runs = base.runs.size();
  std::move(now.runs.begin(), now.runs.end(), std::back_inserter(base.runs));
  return {std::move(base.runs), base_runs, std::move(last)};
}

}  // namespace rooflinectl
