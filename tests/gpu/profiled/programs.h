// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// Programs for `rooflinectl profile` to run on a GPU: their work is known, or they do what is hard to
/// profile.
namespace profiled {

using Arguments = std::vector<std::string>;

// Each is `rooflinectl-profiled-programs NAME ARGUMENTS...`, and returns the exit code.
int launches(const Arguments& kinds);
int long_kernels(const Arguments& arguments);
int failing_launches(const Arguments& arguments);
int products(const Arguments& arguments);
int transforms(const Arguments& arguments);
int graph(const Arguments& arguments);
int capture_beside_launches(const Arguments& arguments);
int dependent_streams(const Arguments& arguments);
int fed_by_host(const Arguments& arguments);
int persistent_kernel(const Arguments& arguments);
int dependent_devices(const Arguments& arguments);
int endless_kernel(const Arguments& arguments);
int plain(const Arguments& arguments);
int fork_children(const Arguments& arguments);
int exec_itself(const Arguments& arguments);
int exit_at_once(const Arguments& arguments);
int raise_signal(const Arguments& arguments);
int illegal_address(const Arguments& arguments);
int reset_device(const Arguments& arguments);
int context_alone(const Arguments& arguments);
int without_cuda(const Arguments& arguments);
int close_files(const Arguments& arguments);
int change_directory(const Arguments& arguments);
int unbalanced_ranges(const Arguments& arguments);
int profiler_range(const Arguments& arguments);
int many_groups(const Arguments& arguments);
int steps_that_differ(const Arguments& arguments);
int source_lines(const Arguments& arguments);
int over_time(const Arguments& arguments);
int reset_over_time(const Arguments& arguments);
int captured_over_time(const Arguments& arguments);
int two_gpus_over_time(const Arguments& arguments);

/// Runs the one that the command line names.
inline int run_program(const std::map<std::string, std::function<int(const Arguments&)>>& programs, int argc,
                       char** argv) {
  const Arguments arguments(argv + 1, argv + argc);
  const auto program = programs.find(arguments.empty() ? "" : arguments.front());
  if (program == programs.end()) {
    std::fprintf(stderr, "usage: %s PROGRAM [ARGUMENTS]\nprograms:", argv[0]);
    for (const auto& [name, run] : programs) std::fprintf(stderr, " %s", name.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  return program->second({arguments.begin() + 1, arguments.end()});
}

}  // namespace profiled
