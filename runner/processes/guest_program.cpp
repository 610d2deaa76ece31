// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/error.h"
#include "runner/processes/processes.h"

namespace rooflinectl {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kTick = 200ms;
constexpr auto kTimeToEnd = 5s;
constexpr int kSignalOffset = 128;

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
  const StopSignals signals({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD});
  const Clock::time_point begin = Clock::now();
  const pid_t pid = start(program, signals.previous_mask());
  GuestEnd end;
  std::optional<Clock::time_point> asked_to_end;
  int interruptions = 0;
  while (waitpid(pid, &end.wait_status, WNOHANG) != pid) {
    pollfd polled{signals.fd(), POLLIN, 0};
    poll(&polled, 1, static_cast<int>(kTick.count()));
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
