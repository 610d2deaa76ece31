// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <future>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "core/error.h"

namespace rooflinectl {

/// What `compile` makes of each task, in the order of the tasks, with as many compilers at a time as there
/// are cores. Throws Error(usage) with the mistakes in all of them that `is_new` holds for, which is asked
/// about each; what else `compile` throws, at once.
template <typename Task, typename Compile, typename IsNew>
auto compile_side_by_side(const std::vector<Task>& tasks, const Compile& compile, const IsNew& is_new) {
  using Compiled = std::invoke_result_t<Compile, const Task&>;
  const std::size_t most = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  std::vector<Compiled> all;
  std::vector<std::string> mistakes;
  for (std::size_t first = 0; first < tasks.size(); first += most) {
    std::vector<std::future<Compiled>> running;
    for (std::size_t i = first; i < std::min(first + most, tasks.size()); ++i) {
      running.push_back(std::async(std::launch::async, [&, i] { return compile(tasks[i]); }));
    }
    for (std::future<Compiled>& one : running) {
      try {
        all.push_back(one.get());
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::usage) throw;
        const std::string text = error.what();
        if (is_new(text)) mistakes.push_back(text);
      }
    }
  }
  if (!mistakes.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{}", fmt::join(mistakes, "\n")), "nothing was measured");
  }
  return all;
}

}  // namespace rooflinectl
