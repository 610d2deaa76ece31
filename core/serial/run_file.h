// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "core/json/json.h"
#include "core/model/run.h"

namespace rooflinectl {

/// The file of the run that `run` names: itself, or `run.json` in the folder that it is, or `run.json.gz`
/// where the folder has only that.
std::filesystem::path run_file(const std::filesystem::path& run);

/// The same for several.
std::vector<std::filesystem::path> run_files(const std::vector<std::string>& runs);

/// The text of a `run.json`, compressed with gzip or not, whatever its name. Throws Error(usage) as
/// `read_run`.
std::string run_text(const std::filesystem::path& file);

/// Reads a `run.json`, compressed with gzip or not, whatever its name. Throws Error(usage) naming the file if
/// it cannot be read or unpacked, if it is larger than `kMaxFileBytes`, packed or unpacked, or as
/// `run_from_json` does.
Run read_run(const std::filesystem::path& file);

/// The same without what takes most of the file: counters, single times of points, and their times over the
/// run are empty, and not looked at.
Run read_run_without_details(const std::filesystem::path& file);

/// Writes a `run.json`, compressed where the name of the file ends in `.gz`. Throws Error(environment) as
/// `write_file` does.
void write_run(const std::filesystem::path& file, const Run& run);

/// The run as it will be read again: numbers have the digits that are written. Reports of a run that is not
/// read from its file are made of this, so that they stay the same when they are drawn again.
Run as_written(const Run& run);

/// Turns a `run.json` of schema 1 into one of schema 2. Schema 1 had one `device`, points of reductions only,
/// and declared operations of one type. What is missing or of the wrong type stays so: reading it finds that.
void upgrade_schema1(serial::Json& run);

/// The files of `runs`, each once, even where a link such as `latest` leads to one of the others.
std::vector<std::filesystem::path> different_run_files(const std::vector<std::filesystem::path>& runs);

/// The files of all runs that `names` stand for: for a run's folder its file, for any other folder those of
/// all runs below it, sorted; each once. Links below a folder are not followed. Throws Error(usage) if there
/// are none below a folder, or it cannot be read.
std::vector<std::filesystem::path> run_files_below(const std::vector<std::string>& names);

/// Reads several files at a time with `read(file)`, and hands the results to `take(place, future)` in the
/// order of `files`. The future throws what `read` has thrown.
template <typename Read, typename Take>
void read_in_parallel(const std::vector<std::filesystem::path>& files, Read read, Take take) {
  using Content = decltype(read(files.front()));
  using Results = std::vector<std::future<Content>>;
  // Of thousands of files, one takes hardly longer than to start a thread.
  const std::size_t files_of_thread = std::max(files.size() / 1000, std::size_t{1});
  const auto read_some = [&](std::size_t first) {
    Results results;
    for (std::size_t i = first; i < std::min(first + files_of_thread, files.size()); ++i) {
      std::packaged_task<Content()> task([&, i] { return read(files[i]); });
      results.push_back(task.get_future());
      task();
    }
    return results;
  };
  const std::size_t at_once = std::max(std::thread::hardware_concurrency(), 1U);
  std::deque<std::future<Results>> reading;
  for (std::size_t next = 0, i = 0; i < files.size();) {
    for (; next < files.size() && reading.size() < at_once; next += files_of_thread) {
      reading.push_back(std::async(std::launch::async, read_some, next));
    }
    Results results = reading.front().get();
    reading.pop_front();
    for (std::future<Content>& result : results) take(i++, result);
  }
}

}  // namespace rooflinectl
