// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/stress/stress.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "tests/gpu/stress/lanes.h"

namespace stress {

namespace {

// Never destroyed: other threads launch while the program exits.
std::atomic<bool> has_wrong = false;
double launching_s = 0;

std::vector<Tally*>& tallies() {
  static auto* const all = new std::vector<Tally*>;
  return *all;
}

std::mutex& tallies_mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

std::string formatted(const char* format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  std::string result(static_cast<std::size_t>(std::vsnprintf(nullptr, 0, format, arguments)), '\0');
  std::vsnprintf(result.data(), result.size() + 1, format, again);
  va_end(again);
  return result;
}

}  // namespace

int Plan::times(int number) const {
  return std::max(1, static_cast<int>(std::lround(number * scale)));
}

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "stress: %s: %s\n", what, cudaGetErrorString(status));
  _exit(9);
}

void wrong(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const std::string message = formatted(format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "stress: WRONG: %s\n", message.c_str());
  has_wrong = true;
}

bool is_anything_wrong() {
  return has_wrong;
}

std::string text(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string result = formatted(format, arguments);
  va_end(arguments);
  return result;
}

void say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

Tally::Tally(std::string name) : name_(std::move(name)) {
  const std::lock_guard lock(tallies_mutex());
  tallies().push_back(this);
}

void write_launches(const char* seen) {
  const char* const path = std::getenv("STRESS_LAUNCHES");
  if (path == nullptr) return;
  std::string line =
      text(R"({"seen": "%s", "seconds": %.6f, "VmHWM_kb": %ld, "VmRSS_kb": %ld, "launches": {)", seen,
           launching_s, memory_kb("VmHWM"), memory_kb("VmRSS"));
  {
    const std::lock_guard lock(tallies_mutex());
    const char* separator = "";
    for (const Tally* tally : tallies()) {
      const std::uint64_t launches = tally->launches_;
      if (launches == 0) continue;
      line +=
          text(R"(%s"%s": %llu)", separator, tally->name_.c_str(), static_cast<unsigned long long>(launches));
      separator = ", ";
    }
  }
  line += "}}\n";
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0 || write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    std::fprintf(stderr, "stress: %s: %s\n", path, std::strerror(errno));
  }
  if (file >= 0) close(file);
}

void forget_launches() {
  for (Tally* tally : tallies()) tally->launches_ = 0;
}

void run_parts(const std::vector<Part>& parts) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> results(parts.size());
  std::vector<std::thread> threads;
  threads.reserve(parts.size() + 1);
  if (const char* const after_s = std::getenv("STRESS_COLLECTIVE_AFTER_S")) {
    threads.emplace_back([after_s] {
      std::this_thread::sleep_for(std::chrono::duration<double>(std::atof(after_s)));
      launch_collective();
    });
  }
  for (std::size_t part = 0; part < parts.size(); ++part) {
    threads.emplace_back([&, part] { results[part] = parts[part].run(); });
  }
  for (std::thread& thread : threads) thread.join();
  launching_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (std::size_t part = 0; part < parts.size(); ++part) {
    say(text("%zu %s: %s", part, parts[part].name.c_str(), results[part].c_str()));
  }
}

void pause(const Plan& plan, double seconds) {
  if (plan.has_pauses) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

long memory_kb(const char* key) {
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  long value = 0;
  char line[256];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, key, std::strlen(key)) == 0) value = std::atol(line + std::strlen(key) + 1);
  }
  std::fclose(file);
  return value;
}

}  // namespace stress
