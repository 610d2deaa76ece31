// SPDX-License-Identifier: Apache-2.0
#include "collector/injection/nvtx_paths.h"

#include <algorithm>
#include <atomic>
#include <iterator>

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
  thread.open.push_back({domain, std::string(name)});
  update(thread);
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
  thread.open.erase(std::next(last).base());
  update(thread);
  if (thread.open.empty()) find_last_to_open();
  return static_cast<int>(std::count_if(thread.open.begin(), thread.open.end(),
                                        [&](const Range& r) { return r.domain == domain; }));
}

std::uint64_t NvtxPaths::start(std::string_view name) {
  const std::lock_guard lock(mutex_);
  started_.emplace(next_id_, name);
  ++changes_;
  return next_id_++;
}

void NvtxPaths::end(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (started_.erase(id) > 0) ++changes_;
}

PathId NvtxPaths::current() {
  const std::lock_guard lock(mutex_);
  Thread& own = threads_[id_of_calling_thread()];
  const auto last = threads_.find(last_to_open_);
  const bool is_borrowed = own.open.empty() && scope_ == NvtxScope::process && last != threads_.end();
  Thread& thread = is_borrowed ? last->second : own;
  if (thread.changes != changes_) update(thread);
  return thread.path;
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

void NvtxPaths::update(Thread& thread) {
  std::string text;
  for (const auto& [id, name] : started_) append(text, name);
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
