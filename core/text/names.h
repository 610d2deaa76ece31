// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooflinectl {

/// The longest name of a plan or an experiment.
inline constexpr std::size_t kMaxNameLength = 64;

/// Whether `name` is fit for a plan or an experiment, and so for a file: 1 to `kMaxNameLength` letters,
/// digits, `_` and `-`.
bool is_plain_name(std::string_view name);

/// Whether `name` is one of `names`.
bool contains(const std::vector<std::string>& names, std::string_view name);

/// Takes what comes before the next `separator`, or all, from `text`, and the separator.
std::string_view take_field(std::string_view& text, char separator);

/// Orders names with their numbers by value: `reduce_v2…` before `reduce_v10…`.
bool natural_less(std::string_view a, std::string_view b);

/// Whether `name` matches `glob` as a whole: `*` stands for any characters, `?` for exactly one, `[a-f]` for
/// one of these (fnmatch(3)).
bool matches_glob(std::string_view glob, std::string_view name);

/// Whether `text` is `name` but for its case and one or two letters inserted, left out, replaced or swapped.
bool is_misspelt(std::string_view text, std::string_view name);

/// The one of `names` that `text` was probably meant to be: fewest letters inserted, left out, replaced or
/// swapped with their neighbour, but no more than half of the longer one (or two), or only letters added at
/// its end. `text` may be a glob. Nothing if none is close.
std::optional<std::string> nearest_name(std::string_view text, const std::vector<std::string>& names);

/// A path of NVTX ranges for people: a name with metadata as XLA's profiler writes it
/// (`XlaModule:#hlo_module=jit_step,program_id=7#`) is its first word and the first value (`XlaModule
/// jit_step`).
std::string range_title(std::string_view path);

/// Selects launches of a profiled program by their kernel and the NVTX ranges around them: in the program,
/// where they are chosen to be counted, and afterwards, where they become points. Member functions may be
/// called from any thread.
class LaunchFilter {
 public:
  /// `kernel`: a POSIX extended regular expression that is searched for in the symbol, as the module has it
  /// (`_ZN2at6native…`): names of functions and classes occur in it literally. `nvtx`: a glob. Empty ones
  /// select everything. Throws Error(usage) if `kernel` is not a regular expression.
  LaunchFilter(const std::string& kernel, std::string nvtx);
  ~LaunchFilter();
  LaunchFilter(const LaunchFilter&) = delete;
  LaunchFilter& operator=(const LaunchFilter&) = delete;

  bool selects_kernel(const std::string& symbol) const;
  /// `path`: names of ranges, from the outermost, joined by `/`. The glob matches all of it or one of the
  /// names.
  bool selects_path(std::string_view path) const;

 private:
  struct Expression;
  std::unique_ptr<Expression> kernel_;  // nothing where all are selected
  std::string nvtx_;
};

}  // namespace rooflinectl
