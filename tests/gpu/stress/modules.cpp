// SPDX-License-Identifier: Apache-2.0
// Contexts and modules of the driver that come and go. All modules have a kernel of the same name, with code
// of its own.

#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>

#include "tests/gpu/stress/scenarios.h"

namespace stress {

namespace {

#define STRESS_NAME(name) #name
/// A function of the driver, to which this program is not linked so that it starts without one. The macros of
/// cuda.h choose the version.
#define STRESS_DRIVER(function) reinterpret_cast<decltype(&function)>(driver_function(STRESS_NAME(function)))

void* driver_function(const char* name) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  void* const function = driver == nullptr ? nullptr : dlsym(driver, name);
  if (function == nullptr) {
    std::fprintf(stderr, "stress: the driver has no %s\n", name);
    _exit(9);
  }
  return function;
}

struct Driver {
  decltype(&cuCtxCreate) create_context = STRESS_DRIVER(cuCtxCreate);
  decltype(&cuCtxDestroy) destroy_context = STRESS_DRIVER(cuCtxDestroy);
  decltype(&cuModuleLoadData) load_module = STRESS_DRIVER(cuModuleLoadData);
  decltype(&cuModuleUnload) unload_module = STRESS_DRIVER(cuModuleUnload);
  decltype(&cuModuleGetFunction) function_of_module = STRESS_DRIVER(cuModuleGetFunction);
  decltype(&cuLibraryLoadData) load_library = STRESS_DRIVER(cuLibraryLoadData);
  decltype(&cuLibraryUnload) unload_library = STRESS_DRIVER(cuLibraryUnload);
  decltype(&cuLibraryGetKernel) kernel_of_library = STRESS_DRIVER(cuLibraryGetKernel);
  decltype(&cuMemAlloc) allocate = STRESS_DRIVER(cuMemAlloc);
  decltype(&cuMemFree) release = STRESS_DRIVER(cuMemFree);
  decltype(&cuMemcpyHtoDAsync) copy_to_device = STRESS_DRIVER(cuMemcpyHtoDAsync);
  decltype(&cuMemcpyDtoHAsync) copy_to_host = STRESS_DRIVER(cuMemcpyDtoHAsync);
  decltype(&cuStreamCreate) create_stream = STRESS_DRIVER(cuStreamCreate);
  decltype(&cuStreamDestroy) destroy_stream = STRESS_DRIVER(cuStreamDestroy);
  decltype(&cuStreamSynchronize) wait_for_stream = STRESS_DRIVER(cuStreamSynchronize);
  decltype(&cuCtxSynchronize) wait_for_context = STRESS_DRIVER(cuCtxSynchronize);
  decltype(&cuLaunchKernel) launch = STRESS_DRIVER(cuLaunchKernel);
  decltype(&cuInit) initialize = STRESS_DRIVER(cuInit);
};

const Driver& driver() {
  static const Driver functions;
  return functions;
}

void check_driver(CUresult status, const char* what) {
  if (status == CUDA_SUCCESS) return;
  std::fprintf(stderr, "stress: %s: the driver returned %d\n", what, static_cast<int>(status));
  _exit(9);
}

Tally& module_tally() {
  static auto* const tally = new Tally("module_work");
  return *tally;
}

/// PTX of `module_work(elements, count)`: x becomes `factor` x + `summand`, after as many multiply-adds,
/// whose result has no effect.
struct Code {
  unsigned factor;
  unsigned summand;
  int multiply_adds;

  explicit Code(Random& random)
      : factor(static_cast<unsigned>(random.next()) | 1U),
        summand(static_cast<unsigned>(random.next())),
        multiply_adds(1 << random.below(8)) {}

  std::string ptx() const {
    std::string code = R"(.version 7.5
.target sm_75
.address_size 64
.visible .entry module_work(.param .u64 elements, .param .u32 count)
{
  .reg .pred %p<3>;
  .reg .b32 %r<7>;
  .reg .b64 %rd<3>;
  .reg .f32 %f<2>;
  ld.param.u64 %rd1, [elements];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd1, %rd1;
  mul.wide.u32 %rd2, %r5, 4;
  add.u64 %rd1, %rd1, %rd2;
  ld.global.u32 %r6, [%rd1];
  cvt.rn.f32.u32 %f1, %r6;
)";
    for (int i = 0; i < multiply_adds; ++i) code += "  fma.rn.f32 %f1, %f1, 0f3F800001, 0f3F000000;\n";
    code += text("  mad.lo.u32 %%r6, %%r6, %u, %u;\n", factor, summand);
    return code + R"(  setp.lt.f32 %p2, %f1, 0f00000000;
  @%p2 add.u32 %r6, %r6, 1;
  st.global.u32 [%rd1], %r6;
DONE:
  ret;
}
)";
  }
};

/// Numbers in the current context, and what they must be.
class Numbers {
 public:
  explicit Numbers(CUstream stream) : stream_(stream), initial_(kCount) {
    for (unsigned i = 0; i < kCount; ++i) initial_[i] = i * 2654435761U;
    check_driver(driver().allocate(&d_elements_, kCount * sizeof(unsigned)), "cuMemAlloc");
    check_driver(driver().copy_to_device(d_elements_, initial_.data(), kCount * sizeof(unsigned), stream_),
                 "cuMemcpy");
    check_driver(driver().wait_for_stream(stream_), "cuStreamSynchronize");
  }

  void launch(CUfunction function, const Code& code) {
    unsigned count = kCount;
    void* arguments[] = {&d_elements_, &count};
    check_driver(driver().launch(function, kCount / 128, 1, 1, 128, 1, 1, 0, stream_, arguments, nullptr),
                 "cuLaunchKernel");
    module_tally().add();
    expected_ = expected_.then({.factor = code.factor, .summand = code.summand});
  }

  std::uint64_t check() const {
    std::vector<unsigned> elements(kCount);
    check_driver(driver().copy_to_host(elements.data(), d_elements_, kCount * sizeof(unsigned), stream_),
                 "cuMemcpy");
    check_driver(driver().wait_for_stream(stream_), "cuStreamSynchronize");
    std::uint64_t checksum = 0;
    for (unsigned i = 0; i < kCount; ++i) {
      const unsigned expected = expected_.factor * initial_[i] + expected_.summand;
      if (elements[i] != expected) {
        wrong("element %u of a module's is %u instead of %u", i, elements[i], expected);
        break;
      }
      checksum = checksum * 31 + elements[i];
    }
    return checksum;
  }

  void release() { check_driver(driver().release(d_elements_), "cuMemFree"); }

 private:
  static constexpr unsigned kCount = 4096;
  CUstream stream_;
  std::vector<unsigned> initial_;
  CUdeviceptr d_elements_ = 0;
  Effect expected_;
};

CUstream new_stream() {
  CUstream stream = nullptr;
  check_driver(driver().create_stream(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  return stream;
}

/// A module or a library with one kernel.
class Loaded {
 public:
  Loaded(Random& random) : code(random) {
    const std::string ptx = code.ptx();
    if (random.one_in(2)) {
      check_driver(driver().load_module(&module_, ptx.c_str()), "cuModuleLoadData");
      check_driver(driver().function_of_module(&function, module_, "module_work"), "cuModuleGetFunction");
    } else {
      check_driver(driver().load_library(&library_, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
                   "cuLibraryLoadData");
      CUkernel of_library = nullptr;
      check_driver(driver().kernel_of_library(&of_library, library_, "module_work"), "cuLibraryGetKernel");
      function = reinterpret_cast<CUfunction>(of_library);  // as cuda.h allows
    }
  }

  void unload() {
    if (module_ != nullptr) check_driver(driver().unload_module(module_), "cuModuleUnload");
    if (library_ != nullptr) check_driver(driver().unload_library(library_), "cuLibraryUnload");
  }
  bool is_library() const { return library_ != nullptr; }

  Code code;
  CUfunction function = nullptr;

 private:
  CUmodule module_ = nullptr;
  CUlibrary library_ = nullptr;
};

}  // namespace

std::string contexts(Random random, int rounds) {
  check_driver(driver().initialize(0), "cuInit");
  std::uint64_t checksum = 0;
  for (int i = 0; i < rounds; ++i) {
    CUcontext context = nullptr;
    check_driver(
        driver().create_context(&context, nullptr, random.one_in(2) ? CU_CTX_SCHED_BLOCKING_SYNC : 0, 0),
        "cuCtxCreate");
    CUstream const stream = new_stream();
    Numbers numbers(stream);
    std::vector<Loaded> loaded;
    for (int j = random.between(1, 3); j > 0; --j) loaded.emplace_back(random);
    for (int j = random.between(1, 200); j > 0; --j) {
      const Loaded& one = loaded[static_cast<std::size_t>(random.below(static_cast<int>(loaded.size())))];
      numbers.launch(one.function, one.code);
    }
    checksum = checksum * 31 + numbers.check();
    // What is left is the context's, except libraries, which belong to no context.
    const bool is_tidy = random.one_in(2);
    for (Loaded& one : loaded) {
      if (is_tidy || one.is_library()) one.unload();
    }
    if (is_tidy) {
      numbers.release();
      check_driver(driver().destroy_stream(stream), "cuStreamDestroy");
    } else if (random.one_in(2)) {
      check_driver(driver().wait_for_context(), "cuCtxSynchronize");
    }
    check_driver(driver().destroy_context(context), "cuCtxDestroy");
  }
  return text("%d contexts, checksum %016llx", rounds, static_cast<unsigned long long>(checksum));
}

std::string modules(Random random, int rounds) {
  check(cudaSetDevice(0));  // the primary context becomes this thread's
  check(cudaFree(nullptr));
  CUstream const stream = new_stream();
  Numbers numbers(stream);
  std::vector<Loaded> loaded;
  for (int i = 0; i < rounds; ++i) {
    if (loaded.size() < 2 || random.one_in(3)) loaded.emplace_back(random);
    for (int j = random.between(1, 40); j > 0; --j) {
      const Loaded& one = loaded[static_cast<std::size_t>(random.below(static_cast<int>(loaded.size())))];
      numbers.launch(one.function, one.code);
    }
    if (loaded.size() > 2 && random.one_in(2)) {
      const auto first = loaded.begin() + random.below(static_cast<int>(loaded.size()));
      check_driver(driver().wait_for_stream(stream), "cuStreamSynchronize");
      first->unload();
      loaded.erase(first);
    }
  }
  const std::uint64_t checksum = numbers.check();
  for (Loaded& one : loaded) one.unload();
  numbers.release();
  check_driver(driver().destroy_stream(stream), "cuStreamDestroy");
  return text("%d rounds, checksum %016llx", rounds, static_cast<unsigned long long>(checksum));
}

/// Contexts in two threads, launches in the primary context in others. At the end the primary context is
/// reset, and made again.
int contexts_in_threads(const Plan& plan) {
  Random random(plan.seed);
  std::vector<Part> parts;
  for (int i = 0; i < 2; ++i) {
    parts.push_back(
        {"contexts", [part = random.split(), rounds = plan.times(6)] { return contexts(part, rounds); }});
  }
  for (int i = random.between(1, 3); i > 0; --i) {
    parts.push_back({"lasting streams", [part = random.split(), launches = plan.times(20000)] {
                       return lasting_streams(part, launches);
                     }});
  }
  run_parts(parts);
  check(cudaDeviceReset(), "cudaDeviceReset");
  run_parts({{"after the reset", [part = random.split()] { return lasting_streams(part, 2000); }}});
  return 0;
}

int modules_in_threads(const Plan& plan) {
  Random random(plan.seed);
  std::vector<Part> parts;
  for (int i = random.between(1, 3); i > 0; --i) {
    parts.push_back(
        {"modules", [part = random.split(), rounds = plan.times(100)] { return modules(part, rounds); }});
  }
  parts.push_back({"lasting streams", [part = random.split(), launches = plan.times(20000)] {
                     return lasting_streams(part, launches);
                   }});
  run_parts(parts);
  return 0;
}

}  // namespace stress
