// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "tests/gpu/profiled/program.cuh"

int main(int argc, char** argv) {
  using namespace profiled;
  const std::map<std::string, std::function<int(const Arguments&)>> programs = {
      {"launches", launches},
      {"products", products},
      {"transforms", transforms},
      {"graph", graph},
      {"conditional-graph", conditional_graph},
      {"device-graph", device_graph},
      {"nested-launches", nested_launches},
      {"capture-beside-launches", capture_beside_launches},
      {"dependent-streams", dependent_streams},
      {"fed-by-host", fed_by_host},
      {"persistent-kernel", persistent_kernel},
      {"dependent-devices", dependent_devices},
      {"endless-kernel", endless_kernel},
      {"plain", plain},
      {"fork", fork_children},
      {"exec", exec_itself},
      {"exit", exit_at_once},
      {"signal", raise_signal},
      {"illegal-address", illegal_address},
      {"reset", reset_device},
      {"context", context_alone},
      {"no-cuda", without_cuda},
      {"close-files", close_files},
      {"chdir", change_directory},
      {"ranges", unbalanced_ranges},
      {"profiler-range", profiler_range},
      {"groups", many_groups},
  };
  const Arguments arguments(argv + 1, argv + argc);
  const auto program = programs.find(arguments.empty() ? "" : arguments.front());
  if (program == programs.end()) {
    std::fprintf(stderr, "usage: rooflinectl-profiled-programs PROGRAM [ARGUMENTS]\nprograms:");
    for (const auto& [name, run] : programs) std::fprintf(stderr, " %s", name.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  return program->second({arguments.begin() + 1, arguments.end()});
}
