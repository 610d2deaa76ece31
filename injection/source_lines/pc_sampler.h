// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "injection/source_lines/sampled_code.h"

namespace rooflinectl::injection {

/// Lets CUPTI tell cubins apart by `code_digest`: its own checksum is of few of their bytes, and the same for
/// kernels that differ in a constant. To be called before modules are loaded. Throws Error(environment).
void use_own_digests();

/// CUPTI's PC sampling: at which instructions the warps of a context's kernels are, at fixed times. Kernels
/// run as they do otherwise, beside each other too. Nothing else can count on the device meanwhile. All
/// functions throw Error(environment) naming the call that failed.
class PcSampler {
 public:
  /// Begins. Takes 0.3 s.
  explicit PcSampler(CUcontext context);
  ~PcSampler();

  /// Ends, and returns the samples of the functions that CUPTI knows: those that were never launched while
  /// the trace of kernels was off. Takes 0.1 s with the destructor.
  SampledCode stop();
  /// Whether `stop` found that kernels ran of which CUPTI knows none.
  bool are_kernels_unknown() const { return are_kernels_unknown_; }

 private:
  class Buffer;
  class Enabled {
   public:
    explicit Enabled(CUcontext context);
    ~Enabled();
    Enabled(const Enabled&) = delete;
    Enabled& operator=(const Enabled&) = delete;

   private:
    const CUcontext context_;
  };

  void find_reasons();
  void configure();
  void add(const Buffer& buffer, SampledCode& sampled) const;

  const CUcontext context_;
  std::vector<std::uint32_t> numbers_;            // CUPTI's, of all reasons
  std::map<std::uint32_t, std::string> reasons_;  // by these; empty where we have no such reason
  std::unique_ptr<Buffer> left_over_;             // CUPTI writes there what nobody took, until it is disabled
  std::optional<Enabled> enabled_;
  bool are_kernels_unknown_ = false;
};

/// The source lines that cubins tell.
class LineTables {
 public:
  /// By the digests that `use_own_digests` gives CUPTI, as `LoadedCode::with_lines` has them.
  using Cubins = std::map<std::uint64_t, std::shared_ptr<const std::string>>;
  explicit LineTables(Cubins cubins) : cubins_(std::move(cubins)) {}

  std::optional<SourceLine> of(const CodePlace& place) const;

 private:
  Cubins cubins_;
};

}  // namespace rooflinectl::injection
