// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rooflinectl {

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

}  // namespace rooflinectl
