// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/signalfd.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/files/files.h"
#include "core/model/plan.h"
#include "core/serial/protocol.h"

namespace rooflinectl {

/// Cuts a stream of bytes into lines.
class LineBuffer {
 public:
  void append(std::string_view bytes);
  /// The next complete line, without its newline.
  std::optional<std::string> next_line();
  /// What follows the last newline.
  std::string take_rest();
  std::size_t unfinished_bytes() const { return bytes_.size() - start_; }

 private:
  std::string bytes_;
  std::size_t start_ = 0;    // of the first line not yet handed out
  std::size_t scanned_ = 0;  // no newline between start_ and here
};

/// A child process that is given one text and then talks line by line: `rooflinectl-collector`. Reading and
/// writing never block, whatever the child does. The child ends with this object, and with this program.
class CollectorProcess {
 public:
  using Clock = std::chrono::steady_clock;

  struct Line {  ///< a line of its standard output
    std::string text;
  };
  struct LogLine {  ///< a line of its standard error, cut where it is very long
    std::string text;
  };
  struct LineTooLong {};  ///< more than kMaxLineBytes without a newline
  struct Exited {         ///< and everything that it wrote has been handed out; half a line is dropped
    int wait_status = 0;
  };
  struct TimedOut {};       ///< the deadline came before the next line of standard output
  struct StopRequested {};  ///< `stop_fd` is readable
  using Event = std::variant<Line, LogLine, LineTooLong, Exited, TimedOut, StopRequested>;

  static constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20;

  /// Starts `executable`, which reads `input` on its standard input. Throws Error(environment) if no process
  /// can be made; an executable that cannot be run shows as exit code 127.
  CollectorProcess(const std::filesystem::path& executable, const std::vector<std::string>& arguments,
                   std::string input);
  ~CollectorProcess();
  CollectorProcess(const CollectorProcess&) = delete;
  CollectorProcess& operator=(const CollectorProcess&) = delete;

  /// Waits for what happens next.
  Event next(Clock::time_point deadline, int stop_fd = -1);

  /// Asks the process to end. What it still writes can be read until it has exited.
  void ask_to_end();
  /// Asks the process to end, and ends it if it does not within two seconds.
  void end();

 private:
  enum class Read { nothing, some };

  std::optional<Event> buffered_event();
  void reap();
  void kill_and_wait();
  void send_input();
  Read read_from(FileDescriptor& fd, LineBuffer& buffer);

  pid_t pid_ = -1;
  std::optional<int> wait_status_;
  FileDescriptor input_fd_;
  FileDescriptor output_fd_;
  FileDescriptor log_fd_;
  std::string input_;
  std::size_t sent_ = 0;
  LineBuffer output_;
  LineBuffer log_;
};

/// `words`, which must outlive this, as the functions take them that start programs: a null pointer ends
/// them.
std::vector<char*> pointers_to(std::vector<std::string>& words);

/// The folders on the PATH.
std::vector<std::filesystem::path> path_folders();

/// The result of a program that was given no input.
struct FinishedProgram {
  std::string output;         ///< what it wrote on standard output
  std::string log;            ///< the beginning of what it wrote on standard error
  std::string last_log_line;  ///< of its standard error
  /// Nothing if it took too long, wrote an unterminated line or was stopped: then it was killed.
  std::optional<int> wait_status;
};

/// Runs `executable` to its end, for `limit` at most, and until `stop_fd` is readable.
FinishedProgram run_program(const std::filesystem::path& executable,
                            const std::vector<std::string>& arguments,
                            CollectorProcess::Clock::duration limit, int stop_fd = -1);

/// The failure that a collector reported, if `line` of its output is one.
std::optional<message::Failure> reported_failure(std::string_view line);
/// Throws it.
void throw_reported_failure(std::string_view line);

/// `crashed with SIGSEGV`, `exited with code 3`: what a status of waitpid() means.
std::string describe_exit(int wait_status);

// When a collector counts as hung.

/// How long a collector may take until it names what it works on: before its first progress, while it loads
/// CUDA and sets up the counters, and after each result. ROOFLINECTL_SILENCE_LIMIT does not replace it.
inline constexpr std::chrono::duration<double> kStartLimit{120};
/// How long it may take to exit after its last line.
inline constexpr std::chrono::duration<double> kExitLimit{5};

/// How long a collector may be silent while it works on something, before it counts as hung: far longer than
/// any step takes.
std::chrono::duration<double> usual_silence_limit(message::Phase phase, const TimingTarget& timing);

/// The limit that takes its place: ROOFLINECTL_SILENCE_LIMIT, in seconds, for slow tools like
/// compute-sanitizer. Nothing if the variable is not set. Throws Error(usage) if it holds no number of
/// seconds.
std::optional<std::chrono::duration<double>> silence_limit_from_environment();

/// A program that its user asked us to run.
struct GuestProgram {
  std::vector<std::string> command;                ///< the first is looked for on the PATH, as a shell does
  std::map<std::string, std::string> environment;  ///< added to ours, or overriding it
  std::optional<std::filesystem::path> folder;     ///< where it runs; nothing for ours
  bool output_is_error = false;                    ///< its standard output is our standard error
};

/// How it ended.
struct GuestEnd {
  int wait_status = 0;       ///< of waitpid()
  double wall_s = 0;         ///< from its start to its end
  bool timed_out = false;    ///< it was ended because it took too long
  bool interrupted = false;  ///< Ctrl-C, or a signal to us

  /// Its exit code, or 128 + N after signal N, as a shell has it.
  int exit_code() const;
};

/// Runs the program to its end, as if the user had started it: standard input, output and error, terminal and
/// process group are ours, and it outlives us if we are killed. Signals that are sent to us are passed on;
/// Ctrl-C reaches both anyway, and a second one ends it. After `limit` it is asked to end, and ended five
/// seconds later. `tick` is called several times a second while it runs. Throws Error(usage) if there is no
/// such program or folder, or it cannot be executed.
GuestEnd run_guest(const GuestProgram& program, std::optional<std::chrono::duration<double>> limit,
                   const std::function<void()>& tick);

/// While an object of this class lives, Ctrl-C (SIGINT) and SIGTERM, or other signals, do not act on the
/// program: they make `fd()` readable, so that what was measured can be kept. Where one lives within another,
/// a signal is taken by the one that asks first. Throws Error(environment).
class StopSignals {
 public:
  explicit StopSignals(std::initializer_list<int> signals = {SIGINT, SIGTERM});
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The descriptor to poll().
  int fd() const { return fd_.get(); }
  /// The mask that was in force before.
  const sigset_t& previous_mask() const { return previous_mask_; }
  /// The signal that came, if one did.
  std::optional<signalfd_siginfo> next() const;
  std::optional<int> take() const;
  /// Sends `signal` again, for another object of this class: of several that wait, in threads of their own,
  /// only one takes it.
  static void pass_on(int signal);

 private:
  sigset_t previous_mask_{};
  FileDescriptor fd_;
};

}  // namespace rooflinectl
