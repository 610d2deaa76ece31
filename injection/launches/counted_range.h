// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

namespace rooflinectl::injection {

/// What a range around a launch needs of CUDA, CUPTI and the clock. No function waits for the GPU.
struct RangeCalls {
  std::function<bool()> idle;  ///< whether all work that the process has given to the device is done
  std::function<void()> open;  ///< CUPTI's range; only while idle
  /// Closes CUPTI's range if the device is idle, and lets no launch come in between. Returns whether it did.
  std::function<bool()> close_if_idle;
  std::function<void()> pause;  ///< between two checks whether the device is idle
  std::function<double()> now_s;
};

/// A counter range around one launch that never makes the program wait for its own GPU for longer than the
/// given limit. Opening and closing a range wait until the device is idle. A kernel that itself waits for a
/// later launch, for the host, or for another GPU would wait for ever; so both are done only where the device
/// is seen to be idle. Not thread-safe.
class CountedRange {
 public:
  explicit CountedRange(RangeCalls calls) : calls_(std::move(calls)) {}

  enum class Opening {
    opened,
    busy,     ///< the device was not idle in time
    blocked,  ///< the range of an earlier launch is still open, since that launch is not done
  };
  /// Before the launch.
  Opening open(double limit_s);

  /// After the launch. Returns whether it was done in time, and with it the range. If not, the range counts
  /// other launches too: it is void, and stays open until a later `open` or `close_if_idle` finds the device
  /// idle.
  bool close(double limit_s);

  /// Closes a void range if that is possible now.
  void close_if_idle();

  /// Whether the device is idle, or becomes so in time.
  bool wait_until_idle(double limit_s) const { return comes_true(calls_.idle, limit_s); }

  bool is_open() const { return is_open_; }

 private:
  bool comes_true(const std::function<bool()>& condition, double limit_s) const;

  RangeCalls calls_;
  bool is_open_ = false;
};

}  // namespace rooflinectl::injection
