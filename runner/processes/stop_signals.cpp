// SPDX-License-Identifier: Apache-2.0
#include "runner/processes/stop_signals.h"

#include <fmt/format.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace rooflinectl {

StopSignals::StopSignals() {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGINT);
  sigaddset(&mask, SIGTERM);
  sigprocmask(SIG_BLOCK, &mask, &previous_mask_);
  fd_ = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ < 0) {
    const int error = errno;
    sigprocmask(SIG_SETMASK, &previous_mask_, nullptr);
    throw Error(ErrorKind::environment, fmt::format("signalfd failed: {}", std::strerror(error)));
  }
}

StopSignals::~StopSignals() {
  close(fd_);
  sigprocmask(SIG_SETMASK, &previous_mask_, nullptr);
}

std::optional<int> StopSignals::take() {
  signalfd_siginfo info{};
  if (read(fd_, &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

void StopSignals::pass_on(int signal) {
  kill(getpid(), signal);
}

}  // namespace rooflinectl
