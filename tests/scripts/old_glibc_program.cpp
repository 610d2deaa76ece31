// SPDX-License-Identifier: Apache-2.0
//
// Calls what collector/old_glibc puts in the place of glibc's functions, and prints what went wrong.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

namespace {

using namespace std::chrono_literals;

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  ++failures;
}

struct Constructed {
  int value = 7;
};
const auto constructed = std::make_shared<Constructed>();

void wait_with_a_limit() {
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  const auto start = std::chrono::steady_clock::now();
  expect(!condition.wait_for(lock, 50ms, [] { return false; }), "a wait ends");
  const auto waited = std::chrono::steady_clock::now() - start;
  expect(waited >= 50ms && waited < 10s, "a wait ends at its limit");

  bool told = false;
  std::thread other([&] {
    const std::lock_guard guard(mutex);
    told = true;
    condition.notify_one();
  });
  expect(condition.wait_for(lock, 60s, [&] { return told; }), "a wait ends when told");
  lock.unlock();
  other.join();
}

void threads() {
  std::atomic<int> calls = 0;
  static std::once_flag once;
  std::thread joined([&] { std::call_once(once, [&] { ++calls; }); });
  joined.join();
  std::call_once(once, [&] { ++calls; });
  expect(calls == 1, "call_once calls once");

  std::thread([&] { ++calls; }).detach();
  while (calls < 2) std::this_thread::yield();

  pthread_key_t key{};
  int value = 3;
  expect(pthread_key_create(&key, nullptr) == 0 && pthread_setspecific(key, &value) == 0 &&
             pthread_getspecific(key) == &value && pthread_key_delete(key) == 0,
         "values of threads");

  std::mutex mutex;
  expect(mutex.try_lock() && !mutex.try_lock(), "try_lock");
  mutex.unlock();

  sigset_t signals{};
  sigset_t blocked{};
  sigaddset(&signals, SIGUSR1);
  expect(pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0 &&
             pthread_sigmask(SIG_BLOCK, nullptr, &blocked) == 0 && sigismember(&blocked, SIGUSR1) == 1,
         "signals are blocked");
}

void files() {
  struct stat folder {};
  struct stat link {};
  struct stat input {};
  expect(stat("/", &folder) == 0 && S_ISDIR(folder.st_mode), "stat");
  expect(lstat("/proc/self", &link) != 0 || S_ISLNK(link.st_mode), "lstat");
  expect(fstat(0, &input) == 0 && input.st_mode != 0, "fstat");
}

void libraries() {
  void* const library = dlopen("libm.so.6", RTLD_NOW);
  void* const cosine = library == nullptr ? nullptr : dlsym(library, "cos");
  Dl_info information{};
  expect(cosine != nullptr && dladdr(cosine, &information) != 0 &&
             std::string_view(information.dli_fname).find("libm.so.6") != std::string_view::npos,
         "dlopen, dlsym, dladdr");
  expect(dlclose(library) == 0, "dlclose");
  expect(dlopen("/nowhere.so", RTLD_NOW) == nullptr && std::string_view(dlerror()).find("/nowhere.so") == 0,
         "dlerror");
}

}  // namespace

int main() {
  expect(constructed->value == 7, "constructors ran");
  wait_with_a_limit();
  threads();
  files();
  libraries();
  return failures == 0 ? 0 : 1;
}
