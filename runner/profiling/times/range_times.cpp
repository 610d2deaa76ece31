// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/stats/statistics.h"
#include "runner/profiling/times/times.h"

namespace rooflinectl {
namespace {

constexpr double kRangeTail = 0.95;

bool touches(const std::vector<BusyInterval>& counting, std::uint64_t from_ns, std::uint64_t to_ns) {
  const auto next =
      std::ranges::partition_point(counting, [&](const BusyInterval& pass) { return pass.end_ns < from_ns; });
  return next != counting.end() && next->start_ns <= to_ns;
}

}  // namespace

void RangePassages::add_process(const std::map<std::string, std::vector<record::Range>>& ranges,
                                const std::vector<BusyInterval>& counting) {
  for (const auto& [path, as_closed] : ranges) {
    std::vector<record::Range> passages = as_closed;
    Passages& all = passages_[path];
    all.count += passages.size();
    std::ranges::sort(passages, {}, &record::Range::start_ns);
    for (std::size_t i = 0; i < passages.size(); ++i) {
      const record::Range& range = passages[i];
      const std::uint64_t end_ns = range.start_ns + range.duration_ns;
      if (!touches(counting, range.start_ns, end_ns)) all.durations_s.push_back(seconds(range.duration_ns));
      if (i + 1 == passages.size()) continue;
      const std::uint64_t next_ns = passages[i + 1].start_ns;
      if (next_ns < end_ns) all.overlaps = true;
      if (!touches(counting, range.start_ns, next_ns)) {
        all.intervals_s.push_back(seconds(next_ns - range.start_ns));
      }
    }
  }
}

std::vector<RangeTimes> RangePassages::result() const {
  std::vector<RangeTimes> result;
  for (const auto& [path, all] : passages_) {
    RangeTimes& times = result.emplace_back();
    times.path = path;
    times.count = all.count;
    times.undisturbed = all.durations_s.size();
    if (!all.durations_s.empty()) {
      times.median_s = median(all.durations_s);
      times.p95_s = quantile(all.durations_s, kRangeTail);
    }
    if (!all.intervals_s.empty() && !all.overlaps) times.interval_s = median(all.intervals_s);
  }
  return result;
}

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kDigitsAndSign = "0123456789#";
constexpr std::string_view kSign = "#";  // stands for any number

/// A path in pieces, words and numbers by turns, words first.
std::vector<std::string_view> pieces_of(std::string_view path) {
  std::vector<std::string_view> pieces;
  while (!path.empty()) {
    const bool is_number = pieces.size() % 2 == 1;
    const bool is_sign = is_number && path.starts_with(kSign);
    const std::size_t end = is_sign     ? kSign.size()
                            : is_number ? path.find_first_not_of(kDigits)
                                        : path.find_first_of(kDigitsAndSign);
    pieces.push_back(path.substr(0, end));
    path.remove_prefix(pieces.back().size());
  }
  return pieces;
}

/// What paths have in common that differ in their numbers only.
std::string form_of(const std::vector<std::string_view>& pieces) {
  std::string form;
  for (std::size_t i = 0; i < pieces.size(); ++i) form += i % 2 == 1 ? std::string_view("\0", 1) : pieces[i];
  return form;
}

/// Paths that differ in their numbers only.
struct Form {
  std::vector<std::set<std::string_view>> values;  // by piece
  std::size_t numbered = 0;                        // paths without a sign

  bool varies(std::size_t piece) const {
    const auto& here = values[piece];
    return here.size() >= kManyNumbers || (numbered >= kManyNumbers - 1 && here.contains(kSign));
  }
};

}  // namespace

std::map<std::string, std::string> collapsed_paths(const std::set<std::string>& paths) {
  std::map<std::string, Form> forms;
  for (const std::string& path : paths) {
    const auto pieces = pieces_of(path);
    Form& form = forms[form_of(pieces)];
    form.values.resize(pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) form.values[i].insert(pieces[i]);
    if (path.find(kSign) == std::string::npos) ++form.numbered;
  }
  std::map<std::string, std::string> result;
  for (const std::string& path : paths) {
    const auto pieces = pieces_of(path);
    const Form& form = forms[form_of(pieces)];
    std::string& collapsed = result[path];
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      collapsed += form.varies(i) ? kSign : pieces[i];
    }
  }
  return result;
}

}  // namespace rooflinectl
