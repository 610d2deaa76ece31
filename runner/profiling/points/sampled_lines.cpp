// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/points/sampled_lines.h"

#include <algorithm>
#include <functional>
#include <sstream>

#include "core/error.h"
#include "core/files/files.h"
#include "core/text/names.h"
#include "core/text/printable.h"

namespace rooflinectl {

namespace {

constexpr std::size_t kMostFileBytes = std::size_t{4} << 20;
constexpr std::size_t kLongestText = 160;

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  try {
    std::istringstream text(read_file(file, kMostFileBytes));
    for (std::string line; std::getline(text, line);) lines.push_back(std::move(line));
  } catch (const Error&) {
    lines.clear();
  }
  return lines;
}

void add_samples(SampledLine& to, const SampledLine& line) {
  to.samples += line.samples;
  if (to.stall == line.stall) {
    to.stalled += line.stalled;
  } else if (line.stalled > to.stalled) {
    to.stall = line.stall;
    to.stalled = line.stalled;
  }
}

}  // namespace

void SampledKernels::add(std::size_t device, const record::SampledKernel& kernel) {
  SampledLines& all = kernels_[{device, kernel.symbol}];
  all.samples += kernel.sampled.samples;
  for (const SampledLine& line : kernel.sampled.lines) {
    const auto known = std::ranges::find_if(
        all.lines, [&](const SampledLine& one) { return one.file == line.file && one.line == line.line; });
    if (known == all.lines.end())
      all.lines.push_back(line);
    else
      add_samples(*known, line);
  }
}

std::optional<SampledLines> SampledKernels::of(std::size_t device, const std::string& symbol) {
  const auto found = kernels_.find({device, symbol});
  if (found == kernels_.end()) return std::nullopt;
  SampledLines sampled = found->second;
  std::ranges::stable_sort(sampled.lines, std::greater(), &SampledLine::samples);
  if (sampled.lines.size() > kMostSampledLines) sampled.lines.resize(kMostSampledLines);
  for (SampledLine& line : sampled.lines) line.text = text_of(line);
  return sampled;
}

std::string SampledKernels::text_of(const SampledLine& line) {
  const auto [place, is_new] = files_.try_emplace(line.file);
  if (is_new) place->second = lines_of(line.file);
  const std::vector<std::string>& lines = place->second;
  if (line.line < 1 || static_cast<std::size_t>(line.line) > lines.size()) return "";
  std::string text = printable(lines[static_cast<std::size_t>(line.line) - 1]);
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  return cut_name(text, kLongestText);
}

}  // namespace rooflinectl
