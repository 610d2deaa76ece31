// SPDX-License-Identifier: Apache-2.0
#include "injection/ranges/nvtx_paths.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "injection/this_process.h"

namespace rooflinectl::injection {

namespace {

/// Ids of threads, which unlike the system's are not given to a later one, and of objects.
std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

void append(std::string& path, std::string_view name) {
  if (path.size() + name.size() >= NvtxPaths::kLongestPath) return;
  if (!path.empty()) path += '/';
  path += name;
}

/// What `current` found last on this thread, which holds until a range is opened or closed anywhere.
struct LastPath {
  const NvtxPaths* paths = nullptr;
  std::uint64_t changes = 0;
  PathId path = 0;
};
thread_local LastPath last_path;

}  // namespace

NvtxPaths::NvtxPaths(NvtxScope scope)
    : scope_(scope), self_(std::make_shared<NvtxPaths*>(this)), changes_(next_number() << 40) {
  intern("");
}

std::uint64_t NvtxPaths::calling_thread() {
  struct CallingThread {
    const std::uint64_t id = next_number();
    std::vector<std::weak_ptr<NvtxPaths*>> known_to;
    ~CallingThread() {
      for (const auto& one : known_to) {
        if (const auto paths = one.lock()) (*paths)->end_thread(id);
      }
    }
  };
  thread_local CallingThread thread;
  const bool is_known = std::ranges::any_of(
      thread.known_to, [&](const auto& one) { return !one.owner_before(self_) && !self_.owner_before(one); });
  if (!is_known) thread.known_to.push_back(self_);
  return thread.id;
}

int NvtxPaths::push(Domain domain, std::string_view name) {
  const std::uint64_t id = calling_thread();
  Range range = {.domain = domain, .name = std::string(name), .start_ns = now_ns()};
  const std::lock_guard lock(mutex_);
  Thread& thread = threads_[id];
  const auto depth = std::ranges::count_if(thread.open, [&](const Range& r) { return r.domain == domain; });
  thread.open.push_back(std::move(range));
  thread.opened = ++pushes_;
  last_to_open_ = id;
  ++changes_;
  return static_cast<int>(depth);
}

int NvtxPaths::pop(Domain domain) {
  constexpr int kNoneOpen = -1;
  const std::uint64_t id = calling_thread();
  const std::lock_guard lock(mutex_);
  const auto found = threads_.find(id);
  if (found == threads_.end()) return kNoneOpen;
  Thread& thread = found->second;
  const auto last = std::find_if(thread.open.rbegin(), thread.open.rend(),
                                 [&](const Range& range) { return range.domain == domain; });
  if (last == thread.open.rend()) return kNoneOpen;
  close(*last);
  thread.open.erase(std::next(last).base());
  ++changes_;
  const auto depth = std::ranges::count_if(thread.open, [&](const Range& r) { return r.domain == domain; });
  if (thread.open.empty()) {
    threads_.erase(found);
    find_last_to_open();
  }
  return static_cast<int>(depth);
}

std::uint64_t NvtxPaths::start(std::string_view name) {
  const std::lock_guard lock(mutex_);
  started_[next_id_] = {.name = std::string(name), .start_ns = now_ns()};
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
  const std::uint64_t changes = changes_.load(std::memory_order_acquire);
  if (last_path.paths == this && last_path.changes == changes) return last_path.path;
  const std::uint64_t id = calling_thread();
  const std::lock_guard lock(mutex_);
  auto thread = threads_.find(id);
  if (thread == threads_.end() && scope_ == NvtxScope::process) thread = threads_.find(last_to_open_);
  Thread none;
  const PathId path = path_of(thread == threads_.end() ? none : thread->second);
  last_path = {.paths = this, .changes = changes_.load(std::memory_order_relaxed), .path = path};
  return path;
}

/// Each range that is open gets its path, as something is launched within it: of the ranges around it when it
/// was opened.
PathId NvtxPaths::path_of(Thread& thread) {
  std::string text;
  PathId path = 0;
  std::vector<std::pair<std::uint64_t, std::string>> process;  // names with their starts
  for (auto& [id, range] : started_) {
    append(text, names_.folded(range.name));
    path = intern(text);
    if (!range.path) range.path = path;
    process.emplace_back(range.start_ns, text);
  }
  std::string of_thread;
  for (Range& range : thread.open) {
    append(of_thread, names_.folded(range.name));
    if (range.path) continue;
    const auto later =
        std::ranges::find_if(process, [&](const auto& one) { return one.first > range.start_ns; });
    std::string own = later == process.begin() ? "" : std::prev(later)->second;
    append(own, of_thread);
    range.path = intern(own);
  }
  if (of_thread.empty()) return path;
  append(text, of_thread);
  return intern(text);
}

void NvtxPaths::close(const Range& range) {
  if (!range.path) return;
  closed_[*range.path].push_back({.start_ns = range.start_ns, .duration_ns = now_ns() - range.start_ns});
}

const std::string* NvtxPaths::registered(const std::string& text) {
  const std::lock_guard lock(mutex_);
  const bool is_full = registered_.size() >= kMostRegistered && !registered_.contains(text);
  return &*registered_.insert(is_full ? std::string(RangeNames::kOther) : text).first;
}

std::vector<record::Ranges> NvtxPaths::take_closed() {
  const std::lock_guard lock(mutex_);
  std::vector<record::Ranges> closed;
  closed.reserve(closed_.size());
  for (auto& [path, ranges] : closed_) closed.push_back({.path = *texts_[path], .ranges = std::move(ranges)});
  closed_.clear();
  return closed;
}

std::string NvtxPaths::text(PathId path) const {
  const std::lock_guard lock(mutex_);
  return *texts_.at(path);
}

bool NvtxPaths::has_left_out() const {
  const std::lock_guard lock(mutex_);
  return names_.has_left_out() || texts_.size() >= kMostPaths;
}

void NvtxPaths::end_thread(std::uint64_t thread) {
  const std::lock_guard lock(mutex_);
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return;
  for (const Range& range : found->second.open) close(range);
  threads_.erase(found);
  find_last_to_open();
  ++changes_;
}

void NvtxPaths::after_fork_in_child() {
  const std::uint64_t own = calling_thread();
  std::erase_if(threads_, [&](const auto& thread) { return thread.first != own; });
  find_last_to_open();
  ++changes_;
  closed_.clear();
  mutex_.unlock();
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

PathId NvtxPaths::within(PathId path, std::string_view name) {
  const std::lock_guard lock(mutex_);
  std::string text = *texts_[path];
  append(text, std::string(name));
  return intern(text);
}

PathId NvtxPaths::intern(const std::string& text) {
  const auto known = paths_.find(text);
  if (known != paths_.end()) return known->second;
  const bool is_full = texts_.size() >= kMostPaths && text != RangeNames::kOther;
  if (is_full) return intern(std::string(RangeNames::kOther));
  const auto added = paths_.emplace(text, static_cast<PathId>(texts_.size())).first;
  texts_.push_back(&added->first);
  return added->second;
}

}  // namespace rooflinectl::injection
