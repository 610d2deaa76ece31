// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/points/sampled_lines.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <system_error>

#include "core/text/printable.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostFileBytes = std::uintmax_t{4} << 20;
constexpr std::size_t kLongestText = 160;  // characters

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

void SampledKernels::add(std::size_t device, const record::Kernel& kernel) {
  if (kernel.code) codes_[{device, kernel.symbol}].insert(*kernel.code);
}

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
  if (found == kernels_.end() || codes_[found->first].size() > 1) return std::nullopt;
  SampledLines sampled = found->second;
  std::ranges::stable_sort(sampled.lines, std::greater(), &SampledLine::samples);
  if (sampled.lines.size() > kMostSampledLines) sampled.lines.resize(kMostSampledLines);
  for (SampledLine& line : sampled.lines) line.text = text_of(line);
  return sampled;
}

/// Only of a regular file, named by its whole path, as the program's folder may be another one.
std::vector<std::string> SampledKernels::lines_of(const fs::path& file) const {
  std::vector<std::string> lines;
  std::error_code error;
  const bool is_source = file.is_absolute() && fs::is_regular_file(file, error) &&
                         fs::file_size(file, error) <= kMostFileBytes &&
                         fs::last_write_time(file, error) <= recorded_;
  if (!is_source || error) return lines;
  std::ifstream text(file);
  for (std::string line; std::getline(text, line);) lines.push_back(std::move(line));
  return lines;
}

std::string SampledKernels::text_of(const SampledLine& line) {
  const auto [place, is_new] = files_.try_emplace(line.file);
  if (is_new) place->second = lines_of(line.file);
  const std::vector<std::string>& lines = place->second;
  if (line.line < 1 || static_cast<std::size_t>(line.line) > lines.size()) return "";
  std::u32string text = printable_characters(lines[static_cast<std::size_t>(line.line) - 1]);
  text.erase(0, std::min(text.find_first_not_of(U' '), text.size()));
  text.erase(text.find_last_not_of(U' ') + 1);
  if (text.size() > kLongestText) text.replace(kLongestText - 1, std::u32string::npos, U"\u2026");
  return encode_utf8(text);
}

}  // namespace rooflinectl
