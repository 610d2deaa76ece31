// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Programs that are hard on a profiler which was loaded into them. What one does and prints depends on its
/// seed alone, not on time or on which thread came first, so that a run can be compared with another bit by
/// bit.
namespace stress {

struct Plan {
  std::uint64_t seed = 1;
  double scale = 1;        ///< how much of everything
  bool has_pauses = true;  ///< false where the number of launches in a second is wanted

  int times(int number) const;  ///< scaled, at least 1
};

/// The same numbers for the same seed, with every compiler.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {  // splitmix64
    std::uint64_t value = state_ += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
  }
  int below(int limit) { return static_cast<int>(next() % static_cast<std::uint64_t>(limit)); }
  int between(int first, int last) { return first + below(last - first + 1); }
  bool one_in(int number) { return below(number) == 0; }
  Random split() { return Random(next()); }

 private:
  std::uint64_t state_;
};

/// Ends the program at once with 9 if this is an error.
void check(cudaError_t status, const char* what = "CUDA");

/// A result that is not what it must be. The program then ends with 1.
[[gnu::format(printf, 1, 2)]] void wrong(const char* format, ...);
bool is_anything_wrong();

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...);

/// On standard output, in one piece.
void say(const std::string& line);

/// How often a kernel was launched with success, under the last part of its demangled name.
class Tally {
 public:
  explicit Tally(std::string name);
  void add(std::uint64_t launches = 1) { launches_.fetch_add(launches, std::memory_order_relaxed); }

 private:
  friend void write_launches(const char*);
  friend void forget_launches();
  std::string name_;
  std::atomic<std::uint64_t> launches_ = 0;
};

/// Appends all tallies, as one line of JSON, to the file that `STRESS_LAUNCHES` names. `seen` is "all" if a
/// profiler must have seen each of these launches, "some" if it may have seen fewer, and "more" if there are
/// others.
void write_launches(const char* seen);
void forget_launches();  ///< in a forked child

/// What runs in a thread of its own, and returns what is to be printed about it.
struct Part {
  std::string name;
  std::function<std::string()> run;
};

/// Runs all of them at once, and then says what each has returned, in this order.
void run_parts(const std::vector<Part>& parts);

/// Lets the thread sleep if the plan has pauses.
void pause(const Plan& plan, double seconds);

/// In kB, from /proc/self/status: `VmHWM`, `VmRSS`.
long memory_kb(const char* key);

}  // namespace stress
