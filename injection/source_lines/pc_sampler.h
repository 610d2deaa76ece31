// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "injection/source_lines/sampled_code.h"

namespace rooflinectl::injection {

/// CUPTI's PC sampling: at which instructions the warps of a context's kernels are, at fixed times. Kernels
/// run as they do otherwise, beside each other too. Nothing else can count on the device meanwhile. All
/// functions throw Error(environment) naming the call that failed.
class PcSampler {
 public:
  /// Begins. Takes 0.3 s.
  explicit PcSampler(CUcontext context);
  ~PcSampler();

  /// Ends, and returns the samples of the functions that CUPTI knows: those that were never launched while
  /// the trace of kernels was off. Throws if it knows none that ran. Takes 0.1 s with the destructor.
  SampledCode stop();

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
  const Enabled enabled_;
  std::vector<std::uint32_t> numbers_;            // CUPTI's, of all reasons
  std::map<std::uint32_t, std::string> reasons_;  // by these; empty where we have no such reason
  std::unique_ptr<Buffer> left_over_;             // CUPTI wants one for what nobody takes
};

/// The source lines that cubins tell.
class LineTables {
 public:
  explicit LineTables(const std::vector<std::shared_ptr<const std::string>>& cubins);

  std::optional<SourceLine> of(const CodePlace& place) const;

 private:
  std::map<std::uint64_t, std::shared_ptr<const std::string>> cubins_;  // by their checksums
};

}  // namespace rooflinectl::injection
