// SPDX-License-Identifier: Apache-2.0
#include "runner/watching/watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/elapsed.h"
#include "core/model/known_ceilings.h"
#include "core/serial/program/program_files.h"
#include "core/serial/run_file.h"
#include "runner/machine/catalogue.h"
#include "runner/measuring/device_ceilings.h"
#include "runner/measuring/results.h"
#include "runner/processes/processes.h"
#include "runner/profiling/times/times.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = CollectorProcess::Clock;

/// The driver of an idle GPU takes some seconds to begin.
constexpr auto kLongestStart = 60s;
constexpr auto kLongestSilence = 10s;

/// One watch, from its first sample to its file.
class Watching {
 public:
  Watching(const WatchRequest& request, const WatchObserver& observer)
      : request_(request), observer_(observer), collector_(require_collector()) {
    Plan plan;
    plan.name = "watch";
    plan.experiments.push_back({.name = plan.name, .title = "Whatever ran on the GPU"});
    result_.run = new_run(std::move(plan), request.command_line);
    result_.run.counter_session.reason = "the devices were watched";
    result_.run.devices = chosen_devices(request.devices);
    for (const DeviceInfo& device : result_.run.devices) devices_.emplace_back(device);
    add_known_ceilings();
  }

  WatchResult run() {
    observer_.began(result_.run);
    sample();
    result_.run.wall_s = seconds_since(started_);
    const std::vector<BusyInterval> nothing;
    const std::vector<RanOnDevice> ran(devices_.size(), RanOnDevice{nothing, nothing});
    result_.timeline = merge_.result(began_ns_, ran, {});
    if (result_.timeline) {
      write();
    } else if (!result_.folder.empty()) {  // nothing was sampled: nothing is left behind
      remove_run_folder(result_.folder);
      result_.folder.clear();
    }
    return std::move(result_);
  }

 private:
  /// Measuring them would disturb whoever uses the devices.
  void add_known_ceilings() {
    const CeilingCache cache = CeilingCache::of_user(collector_, observer_.warned);
    Run& run = result_.run;
    for (const Run& known : cache.load()) {
      for (std::size_t place = 0; place < run.devices.size(); ++place) {
        DeviceInfo& device = run.devices[place];
        if (!may_hold(known_ceilings(known), device)) continue;
        if (!device.settings) device.settings = known.device().settings;
        run.catalogue = known.catalogue;
        for (Ceiling ceiling : known.ceilings) {
          ceiling.device = place;
          run.ceilings.push_back(std::move(ceiling));
        }
      }
    }
  }

  void sample() {
    StopSignals stop;
    std::vector<std::string> uuids;
    for (const WatchedDevice& device : devices_) uuids.push_back(device.device().uuid);
    CollectorProcess collector(collector_,
                               {"--watch", fmt::format("{}", fmt::join(uuids, ",")), "--interval",
                                std::to_string(request_.interval_ns)},
                               {});
    Clock::time_point next_second = started_ + kLongestStart;
    Clock::time_point end = Clock::time_point::max();
    bool has_begun = false;
    while (!result_.failure) {
      const CollectorProcess::Event event = collector.next(std::min(next_second, end), stop.fd());
      take(event);
      if (std::get_if<CollectorProcess::StopRequested>(&event) != nullptr) {
        stop.take();
        break;
      }
      if (!has_begun && devices_that_began_ + devices_that_ended_ >= devices_.size()) {
        has_begun = true;
        started_ = Clock::now();
        last_line_ = started_;
        next_second = started_ + between_rows();
        if (request_.time_limit)
          end = started_ + std::chrono::duration_cast<Clock::duration>(*request_.time_limit);
      }
      const Clock::time_point now = Clock::now();
      if (!has_begun && now >= next_second)
        fail("the GPUs could not be sampled within a minute", last_log_line_);
      if (has_begun && now - last_line_ > kLongestSilence)
        fail("the collector has not answered for ten seconds", "");
      if (has_begun && now >= next_second) {
        DeviceRates rates;
        for (WatchedDevice& device : devices_) rates.push_back(device.take_rates());
        observer_.seen(seconds_since(started_), rates);
        while (next_second <= now) next_second += between_rows();
      }
      if (now >= end) break;
    }
    take_the_rest(collector);
  }

  /// A second, or as long as it takes for each row to have a sample.
  Clock::duration between_rows() const {
    return std::max<Clock::duration>(1s, 2 * std::chrono::nanoseconds(request_.interval_ns));
  }

  void take_the_rest(CollectorProcess& collector) {
    collector.ask_to_end();
    const Clock::time_point end = Clock::now() + 2s;
    while (Clock::now() < end) {
      const CollectorProcess::Event event = collector.next(end);
      if (std::get_if<CollectorProcess::Exited>(&event) != nullptr) break;
      if (!result_.failure) take(event);
    }
    collector.end();
  }

  void take(const CollectorProcess::Event& event) {
    if (const auto* line = std::get_if<CollectorProcess::Line>(&event)) {
      last_line_ = Clock::now();
      take(line->text);
    } else if (const auto* logged = std::get_if<CollectorProcess::LogLine>(&event)) {
      last_log_line_ = logged->text;
    } else if (const auto* exited = std::get_if<CollectorProcess::Exited>(&event)) {
      fail(fmt::format("the collector {}", describe_exit(exited->wait_status)), last_log_line_);
    } else if (std::get_if<CollectorProcess::LineTooLong>(&event) != nullptr) {
      fail("the collector wrote an unterminated line", "");
    }
  }

  void take(const std::string& line) {
    if (const auto record = decoded(line)) std::visit([&](const auto& one) { add(one); }, *record);
  }

  /// Nothing if the line is not a record, which ends the watch.
  std::optional<ProfileRecord> decoded(const std::string& line) {
    try {
      return decode_record(line);
    } catch (const Error& error) {
      try {
        throw_reported_failure(line);
        fail(fmt::format("the collector answered in the format of another version: {}", error.what()),
             "rooflinectl and rooflinectl-collector must come from the same installation");
      } catch (const Error& reported) {
        result_.failure = reported;
      }
      return std::nullopt;
    }
  }

  /// The place of the device with this number in the collector; nothing if it is not one of ours.
  std::optional<std::size_t> place_of(int device) const {
    for (std::size_t place = 0; place < devices_.size(); ++place) {
      if (devices_[place].device().index == device) return place;
    }
    return std::nullopt;
  }

  void add(const record::SamplingBegun& begun) {
    const auto place = place_of(begun.device);
    if (!place) return;
    make_folder();
    ++devices_that_began_;
    devices_[*place].begin(begun);
    merge_.begin(*place, begun);
    if (began_ns_ == 0 || begun.at_ns < began_ns_) began_ns_ = begun.at_ns;
  }

  template <typename Taken>
  void add_taken(const Taken& taken) {
    const auto place = place_of(taken.device);
    if (!place || !devices_[*place].is_sampled()) return;
    devices_[*place].add(taken);
    merge_.add(*place, taken);
  }
  void add(const record::Samples& taken) { add_taken(taken); }
  void add(const record::Power& taken) { add_taken(taken); }

  void add(const record::Problem& problem) {
    ++devices_that_ended_;
    if (devices_that_ended_ == devices_.size()) return fail(problem.cause, problem.hint);
    observer_.warned(problem.hint.empty() ? problem.cause
                                          : fmt::format("{}; {}", problem.cause, problem.hint));
  }

  template <typename Other>
  void add(const Other& /*record*/) {}  // of profiled programs

  void fail(const std::string& cause, const std::string& hint) {
    result_.failure = Error(ErrorKind::environment, cause, hint);
  }

  /// As soon as there is something to keep: a folder that cannot be written is found before hours are lost.
  void make_folder() {
    if (!result_.folder.empty()) return;
    result_.folder = fs::absolute(
        create_run_folder(request_.output, result_.run.plan.name, std::chrono::system_clock::now()));
  }

  void write() {
    try {
      write_run(result_.folder / "run.json", result_.run);
      write_timeline(result_.folder / "run.json", *result_.timeline);
    } catch (const Error& error) {
      result_.folder.clear();
      throw rescue_run(result_.run, error);
    }
  }

  const WatchRequest& request_;
  const WatchObserver& observer_;
  const fs::path collector_;
  Clock::time_point started_ = Clock::now();  // of the collector, then of sampling
  std::vector<WatchedDevice> devices_;        // as in the run
  TimelineMerge merge_;
  std::uint64_t began_ns_ = 0;
  std::size_t devices_that_began_ = 0;
  std::size_t devices_that_ended_ = 0;  // or never began
  std::string last_log_line_;
  Clock::time_point last_line_ = started_;
  WatchResult result_;
};

}  // namespace

WatchResult watch(const WatchRequest& request, const WatchObserver& observer) {
  return Watching(request, observer).run();
}

std::optional<double> SampledRates::value(std::string_view key) const {
  const auto found = values.find(std::string(key));
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

void WatchedDevice::add(const record::Samples& taken) {
  for (const record::Sample& sample : taken.samples) {
    if (sample.values.size() == keys_.size()) samples_.push_back(sample);
  }
}

void WatchedDevice::add(const record::Power& taken) {
  power_.insert(power_.end(), taken.readings.begin(), taken.readings.end());
}

std::optional<SampledRates> WatchedDevice::take_rates() {
  constexpr double kNs = 1e-9;
  const std::vector<record::Sample> samples = std::exchange(samples_, {});
  const std::vector<record::PowerReading> power = std::exchange(power_, {});
  double time_s = 0;
  for (const record::Sample& sample : samples) time_s += static_cast<double>(sample.duration_ns) * kNs;
  if (time_s <= 0) return std::nullopt;

  SampledRates rates;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const bool is_amount = keys_[i].ends_with("_bytes");
    double sum = 0;
    for (const record::Sample& sample : samples) {
      sum += sample.values[i] * (is_amount ? 1 : static_cast<double>(sample.duration_ns) * kNs);
    }
    rates.values[keys_[i]] = sum / time_s;
  }
  if (!power.empty()) {
    double watts = 0;
    for (const record::PowerReading& reading : power) watts += reading.watts;
    rates.watts = watts / static_cast<double>(power.size());
  }
  return rates;
}

}  // namespace rooflinectl
