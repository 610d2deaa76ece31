// SPDX-License-Identifier: Apache-2.0
#include "runner/measuring/recorder.h"

#include <algorithm>
#include <utility>

#include "core/elapsed.h"
#include "core/machine/environment.h"
#include "core/serial/run_file.h"
#include "core/stats/repeated_counters.h"
#include "runner/built_in.h"
#include "runner/machine/machine.h"
#include "runner/measuring/worklist.h"

namespace rooflinectl {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMaxLogBytes = std::size_t{16} << 20;

}  // namespace

Recorder::Recorder(Plan plan, std::vector<std::string> command_line,
                   std::vector<CompiledKernel> compiled_kernels) {
  run_.tool_version = tool_version();
  run_.tool_commit = tool_commit();
  run_.started_utc = utc_time(started_utc_);
  run_.host = host_name();
  run_.environment = host_environment();
  run_.command_line = std::move(command_line);
  run_.plan = std::move(plan);
  run_.compiled_kernels = std::move(compiled_kernels);
}

Recorder::Recorder(const UnfinishedRun& unfinished)
    : run_(unfinished.run), rank_(rank_of(unfinished.folder)), earlier_wall_s_(unfinished.run.wall_s) {
  const std::map<std::string, std::size_t> places = places_of(all_points(run_.plan));
  for (const Measurement& measurement : run_.measurements) {
    if (measurement.rank) rank_ = measurement.rank;
    const auto place = places.find(range_name(measurement.point));
    if (place != places.end()) measurements_[place->second] = measurement;
  }
}

void Recorder::open(const std::filesystem::path& parent, const message::Hello& hello,
                    const std::optional<LauncherRank>& rank) {
  if (rank) rank_ = rank->rank;
  folder_ = create_run_folder(parent, run_.plan.name, started_utc_, rank);
  lock_ = FolderLock(folder_);
  run_.devices[0] = hello.device;
  run_.catalogue = hello.catalogue;
  save();
}

void Recorder::reopen(const std::filesystem::path& folder, const message::Hello& hello) {
  lock_ = FolderLock(folder);
  folder_ = folder;
  run_.devices[0] = hello.device;
  run_.resumed_utc.push_back(utc_time(started_utc_));
  save();
}

void Recorder::set_counter_session(const CounterSession& session) {
  // A collector that was started again may have no counters: what was counted before stays.
  if (session.available || !run_.counter_session.available) {
    const std::map<std::string, std::string> earlier = run_.counter_session.metrics;
    run_.counter_session = session;
    // Those of tensor operations are known only to a collector that counted some.
    run_.counter_session.metrics.insert(earlier.begin(), earlier.end());
  }
  has_news_ = true;
}

void Recorder::add(const SelfTest& self_test) {
  run_.self_test = self_test;
  has_news_ = true;
}

void Recorder::add(Ceiling ceiling) {
  const auto same = std::ranges::find_if(run_.ceilings, [&](const Ceiling& other) {
    return other.id == ceiling.id && other.source == ceiling.source && other.device == ceiling.device;
  });
  const bool is_confirmation = same != run_.ceilings.end() && ceiling.confirmation && !same->confirmation;
  if (ceiling.source == CeilingSource::measured && ceiling.measured_utc.empty()) {
    ceiling.measured_utc = is_confirmation ? same->measured_utc : utc_time(std::chrono::system_clock::now());
  }
  if (same != run_.ceilings.end()) {
    *same = std::move(ceiling);
  } else {
    run_.ceilings.push_back(std::move(ceiling));
  }
  has_news_ = true;
}

void Recorder::add(const PrimitiveResult& result) {
  const auto& ids = run_.plan.primitives;
  const auto place = [&](const PrimitiveResult& other) {
    return std::ranges::find(ids, other.info.id) - ids.begin();
  };
  std::erase_if(run_.primitives,
                [&](const PrimitiveResult& other) { return other.info.id == result.info.id; });
  const auto after =
      std::ranges::find_if(run_.primitives, [&](const auto& other) { return place(other) > place(result); });
  run_.primitives.insert(after, result);
  has_news_ = true;
}

void Recorder::add(std::size_t point, Measurement measurement) {
  measurement.rank = rank_;
  measurements_[point] = std::move(measurement);
  has_news_ = true;
}

void Recorder::add_counters(std::size_t point, const RepeatedCounters& counted) {
  Measurement& measurement = measurements_.at(point);
  measurement.counters = counted.counters;
  measurement.counter_repeats = counted.repeats;
  measurement.counter_spread = counted.spread;
  has_news_ = true;
}

void Recorder::add_missing_counters(std::size_t point, const std::string& reason) {
  Counters counters;
  for (const auto& [key, metric] : run_.counter_session.metrics) {
    counters.emplace(key, CounterValue::unavailable(reason));
  }
  add_counters(point, {.counters = counters});
}

std::optional<Recorder::Clock::time_point> Recorder::save_due() const {
  return has_news_ && is_open() ? std::optional(next_save_) : std::nullopt;
}

void Recorder::save() {
  const Clock::time_point begin = Clock::now();
  next_save_ = begin + 1s;
  run_.wall_s = earlier_wall_s_ + seconds_since(started_);
  run_.measurements.clear();
  for (const auto& [point, measurement] : measurements_) run_.measurements.push_back(measurement);
  write_run(run_file(folder_), run_);
  has_news_ = false;
  next_save_ += 10 * (Clock::now() - begin);
}

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
