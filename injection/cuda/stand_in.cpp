// SPDX-License-Identifier: Apache-2.0
#include "injection/cuda/stand_in.h"

#include <utility>

#include "collector/sampling/sampling_thread.h"
#include "injection/process.h"

namespace rooflinectl::injection {

void StandIn::run(const std::function<void()>& work) {
  const std::lock_guard turn(turn_);
  std::unique_lock lock(mutex_);
  if (!has_thread_) {
    own_thread([this] { this->work(); }).detach();
    has_thread_ = true;
  }
  work_ = &work;
  changed_.notify_all();
  changed_.wait(lock, [this] { return work_ == nullptr; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void StandIn::work() {
  OurOwnCall::on_this_thread();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return work_ != nullptr; });
    lock.unlock();
    std::exception_ptr error;
    try {
      (*work_)();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    error_ = error;
    work_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace rooflinectl::injection
