// SPDX-License-Identifier: Apache-2.0
#include "core/text/launch_filter.h"

#include <fmt/format.h>
#include <regex.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "core/text/names.h"

namespace rooflinectl {

// Not std::regex: it uses a stack frame per character, and a program's threads may have small stacks.
struct LaunchFilter::Expression {
  regex_t compiled;
};

LaunchFilter::LaunchFilter(const std::string& kernel, std::string nvtx) : nvtx_(std::move(nvtx)) {
  if (kernel.empty()) return;
  auto expression = std::make_unique<Expression>();
  if (const int error = regcomp(&expression->compiled, kernel.c_str(), REG_EXTENDED | REG_NOSUB)) {
    std::array<char, 256> problem{};
    regerror(error, &expression->compiled, problem.data(), problem.size());
    throw Error(ErrorKind::usage, fmt::format("'{}' is not a regular expression: {}", kernel, problem.data()),
                "the syntax is that of grep -E");
  }
  kernel_ = std::move(expression);
}

LaunchFilter::~LaunchFilter() {
  if (kernel_) regfree(&kernel_->compiled);
}

bool LaunchFilter::selects_kernel(const std::string& symbol) const {
  return !kernel_ || regexec(&kernel_->compiled, symbol.c_str(), 0, nullptr, 0) == 0;
}

bool LaunchFilter::selects_path(std::string_view path) const {
  if (nvtx_.empty() || matches_glob(nvtx_, path)) return true;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (matches_glob(nvtx_, path.substr(0, end))) return true;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return false;
}

}  // namespace rooflinectl
