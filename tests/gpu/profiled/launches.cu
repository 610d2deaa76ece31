// SPDX-License-Identifier: Apache-2.0
// Every way to launch a kernel. Each has a kernel of its own, with the same work.

#include <cooperative_groups.h>
#include <cuda.h>
#include <dlfcn.h>

#include <functional>
#include <map>
#include <utility>

#include "tests/gpu/profiled/program.cuh"

namespace profiled {

/// In the file that is compiled with a default stream per thread.
void launch_on_stream_per_thread(const Arrays& arrays);

struct PlainLaunch;
struct EndedThread;
struct BesideFailures;
struct Once;
struct FiveTimes;
struct DriverLaunch;
struct DriverLaunchWithAttributes;

/// More than 10,000 characters of its mangled name are these numbers.
using LongName = std::make_integer_sequence<int, 1600>;

__global__ void saxpy_cooperative(Arrays arrays) {
  saxpy(arrays);
  cooperative_groups::this_grid().sync();
}

__global__ void saxpy_cluster(Arrays arrays) {
  saxpy(arrays);
#if __CUDA_ARCH__ >= 900
  cooperative_groups::this_cluster().sync();
#endif
}

__global__ void saxpy_programmatic(Arrays arrays) {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
  saxpy(arrays);
}

template <typename Where>
__global__ void saxpy_again(Arrays arrays, int times) {
  for (int time = 0; time < times; ++time) saxpy(arrays);
}

__global__ void counts_blocks(unsigned* count) {
  atomicAdd(count, 1U);
}

namespace {

/// Functions of the driver, to which this program is not linked so that it starts without one.
void* driver_function(const char* name) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  void* const function = driver == nullptr ? nullptr : dlsym(driver, name);
  if (function == nullptr) skip(name);
  return function;
}

void check_driver(CUresult status) {
  if (status == CUDA_SUCCESS) return;
  std::fprintf(stderr, "profiled program: the driver returned %d\n", static_cast<int>(status));
  std::exit(1);
}

template <typename Where>
CUfunction function_of() {
  cudaFunction_t function = nullptr;
  check(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(&saxpy_in<Where>)));
  return function;
}

void launch_with(const cudaLaunchAttribute& attribute, void (*kernel)(Arrays), const Arrays& arrays) {
  cudaLaunchAttribute attributes[] = {attribute};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(arrays.blocks());
  config.blockDim = dim3(kBlock);
  config.attrs = attributes;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, arrays));
}

void launch_cooperative(Arrays arrays) {
  // As many blocks as are resident at once.
  void* arguments[] = {&arrays};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&saxpy_cooperative), dim3(64), dim3(kBlock),
                                    arguments, 0, nullptr));
}

void launch_cluster(const Arrays& arrays) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 4;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  launch_with(attribute, saxpy_cluster, arrays);
}

void launch_programmatic(const Arrays& arrays) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  launch_with(attribute, saxpy_programmatic, arrays);
}

void launch_by_driver(Arrays arrays) {
  static auto* const launch = reinterpret_cast<decltype(&cuLaunchKernel)>(driver_function("cuLaunchKernel"));
  void* arguments[] = {&arrays};
  check_driver(launch(function_of<DriverLaunch>(), arrays.blocks(), 1, 1, kBlock, 1, 1, 0, nullptr, arguments,
                      nullptr));
}

void launch_by_driver_with_attributes(Arrays arrays) {
  static auto* const launch =
      reinterpret_cast<decltype(&cuLaunchKernelEx)>(driver_function("cuLaunchKernelEx"));
  void* arguments[] = {&arrays};
  CUlaunchConfig config{};
  config.gridDimX = arrays.blocks();
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = kBlock;
  config.blockDimY = config.blockDimZ = 1;
  check_driver(launch(&config, function_of<DriverLaunchWithAttributes>(), arguments, nullptr));
}

/// The functions of CUDA's first versions; no header of CUDA 13 has all of them.
void launch_as_in_cuda_1(unsigned* count) {
  using SetBlock = CUresult (*)(CUfunction, int, int, int);
  using SetSize = CUresult (*)(CUfunction, unsigned int);
  using SetValue = CUresult (*)(CUfunction, int, void*, unsigned int);
  using Launch = CUresult (*)(CUfunction, int, int);
  cudaFunction_t function = nullptr;
  check(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(&counts_blocks)));
  check_driver(reinterpret_cast<SetBlock>(driver_function("cuFuncSetBlockShape"))(function, 1, 1, 1));
  check_driver(reinterpret_cast<SetSize>(driver_function("cuParamSetSize"))(function, sizeof count));
  check_driver(reinterpret_cast<SetValue>(driver_function("cuParamSetv"))(function, 0, &count, sizeof count));
  check_driver(reinterpret_cast<Launch>(driver_function("cuLaunchGrid"))(function, 64, 1));
}

void launch_in_thread_that_ends(const Arrays& arrays) {
  int device = 0;
  check(cudaGetDevice(&device));
  std::thread([&] {
    check(cudaSetDevice(device));
    saxpy_in<EndedThread><<<arrays.blocks(), kBlock>>>(arrays);
    check(cudaGetLastError());
  }).join();
}

/// 256 MiB, which no L2 holds.
constexpr std::size_t kLarge = std::size_t{1} << 26;

}  // namespace

int launches(const Arguments& kinds) {
  check(cudaFree(nullptr));
  const Arrays small = new_arrays(4 * kSmall);
  const Arrays large = new_arrays(kLarge);
  unsigned* count = nullptr;
  check(cudaMalloc(&count, sizeof *count));
  const std::map<std::string, std::function<void()>> known = {
      {"plain", [&] { saxpy_in<PlainLaunch><<<large.blocks(), kBlock>>>(large); }},
      {"long-name", [&] { saxpy_in<LongName><<<small.blocks(), kBlock>>>(small); }},
      {"ended-thread", [&] { launch_in_thread_that_ends(small); }},
      {"cooperative", [&] { launch_cooperative(small); }},
      {"cluster", [&] { launch_cluster(small); }},
      {"programmatic", [&] { launch_programmatic(small); }},
      {"driver", [&] { launch_by_driver(small); }},
      {"driver-attributes", [&] { launch_by_driver_with_attributes(small); }},
      {"cuda-1", [&] { launch_as_in_cuda_1(count); }},
      {"stream-per-thread", [&] { launch_on_stream_per_thread(small); }},
  };
  for (const std::string& kind : kinds) {
    if (!known.contains(kind)) {
      std::fprintf(stderr, "launches: there is no %s\n", kind.c_str());
      return 2;
    }
  }
  repeat_for(kinds.size() > 1 ? kAllPassesS : 0.2, [&] {
    for (const std::string& kind : kinds) known.at(kind)();
  });
  return 0;
}

/// Kernels of tenths of a second: one is launched once, another five times.
int long_kernels(const Arguments&) {
  constexpr unsigned kBlocks = 1024;
  const Arrays large = new_arrays(kLarge);
  saxpy_again<Once><<<kBlocks, kBlock>>>(large, 700);
  check(cudaDeviceSynchronize());
  for (int i = 0; i < 5; ++i) {
    saxpy_again<FiveTimes><<<kBlocks, kBlock>>>(large, 350);
    check(cudaDeviceSynchronize());
  }
  return 0;
}

/// Half of the launches of a kernel fail.
int failing_launches(const Arguments&) {
  constexpr unsigned kTooLarge = 4096;
  const Arrays large = new_arrays(kLarge);
  repeat_for(1, [&] {
    saxpy_in<BesideFailures><<<large.blocks(), kBlock>>>(large);
    check(cudaGetLastError());
    saxpy_in<BesideFailures><<<large.blocks(), kTooLarge>>>(large);
    if (cudaGetLastError() == cudaSuccess) std::exit(1);
  });
  return 0;
}

}  // namespace profiled
