// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/profiled/programs.h"

int main(int argc, char** argv) {
  using namespace profiled;
  return run_program({{"launches", launches},
                      {"long-kernels", long_kernels},
                      {"failing-launches", failing_launches},
                      {"products", products},
                      {"transforms", transforms},
                      {"graph", graph},
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
                      {"steps-that-differ", steps_that_differ},
                      {"source-lines", source_lines},
                      {"over-time", over_time},
                      {"reset-over-time", reset_over_time},
                      {"captured-over-time", captured_over_time},
                      {"two-gpus-over-time", two_gpus_over_time}},
                     argc, argv);
}
