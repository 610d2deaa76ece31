// SPDX-License-Identifier: Apache-2.0
// Every road by which a process ends, while its threads launch.

#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "tests/gpu/stress/scenarios.h"

namespace stress {

namespace {

/// Once the process ends, launches may fail: then the thread does nothing more.
std::atomic<bool> is_ending = false;

[[noreturn]] void wait_for_the_end() {
  while (true) ::pause();
}

extern "C" const char __executable_start;
extern "C" const char etext;

thread_local bool is_launching = false;
std::atomic<bool> is_in_exit = false;

/// exit() ends the CUDA runtime, which is linked into this program: a launch in another thread may then crash
/// in it, and that thread does nothing more.
void on_fault(int signal, siginfo_t* /*what*/, void* where) {
  const auto place = static_cast<ucontext_t*>(where)->uc_mcontext.gregs[REG_RIP];
  const auto address = [](const char& symbol) { return reinterpret_cast<greg_t>(&symbol); };
  const bool is_here = place >= address(__executable_start) && place < address(etext);
  if (is_launching && is_in_exit && is_here) wait_for_the_end();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

/// Launches until the process ends.
[[noreturn]] void launch_for_ever(Random random) {
  is_launching = true;
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  auto* const lane = new Lane;  // never freed
  for (int i = 0;; ++i) {
    nvtxRangePushA(text("launch %d", i % 100).c_str());
    cudaError_t status =
        launch(random.below(kKernels), static_cast<unsigned>(random.between(1, 64)), lane->data(), stream);
    if (status == cudaSuccess && i % 32 == 31) status = cudaStreamSynchronize(stream);
    nvtxRangePop();
    if (status == cudaSuccess) continue;
    if (is_ending) wait_for_the_end();
    check(status, "launch");
  }
}

/// Works for a while, known by the seed, then leaves threads that launch.
Random begin(const Plan& plan, const char* road, bool has_threads = true) {
  Random random(plan.seed);
  run_parts({{road, [part = random.split(), &plan] { return lasting_streams(part, plan.times(5000)); }}});
  if (is_anything_wrong()) _exit(1);
  if (has_threads) {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    std::atexit([] { is_in_exit = true; });  // before what was registered earlier
    for (int i = random.between(1, 4); i > 0; --i) std::thread(launch_for_ever, random.split()).detach();
  }
  // At any time of what counters are collected in, and long enough for the first launches to be on disk.
  pause(plan, 0.5 + 0.001 * random.below(2500));
  is_ending = true;
  return random;
}

extern "C" void exit_on_signal(int) {
  std::exit(0);
}

}  // namespace

int exit_by_return(const Plan& plan) {
  begin(plan, "return", false);
  write_launches("all");
  return 40;
}

int exit_beside_launches(const Plan& plan) {
  begin(plan, "return beside launches");
  return 41;
}

int exit_in_thread(const Plan& plan) {
  begin(plan, "exit() in a thread");
  std::thread([] { std::exit(42); }).detach();
  wait_for_the_end();
}

int exit_at_once(const Plan& plan) {
  begin(plan, "_exit()");
  _exit(43);
}

int exit_quickly(const Plan& plan) {
  begin(plan, "quick_exit()");
  std::quick_exit(44);
}

int exit_by_abort(const Plan& plan) {
  begin(plan, "abort()");
  std::abort();
}

/// As a server does.
int exit_by_handler(const Plan& plan) {
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &term, nullptr);  // in threads that are started
  signal(SIGTERM, exit_on_signal);
  begin(plan, "exit() by a handler of SIGTERM");
  kill(getpid(), SIGTERM);
  sigset_t none;
  sigemptyset(&none);
  while (true) sigsuspend(&none);
}

int exit_by_kill(const Plan& plan) {
  begin(plan, "SIGKILL");
  kill(getpid(), SIGKILL);
  wait_for_the_end();
}

int exit_by_segmentation_fault(const Plan& plan) {
  begin(plan, "SIGSEGV");
  raise(SIGSEGV);
  return 45;
}

int exit_by_exception(const Plan& plan) {
  begin(plan, "exception");
  std::thread([] { throw std::runtime_error("nobody catches it"); }).join();
  return 46;
}

/// With or without more work after it.
int exit_after_reset(const Plan& plan) {
  Random random = begin(plan, "reset", false);
  for (int i = random.below(3); i >= 0; --i) {
    check(cudaDeviceReset(), "cudaDeviceReset");
    if (i > 0) say(lasting_streams(random.split(), plan.times(2000)));
  }
  write_launches("all");
  return 47;
}

/// The main thread ends long before the process: one of the others then ends that, since CUDA has threads,
/// too, that never end.
int exit_after_main_thread(const Plan& plan) {
  Random random = begin(plan, "end of the main thread");
  std::thread([part = random.split(), launches = plan.times(5000)] {
    say(lasting_streams(part, launches));
    std::exit(50);
  }).detach();
  pthread_exit(nullptr);
}

/// Beside threads that launch, into another scenario.
int exit_by_exec(const Plan& plan) {
  Random random = begin(plan, "exec");
  write_launches("more");  // the threads go on
  const std::string seed = text("%d", random.below(1000));
  const std::string scale = text("%f", plan.scale / 4);
  execl("/proc/self/exe", "stress", "threads", "--seed", seed.c_str(), "--scale", scale.c_str(), nullptr);
  return 48;
}

int exit_after_illegal_address(const Plan& plan) {
  begin(plan, "illegal address");
  launch_to_nowhere();
  say(cudaGetErrorString(cudaDeviceSynchronize()));
  return 49;
}

}  // namespace stress
