// SPDX-License-Identifier: Apache-2.0
// Kernels that wait for what the program does only after it has launched them. A profiler that waits for
// them, too, waits for ever. They give up after some seconds, and then the program exits with 1.

#include "tests/gpu/profiled/program.cuh"

namespace profiled {

struct BesidePersistent;

__global__ void waits_for(const volatile int* flag, int value, long long limit, int* gave_up) {
  const long long start = clock64();
  while (*flag < value) {
    if (clock64() - start < limit) continue;
    *gave_up = 1;
    return;
  }
}

__global__ void sets_flag(volatile int* flag, int value) {
  *flag = value;
  __threadfence_system();
}

namespace {

/// About 15 s.
constexpr long long kLimit = 30'000'000'000;

/// Memory of the host that kernels see.
struct Flags {
  volatile int* flag = nullptr;
  int* gave_up = nullptr;

  Flags() {
    int* both = nullptr;
    check(cudaHostAlloc(&both, 2 * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
    both[0] = both[1] = 0;
    flag = both;
    gave_up = both + 1;
  }

  int exit_code() const {
    check(cudaDeviceSynchronize());
    if (*gave_up != 0) std::printf("a kernel waited in vain\n");
    return *gave_up;
  }
};

}  // namespace

/// A kernel on one stream waits for one that is launched later on another.
int dependent_streams(const Arguments&) {
  const Flags flags;
  cudaStream_t const first = new_stream();
  cudaStream_t const second = new_stream();
  for (int i = 1; i <= 100; ++i) {
    waits_for<<<1, 1, 0, first>>>(flags.flag, i, kLimit, flags.gave_up);
    sets_flag<<<1, 1, 0, second>>>(flags.flag, i);
    if (i % 5 == 0) check(cudaDeviceSynchronize());
  }
  return flags.exit_code();
}

/// Each kernel waits until the host has written.
int fed_by_host(const Arguments&) {
  const Flags flags;
  for (int i = 1; i <= 100; ++i) {
    waits_for<<<1, 1>>>(flags.flag, i, kLimit, flags.gave_up);
    *flags.flag = i;
    check(cudaDeviceSynchronize());
  }
  return flags.exit_code();
}

/// One kernel runs all the time, until the host ends it; others run beside it.
int persistent_kernel(const Arguments&) {
  const Flags flags;
  const Arrays arrays = new_arrays(kSmall);
  cudaStream_t const first = new_stream();
  cudaStream_t const second = new_stream();
  saxpy_in<BesidePersistent><<<arrays.blocks(), kBlock, 0, second>>>(arrays);
  check(cudaStreamSynchronize(second));
  waits_for<<<1, 1, 0, first>>>(flags.flag, 1, kLimit, flags.gave_up);
  for (int i = 0; i < 200; ++i) {
    saxpy_in<BesidePersistent><<<arrays.blocks(), kBlock, 0, second>>>(arrays);
    check(cudaStreamSynchronize(second));
  }
  *flags.flag = 1;
  return flags.exit_code();
}

/// A kernel on one device waits for one that is launched later on another.
int dependent_devices(const Arguments&) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  if (devices < 2) skip("there is one GPU");
  const Flags flags;
  for (int i = 1; i <= 50; ++i) {
    for (const int device : {0, 1}) {  // contexts first: making one waits
      check(cudaSetDevice(device));
      check(cudaDeviceSynchronize());
    }
    check(cudaSetDevice(0));
    waits_for<<<1, 1>>>(flags.flag, i, kLimit, flags.gave_up);
    check(cudaSetDevice(1));
    sets_flag<<<1, 1>>>(flags.flag, i);
  }
  check(cudaDeviceSynchronize());
  check(cudaSetDevice(0));
  return flags.exit_code();
}

/// A kernel that never comes to its end.
int endless_kernel(const Arguments&) {
  const Flags flags;
  launch_some<BesidePersistent>(new_arrays(kSmall));
  check(cudaDeviceSynchronize());
  std::this_thread::sleep_for(std::chrono::seconds(1));  // until it is written down
  waits_for<<<1, 1>>>(flags.flag, 1, 10 * kLimit, flags.gave_up);
  return flags.exit_code();
}

}  // namespace profiled
