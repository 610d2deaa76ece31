// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"

namespace rooflinectl {

/// A command that is measured in two forms in turn: base, new, base, new, …
struct Interleaving {
  std::string base;                  ///< what `{}` in the command stands for: in the base,
  std::string now;                   ///< and in the new run
  std::vector<std::string> command;  ///< of rooflinectl, or of a program, which is then profiled
  std::size_t rounds = 0;
  std::filesystem::path output;  ///< the folder in which to create gate/<UTC time>/
};

/// As `compare_repeated` takes them.
struct InterleavedRuns {
  std::vector<AnalysedRun> earlier;  ///< the base runs, then those of the new side but the last
  std::size_t base_runs = 0;
  AnalysedRun now;
};

/// Measures both sides in turn. Ends after the first new run that failed: that is the result then. The
/// command's standard output becomes standard error. Throws Error if the command has no `{}`, leaves no run,
/// replays one, is interrupted, or was measured on other GPUs than before.
InterleavedRuns measure_interleaved(const Interleaving& interleaving);

}  // namespace rooflinectl
