// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nvtx3/nvtx3.hpp>
#include <string>

namespace rooflinectl {

struct NvtxDomain {
  static constexpr const char* name = "rooflinectl";  // NOLINT(readability-identifier-naming): NVTX's name
};

/// An NVTX range of the domain `rooflinectl`, from construction to destruction: what
/// `ncu --nvtx --nvtx-include "rooflinectl@<name>/"` selects and nsys shows.
class NvtxRange {
 public:
  explicit NvtxRange(const std::string& name) : range_(name.c_str()) {}

 private:
  nvtx3::scoped_range_in<NvtxDomain> range_;
};

}  // namespace rooflinectl
