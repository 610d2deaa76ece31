// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rooflinectl {

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
  const std::size_t at_once = std::max(std::thread::hardware_concurrency(), 1U);
  std::deque<std::future<Content>> reading;
  for (std::size_t next = 0, i = 0; i < files.size(); ++i) {
    for (; next < files.size() && reading.size() < at_once; ++next) {
      reading.push_back(std::async(std::launch::async, read, files[next]));
    }
    std::future<Content> first = std::move(reading.front());
    reading.pop_front();
    take(i, first);
  }
}

}  // namespace rooflinectl
