// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <mutex>

namespace rooflinectl::injection {

/// The locks of this library, in the one order in which a thread takes them: each only while it holds none
/// that stands after it, and no other of the same line. Builds without NDEBUG check that.
///
/// Launching threads take those from `contexts` on. While one of these is held, nothing calls the driver,
/// CUPTI or the system, and nothing waits: they guard data, for some instructions. What takes long, and calls
/// of CUDA and CUPTI that must not overlap, is done by the thread that has the turn of a device
/// (`DeviceTurn`), which is no lock: those that wait for it do so for a limited time.
///
/// Outside of the order stand these, since within them no lock of it is taken:
/// - `Process::writer_mutex_`: by the first launch, while the thread that writes begins, and then by threads
///   that wait for that thread, for a limited time; they may hold `trace`
/// - `SamplingThread::mutex_`: for some instructions; whoever takes it may hold `timelines`
/// - `host_calls()` of `collector/cupti`: by the thread that has the turn of a device, and by those that
///   sample, while CUPTI decodes counters, with no lock of the order held
/// And `StandIn`'s, within which all others are taken: a thread that has something to be run holds none.
enum class LockOrder {
  timelines,  ///< the threads that sample devices
  trace,      ///< switching CUPTI's trace on and off
  queries,    ///< of the streams of a device that are asked whether they are idle
  delivery,   ///< what CUPTI delivers, on its threads or within a flush
  writing,    ///< the file of records on disk
  contexts,
  graphs,
  groups,
  device,    ///< the turn of a device, and its sessions
  measured,  ///< times for a session
  kernels,
  ranges,  ///< NVTX
  streams,
  announced,
  tallies,      ///< of launches that failed or were not traced
  graph_calls,  ///< how many of them are in progress
  records,      ///< not yet on disk
};

/// A mutex with its place in that order.
template <LockOrder kPlace>
class OrderedMutex {
 public:
  void lock() {
    check();
    mutex_.lock();
    take();
  }
  bool try_lock() {
    if (!mutex_.try_lock()) return false;
    take();
    return true;
  }
  void unlock() {
    release();
    mutex_.unlock();
  }

 private:
#ifdef NDEBUG
  void check() {}
  void take() {}
  void release() {}
#else
  static constexpr unsigned kBit = 1U << static_cast<unsigned>(kPlace);

  void check() {
    assert(held_locks() < kBit && "locks are taken out of order");
  }
  void take() {
    held_locks() |= kBit;
  }
  void release() {
    held_locks() &= ~kBit;
  }

  static unsigned& held_locks();
#endif

  std::mutex mutex_;
};

#ifdef NDEBUG
inline void require_no_lock_of_launches() {}
#else
/// The locks that the calling thread holds, by bit.
inline thread_local unsigned locks_of_this_thread = 0;

template <LockOrder kPlace>
unsigned& OrderedMutex<kPlace>::held_locks() {
  return locks_of_this_thread;
}

/// To be called where the driver, CUPTI or the system may take long.
inline void require_no_lock_of_launches() {
  assert(locks_of_this_thread < (1U << static_cast<unsigned>(LockOrder::contexts)) &&
         "a lock that launching threads take is held");
}
#endif

}  // namespace rooflinectl::injection
