// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/error.h"
#include "core/files/files.h"
#include "runner/processes/processes.h"

namespace rooflinectl {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kTick = 200ms;
constexpr auto kTimeToEnd = 5s;
constexpr std::array kPassedOn = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
constexpr int kSignalOffset = 128;

/// While this lives, signals to us are read here instead of acting on us.
class Signals {
 public:
  Signals() {
    sigset_t mask;
    sigemptyset(&mask);
    for (const int number : kPassedOn) sigaddset(&mask, number);
    sigaddset(&mask, SIGCHLD);
    sigprocmask(SIG_BLOCK, &mask, &before_);
    fd_ = FileDescriptor(signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd_.is_open()) {
      const int error = errno;
      sigprocmask(SIG_SETMASK, &before_, nullptr);
      throw Error(ErrorKind::environment, fmt::format("signalfd failed: {}", std::strerror(error)));
    }
  }
  ~Signals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// The mask that the program starts with.
  const sigset_t& before() const { return before_; }

  /// The next signal, for which it waits no longer than a tick.
  std::optional<signalfd_siginfo> next() const {
    pollfd polled{fd_.get(), POLLIN, 0};
    poll(&polled, 1, static_cast<int>(kTick.count()));
    signalfd_siginfo info{};
    if (read(fd_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
    return info;
  }

 private:
  sigset_t before_{};
  FileDescriptor fd_;
};

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Our environment with that of the program, as `NAME=value`.
std::vector<std::string> environment_of(const GuestProgram& program) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (!program.environment.contains(text.substr(0, text.find('=')))) variables.push_back(text);
  }
  for (const auto& [name, value] : program.environment)
    variables.push_back(fmt::format("{}={}", name, value));
  return variables;
}

Error cannot_start(const GuestProgram& program, int error) {
  const std::string& name = program.command.front();
  if (program.folder && !std::filesystem::is_directory(*program.folder)) {
    return Error(ErrorKind::usage,
                 fmt::format("{} cannot be run in {}: no such folder", name, program.folder->string()));
  }
  if (error == ENOENT) {
    return Error(ErrorKind::usage, fmt::format("{}: no such program", name),
                 name.find('/') == std::string::npos ? "name its folder too, or add it to the PATH" : "");
  }
  if (error == ENOEXEC) {
    return Error(ErrorKind::usage, fmt::format("{} is not a program", name),
                 "put the interpreter before a script, or start the script with a #! line");
  }
  return Error(ErrorKind::usage, fmt::format("{} cannot be run: {}", name, std::strerror(error)));
}

pid_t start(const GuestProgram& program, const sigset_t& mask) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (program.folder) posix_spawn_file_actions_addchdir_np(&actions, program.folder->c_str());
  if (program.output_is_error) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&attributes, &mask);
  sigset_t ignored_by_us;
  sigemptyset(&ignored_by_us);
  for (const int number : {SIGPIPE, SIGXFSZ}) sigaddset(&ignored_by_us, number);
  posix_spawnattr_setsigdefault(&attributes, &ignored_by_us);

  std::vector<std::string> words = program.command;
  std::vector<std::string> variables = environment_of(program);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, program.command.front().c_str(), &actions, &attributes,
                                 pointers_to(words).data(), pointers_to(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw cannot_start(program, error);
  return pid;
}

}  // namespace

int GuestEnd::exit_code() const {
  return WIFSIGNALED(wait_status) ? kSignalOffset + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

GuestEnd run_guest(const GuestProgram& program, std::optional<std::chrono::duration<double>> limit,
                   const std::function<void()>& tick) {
  const Signals signals;
  const Clock::time_point begin = Clock::now();
  const pid_t pid = start(program, signals.before());
  GuestEnd end;
  std::optional<Clock::time_point> asked_to_end;
  int interruptions = 0;
  while (waitpid(pid, &end.wait_status, WNOHANG) != pid) {
    if (const auto signal = signals.next(); signal && signal->ssi_signo != SIGCHLD) {
      const int number = static_cast<int>(signal->ssi_signo);
      end.interrupted = true;
      if (number == SIGINT && ++interruptions > 1) {
        kill(pid, SIGKILL);
      } else if (signal->ssi_code != SI_KERNEL) {  // the terminal has sent its signals to the program too
        kill(pid, number);
      }
    }
    tick();
    const Clock::time_point now = Clock::now();
    if (limit && !asked_to_end && now - begin > *limit) {
      end.timed_out = true;
      asked_to_end = now;
      kill(pid, SIGTERM);
    } else if (asked_to_end && now - *asked_to_end > kTimeToEnd) {
      kill(pid, SIGKILL);
    }
  }
  end.wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
  return end;
}

}  // namespace rooflinectl
