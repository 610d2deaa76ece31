// SPDX-License-Identifier: Apache-2.0
// Children: some only open ranges while other threads of the parent open ranges and launch, some use CUDA
// themselves.

#include <dirent.h>
#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/gpu/stress/scenarios.h"

namespace stress {

namespace {

constexpr std::chrono::seconds kChildLimit{20};

void show_file(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return;
  std::array<char, 1024> content{};
  const std::size_t size = std::fread(content.data(), 1, content.size() - 1, file);
  std::fclose(file);
  std::fprintf(stderr, "%s: %.*s\n", path.c_str(), static_cast<int>(size), content.data());
}

void show_threads(pid_t process) {
  const std::string folder = text("/proc/%d/task", static_cast<int>(process));
  DIR* const tasks = opendir(folder.c_str());
  if (tasks == nullptr) return;
  while (const dirent* task = readdir(tasks)) {
    if (task->d_name[0] == '.') continue;
    for (const char* file : {"comm", "wchan", "syscall", "stack"})
      show_file(folder + "/" + task->d_name + "/" + file);
  }
  closedir(tasks);
}

void open_ranges(int number) {
  nvtxRangePushA("child");
  for (int i = 0; i < 20; ++i) {
    nvtxRangePushA(text("item %d of child %d", i, number).c_str());
    const nvtxRangeId_t range = nvtxRangeStartA("decode");
    nvtxMarkA("mark");
    nvtxRangeEnd(range);
    nvtxRangePop();
  }
  nvtxRangePop();
}

/// Ends the child after CUDA is up in the parent, whose other threads may be anywhere.
[[noreturn]] void end_at_once(Random random, int number) {
  open_ranges(number);
  switch (random.below(4)) {
    case 0:
      raise(SIGKILL);
      [[fallthrough]];
    case 1:
      execl("/proc/self/exe", "stress", "nothing", nullptr);
      _exit(99);
    default:
      _exit(number % 100);
  }
}

/// Without other threads, exit() with all of its handlers must work, too.
[[noreturn]] void end_in_quiet(Random random, int number) {
  open_ranges(number);
  switch (random.below(4)) {
    case 0:
      std::exit(number % 100);
    case 1:
      std::quick_exit(number % 100);
    case 2:
      std::abort();
    default:
      _exit(number % 100);
  }
}

std::string counted(const std::vector<int>& codes) {
  std::uint64_t checksum = 0;
  int hung = 0;
  for (const int code : codes) {
    if (code < 0) ++hung;
    checksum = checksum * 131 + static_cast<std::uint64_t>(code);
  }
  if (hung > 0) wrong("%d children hung", hung);
  return text("%zu children, %d hung, checksum of exit codes %016llx", codes.size(), hung,
              static_cast<unsigned long long>(checksum));
}

template <typename End>
std::string forked(Random random, int count, End end) {
  std::vector<int> codes;
  int hung = 0;
  for (int i = 0; i < count && hung < 3; ++i) {
    const Random of_child = random.split();
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) end(of_child, i);
    codes.push_back(end_of_child(child));
    if (codes.back() < 0) ++hung;
  }
  return counted(codes);
}

}  // namespace

int end_of_child(int child) {
  const auto limit = std::chrono::steady_clock::now() + kChildLimit;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) != child) {
    if (std::chrono::steady_clock::now() > limit) {
      std::fprintf(stderr, "stress: child %d hangs\n", child);
      show_threads(child);
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string children(Random random, int children) {
  return forked(random, children, end_at_once);
}

/// Children of a quiet process, then children while other threads open ranges and launch.
int forks(const Plan& plan) {
  Random random(plan.seed);
  nvtxInitialize(nullptr);
  {
    Lane lane;
    Stream stream(random);
    for (int i = 0; i < 100; ++i) lane.launch(i, 8, stream);
    lane.check(stream);
  }
  say("quiet: " + forked(random.split(), plan.times(20), end_in_quiet));

  std::atomic<bool> is_over = false;
  std::vector<std::thread> others;
  for (int i = random.between(1, 4); i > 0; --i) {
    others.emplace_back([&is_over, i] {
      for (int j = 0; !is_over; ++j) {
        nvtxRangePushA(i % 2 == 0 ? "data" : text("data %d", j).c_str());
        const nvtxRangeId_t range = nvtxRangeStartA("started");
        nvtxRangeEnd(range);
        nvtxRangePop();
      }
    });
  }
  for (int i = random.between(1, 3); i > 0; --i) {
    others.emplace_back([&is_over, part = random.split()]() mutable {
      Lane lane;
      Stream stream(part);
      while (!is_over) {
        nvtxRangePushA("train");
        lane.launch(part.below(kKernels), static_cast<unsigned>(part.between(1, 100)), stream);
        nvtxRangePop();
        if (part.one_in(16)) stream.wait();
      }
      lane.check(stream);
    });
  }
  run_parts({{"busy", [part = random.split(), count = plan.times(150)] { return children(part, count); }}});
  is_over = true;
  for (std::thread& other : others) other.join();
  return 0;
}

/// Children from before CUDA, which use it themselves; NVTX may be up already. Some have children, too.
int early_forks(const Plan& plan) {
  Random random(plan.seed);
  if (random.one_in(2)) {
    nvtxRangePushA("before");
    nvtxRangePop();
  }
  std::vector<pid_t> started;
  for (int i = random.between(1, 4); i > 0; --i) {
    Random of_child = random.split();
    std::fflush(stdout);
    started.push_back(fork());
    if (started.back() != 0) continue;
    forget_launches();
    const bool has_child = of_child.one_in(2);
    const pid_t grandchild = has_child ? fork() : -1;
    if (grandchild == 0) of_child = of_child.split();
    open_ranges(i);
    lasting_streams(of_child, plan.times(3000));
    write_launches("some");
    int code = is_anything_wrong() ? 1 : 20 + i;
    if (has_child && grandchild != 0 && end_of_child(grandchild) != code) code = 2;
    if (of_child.one_in(2)) _exit(code);
    std::exit(code);
  }
  run_parts({{"parent", [part = random.split(), &plan] { return lasting_streams(part, plan.times(3000)); }}});
  std::vector<int> codes;
  codes.reserve(started.size());
  for (const pid_t child : started) codes.push_back(end_of_child(child));
  say(counted(codes));
  return 0;
}

}  // namespace stress
