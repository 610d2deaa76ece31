// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runner/compiling/compiler.h"

namespace rooflinectl {

/// The text of a source and of all files that it includes by names in quotes. Throws Error(usage) if the
/// source cannot be read.
std::string text_with_includes(const std::filesystem::path& source);

/// Compiled kernels of the user's files, kept by what they were compiled from.
class KernelCache {
 public:
  explicit KernelCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// In `$XDG_CACHE_HOME/rooflinectl/kernels`, else in `~/.cache/rooflinectl/kernels`, else in a temporary
  /// folder.
  static KernelCache of_user();

  /// Stands for all that the code depends on: the source with the files of its folders that it includes, the
  /// function, its parameters, the options, the architecture and the compiler.
  static std::string key_of(const CompilerTask& task, const std::string& compiler);

  /// Where the code with this key is, or would be.
  std::filesystem::path cubin_file(const std::string& key) const { return folder_ / (key + ".cubin"); }
  /// Likewise a program that computes a reference.
  std::filesystem::path program_file(const std::string& key) const { return folder_ / (key + ".reference"); }
  std::optional<CompiledCode> find(const std::string& key) const;
  /// Throws Error(environment) if it cannot be written.
  void store(const std::string& key, const CompiledCode& code) const;
  void store_program(const std::string& key, const std::filesystem::path& program) const;

 private:
  std::filesystem::path log_file(const std::string& key) const { return folder_ / (key + ".log"); }

  std::filesystem::path folder_;
};

}  // namespace rooflinectl
