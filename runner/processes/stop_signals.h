// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <optional>

namespace rooflinectl {

/// While an object of this class lives, Ctrl-C (SIGINT) and SIGTERM do not end the program: they make `fd()`
/// readable, so that what was measured can be kept. Where one lives within another, a signal is taken by the
/// one that asks first. Throws Error(environment).
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The descriptor to poll().
  int fd() const { return fd_; }
  /// The signal that came, if one did.
  std::optional<int> take();
  /// Sends `signal` again, for another object of this class: of several that wait, in threads of their own,
  /// only one takes it.
  static void pass_on(int signal);

 private:
  sigset_t previous_mask_{};
  int fd_ = -1;
};

}  // namespace rooflinectl
