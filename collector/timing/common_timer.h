// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace rooflinectl {

/// A stream of a device, as CUDA numbers them.
struct DeviceStream {
  int device = 0;
  cudaStream_t stream = nullptr;
};

/// Times what several devices do together, from a common start to the last one's end, on the clock of the
/// first. Other devices hear of the start, and the first one of their end, some microseconds later.
class CommonTimer {
 public:
  /// The streams must outlive this.
  explicit CommonTimer(std::vector<DeviceStream> streams);
  ~CommonTimer();
  CommonTimer(const CommonTimer&) = delete;
  CommonTimer& operator=(const CommonTimer&) = delete;

  /// Seconds that what `enqueue` puts on the streams takes. None of it begins within `delay_ns`, in which all
  /// of it should be enqueued. Throws Error if it fails.
  double seconds(std::uint64_t delay_ns, const std::function<void()>& enqueue);

 private:
  struct Events;

  std::vector<DeviceStream> streams_;
  std::unique_ptr<Events> events_;
};

}  // namespace rooflinectl
