// SPDX-License-Identifier: Apache-2.0
#include "runner/measuring/collector_log.h"

#include <utility>

namespace rooflinectl {

namespace {

constexpr std::size_t kMaxLogBytes = std::size_t{16} << 20;

}  // namespace

void CollectorLog::set_file(std::filesystem::path file) {
  path_ = std::move(file);
  write();
}

void CollectorLog::add(const std::string& line) {
  last_line_ = line;
  bytes_ += line.size() + 1;
  if (bytes_ > kMaxLogBytes) return;
  pending_ += line + "\n";
  write();
}

void CollectorLog::write() {
  if (path_.empty() || pending_.empty()) return;
  if (!file_.is_open()) file_.open(path_, std::ios::app);
  file_ << pending_ << std::flush;
  pending_.clear();
}

}  // namespace rooflinectl
