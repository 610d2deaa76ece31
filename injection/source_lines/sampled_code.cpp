// SPDX-License-Identifier: Apache-2.0
#include "injection/source_lines/sampled_code.h"

#include <algorithm>
#include <set>
#include <utility>

namespace rooflinectl::injection {

namespace {

/// The warps of a function.
struct Function {
  std::set<std::uint64_t> codes;
  std::uint64_t samples = 0;
  std::map<SourceLine, StallSamples> lines;
};

std::uint64_t sum(const StallSamples& samples) {
  std::uint64_t all = 0;
  for (const auto& [stall, number] : samples) all += number;
  return all;
}

SampledLine sampled_line(const SourceLine& line, const StallSamples& samples) {
  SampledLine result = {
      .file = line.file, .line = line.line, .text = {}, .samples = sum(samples), .stall = {}};
  for (const auto& [stall, number] : samples) {
    if (number <= result.stalled) continue;
    result.stall = stall;
    result.stalled = number;
  }
  return result;
}

SampledLines sampled_lines(const Function& function) {
  SampledLines result = {.samples = function.samples, .lines = {}};
  for (const auto& [line, samples] : function.lines) result.lines.push_back(sampled_line(line, samples));
  std::ranges::stable_sort(result.lines, std::greater(), &SampledLine::samples);
  if (result.lines.size() > kMostRecordedLines) result.lines.resize(kMostRecordedLines);
  return result;
}

}  // namespace

std::vector<record::SampledKernel> sampled_kernels(const SampledCode& sampled, int device,
                                                   const LineOf& line_of) {
  std::map<std::string, Function> functions;
  for (const auto& [place, samples] : sampled) {
    Function& function = functions[place.function];
    function.codes.insert(place.code);
    function.samples += sum(samples);
    const auto line = line_of(place);
    if (!line) continue;
    StallSamples& of_line = function.lines[*line];
    for (const auto& [stall, number] : samples) of_line[stall] += number;
  }
  std::vector<record::SampledKernel> kernels;
  for (const auto& [symbol, function] : functions) {
    if (function.lines.empty() || function.codes.size() > 1) continue;
    kernels.push_back({.device = device, .symbol = symbol, .sampled = sampled_lines(function)});
  }
  std::ranges::stable_sort(kernels, std::greater(),
                           [](const record::SampledKernel& kernel) { return kernel.sampled.samples; });
  if (kernels.size() > kMostSampledKernels) kernels.resize(kMostSampledKernels);
  return kernels;
}

}  // namespace rooflinectl::injection
