// SPDX-License-Identifier: Apache-2.0
#include "collector/injection/nvtx_paths.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "collector/injection/this_process.h"

namespace rooflinectl::injection {

namespace {

/// Unlike the system's, these ids are not given to a later thread.
std::uint64_t id_of_calling_thread() {
  static std::atomic<std::uint64_t> last{0};
  thread_local const std::uint64_t id = ++last;
  return id;
}

void append(std::string& path, std::string_view name) {
  if (!path.empty()) path += '/';
  path += name;
}

}  // namespace

int NvtxPaths::push(Domain domain, std::string_view name) {
  const std::lock_guard lock(mutex_);
  Thread& thread = threads_[id_of_calling_thread()];
  const auto depth = std::count_if(thread.open.begin(), thread.open.end(),
                                   [&](const Range& r) { return r.domain == domain; });
  thread.open.push_back({.domain = domain, .name = std::string(name), .start_ns = now_ns()});
  update(thread);
  thread.open.back().path = texts_[thread.path];
  thread.opened = ++pushes_;
  last_to_open_ = id_of_calling_thread();
  return static_cast<int>(depth);
}

int NvtxPaths::pop(Domain domain) {
  constexpr int kNoneOpen = -1;
  const std::lock_guard lock(mutex_);
  const auto found = threads_.find(id_of_calling_thread());
  if (found == threads_.end()) return kNoneOpen;
  Thread& thread = found->second;
  const auto last = std::find_if(thread.open.rbegin(), thread.open.rend(),
                                 [&](const Range& range) { return range.domain == domain; });
  if (last == thread.open.rend()) return kNoneOpen;
  close(*last);
  thread.open.erase(std::next(last).base());
  update(thread);
  if (thread.open.empty()) find_last_to_open();
  return static_cast<int>(std::count_if(thread.open.begin(), thread.open.end(),
                                        [&](const Range& r) { return r.domain == domain; }));
}

std::uint64_t NvtxPaths::start(std::string_view name) {
  const std::lock_guard lock(mutex_);
  Range& range = started_[next_id_];
  range = {.name = std::string(name), .start_ns = now_ns()};
  range.path = path_of_process();
  ++changes_;
  return next_id_++;
}

void NvtxPaths::end(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = started_.find(id);
  if (found == started_.end()) return;
  close(found->second);
  started_.erase(found);
  ++changes_;
}

PathId NvtxPaths::current() {
  const std::lock_guard lock(mutex_);
  Thread& own = threads_[id_of_calling_thread()];
  const auto last = threads_.find(last_to_open_);
  const bool is_borrowed = own.open.empty() && scope_ == NvtxScope::process && last != threads_.end();
  Thread& thread = is_borrowed ? last->second : own;
  if (thread.changes != changes_) update(thread);
  for (auto& [id, range] : started_) range.has_launches = true;
  for (Range& range : thread.open) range.has_launches = true;
  return thread.path;
}

void NvtxPaths::close(const Range& range) {
  if (!range.has_launches) return;
  closed_[range.path].push_back({.start_ns = range.start_ns, .duration_ns = now_ns() - range.start_ns});
}

std::vector<record::Ranges> NvtxPaths::take_closed() {
  const std::lock_guard lock(mutex_);
  std::vector<record::Ranges> closed;
  for (auto& [path, ranges] : closed_) closed.push_back({.path = path, .ranges = std::move(ranges)});
  closed_.clear();
  return closed;
}

std::string NvtxPaths::text(PathId path) const {
  const std::lock_guard lock(mutex_);
  return texts_.at(path);
}

void NvtxPaths::end_thread() {
  const std::lock_guard lock(mutex_);
  threads_.erase(id_of_calling_thread());
  find_last_to_open();
}

void NvtxPaths::find_last_to_open() {
  last_to_open_ = 0;
  std::uint64_t latest = 0;
  for (const auto& [id, thread] : threads_) {
    if (thread.open.empty() || thread.opened < latest) continue;
    latest = thread.opened;
    last_to_open_ = id;
  }
}

std::string NvtxPaths::path_of_process() const {
  std::string path;
  for (const auto& [id, range] : started_) append(path, range.name);
  return path;
}

void NvtxPaths::update(Thread& thread) {
  std::string text = path_of_process();
  for (const Range& range : thread.open) append(text, range.name);
  thread.path = intern(text);
  thread.changes = changes_;
}

PathId NvtxPaths::intern(const std::string& text) {
  if (text.empty()) return 0;
  const auto [place, is_new] = paths_.try_emplace(text, static_cast<PathId>(texts_.size()));
  if (is_new) texts_.push_back(text);
  return place->second;
}

}  // namespace rooflinectl::injection
