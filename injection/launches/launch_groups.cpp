// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/launch_groups.h"

#include <fmt/format.h>

#include <limits>
#include <mutex>

#include "core/text/written_number.h"

namespace rooflinectl::injection {

namespace {

/// Stands for the messages of all sizes.
constexpr std::uint64_t kAnySize = std::numeric_limits<std::uint64_t>::max();

/// `step #` of `step 17`.
std::string without_numbers(std::string_view path) {
  std::string pattern;
  for (const char character : path) {
    if (!is_digit(character) && character != '#')
      pattern += character;
    else if (!pattern.ends_with('#'))
      pattern += '#';
  }
  return pattern;
}

}  // namespace

LaunchGroups::LaunchGroups(const ProfileSettings& settings, NvtxPaths& paths, Sink sink,
                           std::size_t most_groups)
    : settings_(settings),
      filter_(settings.kernel, settings.nvtx),
      only_(settings.only.begin(), settings.only.end()),
      paths_(paths),
      sink_(std::move(sink)),
      most_groups_(most_groups) {}

std::optional<LaunchGroup> LaunchGroups::find(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = groups_.find(key);
  return found == groups_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<LaunchGroup> LaunchGroups::add(const Key& key, CountingSession& session, int device,
                                             const Launch& launch, std::optional<int> blocks_per_sm,
                                             std::optional<std::uint64_t> place) {
  if (key.kernel->is_left_out) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto known = groups_.find(key);
  if (known != groups_.end()) return known->second;
  if (count_ >= most_groups_) {
    if (!std::exchange(is_full_, true)) {
      sink_(record::Problem{
          .group = std::nullopt,
          .cause = fmt::format("launches of more than {} configurations were made: those that came later are "
                               "left out",
                               most_groups_),
          .hint = "select some with --kernel, --nvtx or --capture"});
    }
    return std::nullopt;
  }
  LaunchGroup group = {.session = &session, .record = count_++};
  sink_(record::Group{.group = group.record,
                      .device = device,
                      .kernel = key.kernel->id,
                      .grid = launch.grid,
                      .block = launch.block,
                      .cluster = launch.cluster,
                      .dynamic_shared_bytes = launch.dynamic_shared_bytes,
                      .blocks_per_sm = blocks_per_sm,
                      .first_launch = launch.graph == nullptr ? place : std::nullopt,
                      .path = paths_.text(key.path),
                      .message_bytes = key.message_bytes});
  Key sampled = key;
  sampled.path = path_to_sample(key.path);
  if (sampled.message_bytes) sampled.message_bytes = kAnySize;
  const auto same = sampled_.find(sampled);
  group.id = same != sampled_.end()
                 ? same->second
                 : sampled_.emplace(sampled, add_to_session(session, key, group.record)).first->second;
  groups_.emplace(key, group);
  return group;
}

/// Ranges such as `step 17` come with ever new numbers: after some, their launches are sampled together.
PathId LaunchGroups::path_to_sample(PathId path) {
  const auto known = sampled_paths_.find(path);
  if (known != sampled_paths_.end()) return known->second;
  PathPattern& pattern =
      path_patterns_.try_emplace(without_numbers(paths_.text(path)), PathPattern{path}).first->second;
  return sampled_paths_[path] = ++pattern.paths > kMostNumbers ? pattern.first : path;
}

GroupId LaunchGroups::add_to_session(CountingSession& session, const Key& key, std::uint64_t record) {
  const std::string& symbol = key.kernel->symbol;
  if (key.kernel->is_collective) session.launches_collectives();
  const bool is_counted = filter_.selects_kernel(symbol) && filter_.selects_path(paths_.text(key.path)) &&
                          (only_.empty() || only_.contains(symbol));
  const auto known_s = settings_.known_s.find(symbol);
  return session.add_group({.record = record,
                            .wish = {.kernel = key.kernel->id,
                                     .is_counted = is_counted,
                                     .is_known_to_end = is_counted && !only_.empty(),
                                     .is_in_graph = key.is_in_graph,
                                     .may_be_instrumented_alone = !key.kernel->is_collective &&
                                                                  !key.kernel->is_graph && !key.is_in_graph},
                            .known_s = known_s == settings_.known_s.end() ? 0 : known_s->second,
                            .warps = record::warps_of(key.grid, key.block),
                            .tensor = key.kernel->tensor});
}

void LaunchGroups::forget(Handle context) {
  const std::lock_guard lock(mutex_);
  const auto is_of_it = [&](const auto& entry) { return entry.first.context == context; };
  std::erase_if(groups_, is_of_it);
  std::erase_if(sampled_, is_of_it);
}

}  // namespace rooflinectl::injection
