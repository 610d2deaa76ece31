// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

namespace rooflinectl::injection {

/// A thread of ours that makes calls of CUDA in place of a thread of the program, which waits in a callback
/// meanwhile. CUPTI takes calls within a call for parts of that one: it gives them its number, and traces
/// kernels that are launched while a graph is being launched as nodes of that graph. It must live until the
/// process ends. Member functions may be called from any thread.
class StandIn {
 public:
  /// Runs it on that thread, and waits. Throws what it throws, and std::system_error if there can be no more
  /// threads. In a forked child there is no such thread, and nothing may be run.
  void run(const std::function<void()>& work);

 private:
  void work();

  std::mutex turn_;  // of those that have something to be run
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_thread_ = false;
  const std::function<void()>* work_ = nullptr;
  std::exception_ptr error_;
};

}  // namespace rooflinectl::injection
