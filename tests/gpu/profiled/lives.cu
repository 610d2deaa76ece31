// SPDX-License-Identifier: Apache-2.0
// Programs that end, multiply, or treat their process in ways that are hard on a library that was loaded into
// it.

#include <cuda_profiler_api.h>
#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "tests/gpu/profiled/program.cuh"

namespace profiled {

struct Plain;
struct BeforeFork;
struct AfterFork;
struct BeforeExec;
struct AfterExec;
struct BeforeReset;
struct AfterReset;
struct InOpenRange;
struct InNoRange;
struct BeforeStart;
struct BetweenStartAndStop;
struct AfterStop;

__global__ void writes_to_nowhere(int* nowhere) {
  *nowhere = 1;
}

namespace {

double seconds_of(const Arguments& arguments, double otherwise) {
  return arguments.empty() ? otherwise : std::atof(arguments.front().c_str());
}

/// Long enough that what was launched before is on disk.
void launch_for_a_second() {
  const Arrays arrays = new_arrays(kSmall);
  launch_some<Plain>(arrays);
  repeat_for(1, [&] { saxpy_in<Plain><<<arrays.blocks(), kBlock>>>(arrays); });
}

}  // namespace

/// `plain [SECONDS]`
int plain(const Arguments& arguments) {
  const Arrays arrays = new_arrays(kSmall);
  repeat_for(seconds_of(arguments, 0.2), [&] { saxpy_in<Plain><<<arrays.blocks(), kBlock>>>(arrays); });
  return 0;
}

/// Forks after CUDA is up: one child ends by _exit, one by exit with all of its handlers, one executes a
/// program that uses CUDA itself.
int fork_children(const Arguments&) {
  const Arrays arrays = new_arrays(kSmall);
  launch_some<BeforeFork>(arrays);
  enum { kByUnderscoreExit, kByExit, kByExec, kChildren };
  for (int child = 0; child < kChildren; ++child) {
    const pid_t id = fork();
    if (id == 0) {
      if (child == kByUnderscoreExit) _exit(0);
      if (child == kByExit) std::exit(0);
      execl("/proc/self/exe", "rooflinectl-profiled-programs", "plain", nullptr);
      _exit(1);
    }
    int status = 0;
    waitpid(id, &status, 0);
    if (status != 0) {
      std::printf("child %d ended with status %d\n", child, status);
      return 1;
    }
  }
  launch_some<AfterFork>(arrays);
  return 0;
}

/// Becomes another program after CUDA is up.
int exec_itself(const Arguments& arguments) {
  const Arrays arrays = new_arrays(kSmall);
  if (!arguments.empty()) {
    launch_some<AfterExec>(arrays);
    return 0;
  }
  launch_some<BeforeExec>(arrays);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  execl("/proc/self/exe", "rooflinectl-profiled-programs", "exec", "again", nullptr);
  return 1;
}

/// `exit CODE`: without what is to be done at the end of a program.
int exit_at_once(const Arguments& arguments) {
  launch_for_a_second();
  _exit(std::atoi(arguments.at(0).c_str()));
}

/// `signal NUMBER`: ends by it.
int raise_signal(const Arguments& arguments) {
  launch_for_a_second();
  raise(std::atoi(arguments.at(0).c_str()));
  return 0;
}

int illegal_address(const Arguments&) {
  launch_for_a_second();
  writes_to_nowhere<<<1, 1>>>(reinterpret_cast<int*>(16));
  const cudaError_t status = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(status));
  return status == cudaErrorIllegalAddress ? 3 : 1;
}

int reset_device(const Arguments&) {
  launch_some<BeforeReset>(new_arrays(kSmall));
  check(cudaDeviceReset());
  launch_some<AfterReset>(new_arrays(kSmall));
  check(cudaDeviceSynchronize());
  return 0;
}

/// A context, and no launch.
int context_alone(const Arguments&) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, 1 << 20));
  return 0;
}

int without_cuda(const Arguments&) {
  return 0;
}

/// Before CUDA is up, as daemons do. The numbers 0 to 2 are then those of whatever is opened next.
int close_files(const Arguments&) {
  for (int file = 0; file < 1024; ++file) close(file);
  launch_some<Plain>(new_arrays(kSmall));
  check(cudaDeviceSynchronize());
  return 0;
}

int change_directory(const Arguments&) {
  if (chdir("/") != 0) return 1;
  launch_for_a_second();
  return 0;
}

/// NVTX ranges that are closed too often, or never.
int unbalanced_ranges(const Arguments&) {
  const Arrays arrays = new_arrays(kSmall);
  nvtxRangePop();
  nvtxRangePushA("closed");
  nvtxRangePop();
  nvtxRangePop();
  launch_some<InNoRange>(arrays);
  const nvtxRangeId_t twice = nvtxRangeStartA("ended twice");
  nvtxRangeEnd(twice);
  nvtxRangeEnd(twice);
  nvtxRangeEnd(12345);
  nvtxDomainHandle_t const domain = nvtxDomainCreateA("domain");
  nvtxDomainRangePop(domain);
  nvtxRangePushA("never closed");
  nvtxRangeStartA("never ended");
  launch_some<InOpenRange>(arrays);
  check(cudaDeviceSynchronize());
  return 0;
}

/// `profiler-range [start]`: stops without start, and then, if it is asked for, starts and stops.
int profiler_range(const Arguments& arguments) {
  const Arrays arrays = new_arrays(kSmall);
  check(cudaFree(nullptr));
  check(cudaProfilerStop());
  launch_some<BeforeStart>(arrays);
  if (!arguments.empty()) {
    check(cudaProfilerStart());
    launch_some<BetweenStartAndStop>(arrays);
    check(cudaProfilerStop());
  }
  launch_some<AfterStop>(arrays);
  check(cudaDeviceSynchronize());
  return 0;
}

/// `groups NUMBER`: each launch has a grid of its own.
int many_groups(const Arguments& arguments) {
  const Arrays arrays = new_arrays(kSmall);
  const int groups = std::atoi(arguments.at(0).c_str());
  for (int grid = 1; grid <= groups; ++grid) {
    saxpy_in<Plain><<<static_cast<unsigned>(grid), kBlock>>>(arrays);
    if (grid % 100 == 0) check(cudaDeviceSynchronize());
  }
  check(cudaDeviceSynchronize());
  return 0;
}

}  // namespace profiled
