// SPDX-License-Identifier: Apache-2.0
#include "runner/processes/processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>
#include <utility>

#include "core/error.h"

namespace rooflinectl {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kReadBytes = 65536;
constexpr std::size_t kMaxLogLineBytes = 65536;
constexpr auto kGrace = 2s;
constexpr auto kReapInterval = 50ms;

[[noreturn]] void fail(std::string_view call) {
  throw Error(ErrorKind::environment, fmt::format("{} failed: {}", call, std::strerror(errno)));
}

/// Two connected ends, one for each process.
struct Channel {
  FileDescriptor child;
  FileDescriptor ours;
};

/// What we write to is a socket rather than a pipe: it can be written to without SIGPIPE.
Channel make_input_channel() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("socketpair");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Channel make_output_channel() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
  return {FileDescriptor(ends[1]), FileDescriptor(ends[0])};
}

/// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become(const char* executable, char* const* arguments, int input, int output, int log) {
  setpgid(0, 0);                     // its own group: Ctrl-C reaches us, and we end it in order
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // it never outlives us
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int ignored_by_us : {SIGPIPE, SIGXFSZ}) signal(ignored_by_us, SIG_DFL);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execv(executable, arguments);
  const char* const cause = strerrordesc_np(errno);
  for (const char* text : {"cannot run ", executable, ": ", cause, "\n"}) {
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) break;
  }
  _exit(127);
}

}  // namespace

// ---- LineBuffer ----

void LineBuffer::append(std::string_view bytes) {
  bytes_.erase(0, start_);
  scanned_ -= start_;
  start_ = 0;
  bytes_ += bytes;
}

std::optional<std::string> LineBuffer::next_line() {
  const std::size_t newline = bytes_.find('\n', scanned_);
  if (newline == std::string::npos) {
    scanned_ = bytes_.size();
    return std::nullopt;
  }
  std::string line = bytes_.substr(start_, newline - start_);
  start_ = scanned_ = newline + 1;
  return line;
}

std::string LineBuffer::take_rest() {
  std::string rest = bytes_.substr(start_);
  start_ = scanned_ = bytes_.size();
  return rest;
}

// ---- CollectorProcess ----

CollectorProcess::CollectorProcess(const std::filesystem::path& executable,
                                   const std::vector<std::string>& arguments, std::string input)
    : input_(std::move(input)) {
  Channel input_channel = make_input_channel();
  Channel output_channel = make_output_channel();
  Channel log_channel = make_output_channel();

  std::vector<std::string> words = {executable.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<char*> argv = pointers_to(words);

  pid_ = fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) {
    become(executable.c_str(), argv.data(), input_channel.child.get(), output_channel.child.get(),
           log_channel.child.get());
  }
  setpgid(pid_, pid_);  // in both processes, so that it is done whichever runs first

  input_fd_ = std::move(input_channel.ours);
  output_fd_ = std::move(output_channel.ours);
  log_fd_ = std::move(log_channel.ours);
  for (const FileDescriptor* fd : {&input_fd_, &output_fd_, &log_fd_}) {
    fcntl(fd->get(), F_SETFL, fcntl(fd->get(), F_GETFL) | O_NONBLOCK);
  }
}

CollectorProcess::~CollectorProcess() {
  if (!wait_status_) kill_and_wait();
}

CollectorProcess::Event CollectorProcess::next(Clock::time_point deadline, int stop_fd) {
  while (true) {
    if (auto event = buffered_event()) return *std::move(event);
    reap();

    std::array<pollfd, 4> fds = {pollfd{output_fd_.get(), POLLIN, 0}, pollfd{log_fd_.get(), POLLIN, 0},
                                 pollfd{sent_ < input_.size() ? input_fd_.get() : -1, POLLOUT, 0},
                                 pollfd{stop_fd, POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    const auto wait = wait_status_ ? 0ms : std::clamp<std::chrono::milliseconds>(left, 0ms, kReapInterval);
    poll(fds.data(), fds.size(), static_cast<int>(wait.count()));

    if (fds[3].revents != 0) return StopRequested{};
    send_input();
    const Read output = read_from(output_fd_, output_);
    const Read log = read_from(log_fd_, log_);
    if (output == Read::some) continue;
    if (wait_status_ && log == Read::nothing) {
      if (log_.unfinished_bytes() > 0) return LogLine{log_.take_rest()};
      return Exited{*wait_status_};
    }
    if (!wait_status_ && Clock::now() >= deadline) return TimedOut{};
  }
}

void CollectorProcess::ask_to_end() {
  reap();
  if (!wait_status_) kill(pid_, SIGTERM);
}

void CollectorProcess::end() {
  ask_to_end();
  if (wait_status_) return;
  const Clock::time_point deadline = Clock::now() + kGrace;
  for (reap(); !wait_status_ && Clock::now() < deadline; reap()) std::this_thread::sleep_for(10ms);
  if (!wait_status_) kill_and_wait();
}

std::optional<CollectorProcess::Event> CollectorProcess::buffered_event() {
  if (auto line = output_.next_line()) return Line{*std::move(line)};
  if (output_.unfinished_bytes() > kMaxLineBytes) return LineTooLong{};
  if (auto line = log_.next_line()) return LogLine{*std::move(line)};
  if (log_.unfinished_bytes() > kMaxLogLineBytes) return LogLine{log_.take_rest()};
  return std::nullopt;
}

void CollectorProcess::reap() {
  if (wait_status_) return;
  siginfo_t ended{};
  const int found = waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
  if (found != 0 || ended.si_pid != pid_) return;
  kill_and_wait();
}

/// Also any processes that it started and left behind: its id, and so its group's, stays taken until it is
/// waited for.
void CollectorProcess::kill_and_wait() {
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  int status = 0;
  waitpid(pid_, &status, 0);
  wait_status_ = status;
}

void CollectorProcess::send_input() {
  if (!input_fd_.is_open()) return;
  while (sent_ < input_.size()) {
    const ssize_t sent = send(input_fd_.get(), input_.data() + sent_, input_.size() - sent_, MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (sent < 0) break;  // it does not read; its exit is handled elsewhere
    sent_ += static_cast<std::size_t>(sent);
  }
  sent_ = input_.size();
  input_fd_.reset();
}

CollectorProcess::Read CollectorProcess::read_from(FileDescriptor& fd, LineBuffer& buffer) {
  if (!fd.is_open()) return Read::nothing;
  std::array<char, kReadBytes> bytes{};
  const ssize_t count = read(fd.get(), bytes.data(), bytes.size());
  if (count > 0) {
    buffer.append({bytes.data(), static_cast<std::size_t>(count)});
    return Read::some;
  }
  if (count == 0) fd.reset();
  return Read::nothing;
}

namespace {

constexpr std::size_t kMaxProgramLogBytes = std::size_t{1} << 20;

}  // namespace

FinishedProgram run_program(const std::filesystem::path& executable,
                            const std::vector<std::string>& arguments,
                            CollectorProcess::Clock::duration limit, int stop_fd) {
  const auto deadline = CollectorProcess::Clock::now() + limit;
  CollectorProcess process(executable, arguments, {});
  FinishedProgram finished;
  while (true) {
    const CollectorProcess::Event event = process.next(deadline, stop_fd);
    if (const auto* line = std::get_if<CollectorProcess::Line>(&event)) {
      finished.output += line->text + "\n";
    } else if (const auto* log_line = std::get_if<CollectorProcess::LogLine>(&event)) {
      if (finished.log.size() < kMaxProgramLogBytes) finished.log += log_line->text + "\n";
      finished.last_log_line = log_line->text;
    } else {
      if (const auto* exited = std::get_if<CollectorProcess::Exited>(&event)) {
        finished.wait_status = exited->wait_status;
      }
      return finished;
    }
  }
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::filesystem::path> path_folders() {
  std::vector<std::filesystem::path> folders;
  const char* const path = std::getenv("PATH");
  std::istringstream entries(path != nullptr ? path : "");
  for (std::string folder; std::getline(entries, folder, ':');) folders.emplace_back(folder);
  return folders;
}

std::optional<message::Failure> reported_failure(std::string_view line) {
  try {
    const Message message = decode(line);
    if (const auto* reported = std::get_if<message::Failure>(&message)) return *reported;
  } catch (const Error&) {
    // Not a line of the collector.
  }
  return std::nullopt;
}

void throw_reported_failure(std::string_view line) {
  if (const auto failure = reported_failure(line)) {
    throw Error(failure->kind, failure->cause, failure->hint);
  }
}

std::string describe_exit(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return fmt::format("exited with code {}", WEXITSTATUS(wait_status));
  const char* const name = sigabbrev_np(WTERMSIG(wait_status));
  if (name == nullptr) return fmt::format("crashed with signal {}", WTERMSIG(wait_status));
  return fmt::format("crashed with SIG{}", name);
}

std::chrono::duration<double> usual_silence_limit(message::Phase phase, const TimingTarget& timing) {
  using enum message::Phase;
  if (phase == meet) return 600s;
  if (phase == verify) return 300s;
  if (phase == time) return 60s + std::chrono::duration<double>(10 * timing.time_limit_s);
  return 120s;
}

std::optional<std::chrono::duration<double>> silence_limit_from_environment() {
  constexpr const char* kVariable = "ROOFLINECTL_SILENCE_LIMIT";
  const char* const text = std::getenv(kVariable);
  if (text == nullptr) return std::nullopt;
  double seconds = 0;
  const char* const text_end = text + std::strlen(text);
  const auto [end, error] = std::from_chars(text, text_end, seconds);
  const bool valid = error == std::errc() && end == text_end && seconds > 0 && seconds < 1e6;
  if (valid) return std::chrono::duration<double>(seconds);
  throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not a number of seconds", kVariable, text));
}

StopSignals::StopSignals(std::initializer_list<int> signals) {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int signal : signals) sigaddset(&mask, signal);
  sigprocmask(SIG_BLOCK, &mask, &previous_mask_);
  fd_ = FileDescriptor(signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_.is_open()) {
    const int error = errno;
    sigprocmask(SIG_SETMASK, &previous_mask_, nullptr);
    throw Error(ErrorKind::environment, fmt::format("signalfd failed: {}", std::strerror(error)));
  }
}

StopSignals::~StopSignals() {
  sigprocmask(SIG_SETMASK, &previous_mask_, nullptr);
}

std::optional<signalfd_siginfo> StopSignals::next() const {
  signalfd_siginfo info{};
  return read(fd_.get(), &info, sizeof info) == sizeof info ? std::optional(info) : std::nullopt;
}

std::optional<int> StopSignals::take() const {
  const auto info = next();
  return info ? std::optional(static_cast<int>(info->ssi_signo)) : std::nullopt;
}

void StopSignals::pass_on(int signal) {
  kill(getpid(), signal);
}

// ---- programs of the user ----

namespace {

using Clock = std::chrono::steady_clock;
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
