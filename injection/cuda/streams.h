// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "injection/lock_order.h"

namespace rooflinectl::injection {

/// The streams that a process has on its devices. Member functions may be called from any thread.
class Streams {
 public:
  static constexpr int kUnknownDevice = -1;

  void add(CUcontext context, int device, CUstream stream);
  /// The stream is destroyed. Waits for nothing.
  void remove(CUstream stream);
  /// The context is destroyed, and its streams with it.
  void remove(CUcontext context);

  /// While one of these lives, streams are not asked whether they are idle: they are being destroyed. It
  /// begins once nobody asks any more, so nothing of the driver may be locked then.
  class Closing {
   public:
    explicit Closing(Streams& streams) : streams_(streams) {
      ++streams_.closing_;
      const std::lock_guard wait(streams_.queries_);
    }
    ~Closing() { --streams_.closing_; }
    Closing(const Closing&) = delete;
    Closing& operator=(const Closing&) = delete;

   private:
    Streams& streams_;
  };

  /// Whether all work given to a device, or to all, is done. It counts as not done while a stream is being
  /// captured into a graph, since asking would spoil the capture, and while streams are being destroyed.
  /// Throws Error(environment) if work has failed, so that nothing will ever be done.
  bool are_idle(std::optional<int> device);

 private:
  using Stream = std::pair<CUcontext, CUstream>;

  OrderedMutex<LockOrder::queries> queries_;  // while streams are asked
  std::atomic<int> closing_ = 0;
  std::atomic<std::uint64_t> removals_{1};
  OrderedMutex<LockOrder::streams> mutex_;  // guards what follows
  std::map<Stream, int> streams_;           // their devices
};

/// Whether launches on this stream go into a graph that is being captured, and so are not executed.
bool is_captured(CUstream stream);

/// Lets this thread call the driver although a thread captures a graph.
class RelaxedCapture {
 public:
  RelaxedCapture() { cuThreadExchangeStreamCaptureMode(&mode_); }
  ~RelaxedCapture() { cuThreadExchangeStreamCaptureMode(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  // and then the one to go back to
};

}  // namespace rooflinectl::injection
