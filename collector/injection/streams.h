// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <mutex>
#include <set>
#include <utility>

namespace rooflinectl::injection {

/// The streams that a process has on all of its devices. Member functions may be called from any thread.
class Streams {
 public:
  void add(CUcontext context, CUstream stream);
  void remove(CUcontext context, CUstream stream);
  /// The context is destroyed, and its streams with it.
  void remove(CUcontext context);

  /// Whether all work given to the process's devices is done. It counts as not done while a stream is being
  /// captured into a graph, since asking would spoil the capture.
  bool are_idle() const;

 private:
  mutable std::mutex mutex_;
  std::set<std::pair<CUcontext, CUstream>> streams_;
};

/// Whether launches on this stream go into a graph that is being captured, and so are not executed.
bool is_captured(CUstream stream);

}  // namespace rooflinectl::injection
