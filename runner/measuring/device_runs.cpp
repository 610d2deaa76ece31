// SPDX-License-Identifier: Apache-2.0
#include "runner/measuring/device_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>

#include "core/elapsed.h"
#include "core/files/files.h"
#include "core/serial/run_file.h"
#include "runner/machine/catalogue.h"
#include "runner/measuring/device_ceilings.h"
#include "runner/measuring/results.h"
#include "runner/processes/processes.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;
using SystemClock = std::chrono::system_clock;

std::string name_of(const ObservedDevice& observed) {
  return fmt::format("GPU {} ({})", observed.device.index, observed.device.uuid);
}

template <typename T>
void add_of_devices(std::vector<T>& all, std::size_t place, const std::vector<T>& measured) {
  for (T one : measured) {
    one.device += place;
    all.push_back(std::move(one));
  }
}

std::optional<std::size_t> place_in(const Run& run, const DeviceInfo& device) {
  for (std::size_t place = 0; place < run.devices.size(); ++place) {
    if (run.devices[place].uuid == device.uuid) return place;
  }
  return std::nullopt;
}

/// Whether `request` measures such results, and so continues earlier ones. What a profiled program launched
/// is not measured again.
bool is_continued(const MeasureRequest& request, const Ceiling&) {
  return !request.skip_ceilings;
}
bool is_continued(const MeasureRequest& request, const PrimitiveResult&) {
  return !request.plan.primitives.empty();
}
bool is_continued(const MeasureRequest& request, const Measurement& measurement) {
  return !request.plan.experiments.empty() && !measurement.launches;
}

/// Calls `use` with each list of results.
template <typename Use>
void for_each_list(Run& run, const Use& use) {
  use(run.ceilings);
  use(run.measurements);
  use(run.primitives);
}

/// What `run` has of the device at `place`, as far as `request` continues it: a run of that device alone.
Run part_of(const Run& run, std::size_t place, const MeasureRequest& request) {
  Run part = run;
  part.plan = request.plan;
  part.devices = {run.devices[place]};
  part.links.clear();
  part.collectives.reset();
  part.application.reset();
  for_each_list(part, [&](auto& results) {
    std::erase_if(results,
                  [&](const auto& one) { return one.device != place || !is_continued(request, one); });
    for (auto& result : results) result.device = Run::kFirstDevice;
  });
  return part;
}

/// Makes room for what has become of that part.
void erase_part(Run& run, std::size_t place, const MeasureRequest& request) {
  for_each_list(run, [&](auto& results) {
    std::erase_if(results,
                  [&](const auto& one) { return one.device == place && is_continued(request, one); });
  });
}

void sort_by_device(Run& run) {
  for_each_list(run, [](auto& results) {
    std::ranges::stable_sort(results, [](const auto& a, const auto& b) { return a.device < b.device; });
  });
}

}  // namespace

DeviceAttempt attempt_on_device(const MeasureRequest& request, const MeasureObserver& observer,
                                const fs::path& folder, std::mutex& one_at_a_time) {
  DeviceAttempt attempt;
  const auto device_observer = [&](const MeasureEvent& event) {
    const std::scoped_lock lock(one_at_a_time);
    if (const auto* start = std::get_if<MeasureStart>(&event)) {
      MeasureStart shown = *start;
      shown.folder = folder;
      return observer(shown);
    }
    observer(event);
  };
  try {
    if (request.unfinished) make_folder(request.output);
    attempt.folder = request.output;
    attempt.result = measure(request, device_observer);
    // The signal came to one of those that wait for it.
    if (attempt.result->stop_signal) StopSignals::pass_on(*attempt.result->stop_signal);
  } catch (const Error& error) {
    attempt.error = error;
  } catch (const std::exception& error) {  // in a thread, nobody else would
    attempt.error = Error(ErrorKind::environment, error.what());
  }
  return attempt;
}

namespace {

class DeviceRuns {
 public:
  /// Makes the folder of the run, or continues `request.unfinished` in its own.
  explicit DeviceRuns(MeasureRequest request) : request_(std::move(request)) {
    if (const auto& unfinished = request_.unfinished) {
      run_ = unfinished->run;
      run_.resumed_utc.push_back(utc_time(SystemClock::now()));
      earlier_wall_s_ = run_.wall_s;
      folder_ = unfinished->folder;
    } else {
      run_ = new_run(request_.plan, request_.command_line, request_.compiled_kernels);
      run_.devices.clear();
      folder_ = create_run_folder(request_.output, request_.plan.name, SystemClock::now());
    }
    lock_ = FolderLock(folder_);
  }

  void measure(const std::vector<ObservedDevice>& devices) {
    for (const ObservedDevice& observed : devices) {
      if (!stop_signal_) add(observed, request_, attempt(observed, request_));
    }
    keep_for_resuming(devices);
  }

  void measure_together(const std::vector<ObservedDevice>& devices) {
    run_.together = true;
    MeasureRequest alone = request_;
    alone.plan.experiments.clear();
    alone.plan.primitives.clear();
    alone.self_test = false;
    std::vector<const ObservedDevice*> usable;
    for (const ObservedDevice& observed : devices) {
      if (stop_signal_) break;
      add(observed, alone, attempt(observed, alone));
      if (place_in(run_, observed.device)) usable.push_back(&observed);
    }
    if (stop_signal_) return keep_for_resuming(devices);
    MeasureRequest rest = request_;
    rest.plan.ceilings.clear();
    rest.skip_ceilings = true;
    measure_at_once(usable, rest);
    keep_for_resuming(devices);
  }

  /// Links and collectives, once each device has been measured.
  void measure_between_devices(const MeasureObserver& observer) {
    std::vector<std::string> uuids;
    for (const DeviceInfo& device : run_.devices) uuids.push_back(device.uuid);
    measure_on_all("links between the devices", observer, [&] {
      run_.links = load_links(uuids, request_.counters, stop_signals_.fd());
      const std::string now = utc_time(SystemClock::now());
      for (LinkBandwidth& link : run_.links) {
        if (link.missing.empty()) link.measured_utc = now;
      }
    });
    measure_on_all("collectives", observer, [&] {
      run_.collectives = load_collectives(uuids, request_.counters, stop_signals_.fd());
      run_.collectives->measured_utc = utc_time(SystemClock::now());
      const auto warn = [&](const std::string& warning) { observer(MeasureWarning{warning}); };
      CeilingCache::of_user(request_.collector, warn).store_collectives(run_);
    });
  }

  MeasureResult finish() {
    take_stop_signal();
    if (run_.devices.empty()) return nothing();
    try {
      write();
    } catch (const Error& error) {
      throw rescue_run(run_, error);
    }
    return {as_written(run_), folder_, losses_, stop_signal_, {}};
  }

 private:
  void measure_at_once(const std::vector<const ObservedDevice*>& devices, const MeasureRequest& request) {
    std::vector<DeviceAttempt> attempts(devices.size());
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      threads.emplace_back([&, i] { attempts[i] = attempt(*devices[i], request); });
    }
    threads.clear();  // joins them
    for (std::size_t i = 0; i < devices.size(); ++i) add(*devices[i], request, attempts[i]);
  }

  /// Where the user stopped, all devices belong to a run that can be resumed, whatever was measured on them.
  void keep_for_resuming(const std::vector<ObservedDevice>& devices) {
    if (!stop_signal_ || run_.devices.empty() || has_ceilings_alone(request_.plan)) return;
    for (const ObservedDevice& observed : devices) place_of(observed.device);
  }

  DeviceAttempt attempt(const ObservedDevice& observed, MeasureRequest request) {
    request.device = observed.device.uuid;
    request.output = folder_ / fmt::format("gpu-{}", observed.device.index);
    request.unfinished.reset();
    const auto place = place_in(run_, observed.device);
    if (request_.unfinished && place) {
      request.unfinished = UnfinishedRun{part_of(run_, *place, request), request.output};
    }
    return attempt_on_device(request, observed.observer, folder_, one_at_a_time_);
  }

  /// Takes over what was measured on a device for `request`, and saves it; then its folder is removed.
  void add(const ObservedDevice& observed, const MeasureRequest& request, const DeviceAttempt& attempt) {
    const std::size_t losses_before = losses_.size();
    const std::string name = name_of(observed);
    const std::size_t place = place_of(observed.device);
    if (attempt.error) lose(name, *attempt.error, observed.observer);
    if (const auto& result = attempt.result) {
      if (result->stop_signal) stop_signal_ = result->stop_signal;
      for (const std::string& loss : result->losses) losses_.push_back(fmt::format("{}: {}", name, loss));
      if (result->stopped_by) lose(name, *result->stopped_by, observed.observer);
      if (!result->folder.empty()) {
        if (request_.unfinished) erase_part(run_, place, request);
        add_device_run(run_, place, result->run);
        sort_by_device(run_);
        take_counter_session(run_, result->run.counter_session);
        keep_log(observed, result->folder);
      }
    }
    if (!is_anything_measured(place)) {
      const bool is_explained = losses_.size() > losses_before || stop_signal_;
      const auto first = std::ranges::find(run_.measurements, place, &Measurement::device);
      if (!is_explained && first != run_.measurements.end() && !first->cause.empty()) {
        lose(name, Error(ErrorKind::measurement, fmt::format("no point could be measured: {}", first->cause)),
             observed.observer);
      }
      remove_device(place);
    }
    if (!save(observed.observer)) return;
    std::error_code ignored;
    fs::remove_all(attempt.folder, ignored);
  }

  /// What goes wrong is a loss.
  void measure_on_all(const std::string& what, const MeasureObserver& observer,
                      const std::function<void()>& measure) {
    if (stop_signal_ || run_.devices.size() < 2) return;
    observer(message::Progress{message::Phase::ceilings, {}, what});
    try {
      measure();
    } catch (const Error& error) {
      if (!take_stop_signal()) lose(what, error, observer);
    }
    observer(MeasureEnd{});
    save(observer);
  }

  /// Where the device is in the run; it is added if it is new.
  std::size_t place_of(const DeviceInfo& device) {
    if (const auto place = place_in(run_, device)) return *place;
    run_.devices.push_back(device);
    return run_.devices.size() - 1;
  }

  /// Reports that `what` was lost because of `error`.
  void lose(const std::string& what, const Error& error, const MeasureObserver& observer) {
    if (!first_error_) first_error_ = error;
    const std::string hint = error.hint().empty() ? "" : fmt::format(" ({})", error.hint());
    losses_.push_back(fmt::format("{}: {}{}", what, error.what(), hint));
    observer(MeasureWarning{losses_.back()});
  }

  bool is_anything_measured(std::size_t place) const {
    const auto has_ceiling = std::ranges::any_of(run_.ceilings, [&](const Ceiling& one) {
      return one.device == place && one.source == CeilingSource::measured;
    });
    const auto has_result = [&](const auto& results) {
      return std::ranges::any_of(results, [&](const auto& result) {
        return result.device == place && result.status != Status::failed;
      });
    };
    return has_ceiling || has_result(run_.measurements) || has_result(run_.primitives);
  }

  void remove_device(std::size_t place) {
    for_each_list(run_, [&](auto& results) {
      std::erase_if(results, [&](const auto& result) { return result.device == place; });
      for (auto& result : results) result.device -= result.device > place ? 1 : 0;
    });
    run_.devices.erase(run_.devices.begin() + static_cast<std::ptrdiff_t>(place));
  }

  void keep_log(const ObservedDevice& observed, const fs::path& folder) const {
    const std::ifstream log(folder / "collector.log");
    if (!log) return;  // nothing was logged
    const fs::path kept = folder_ / fmt::format("collector-gpu-{}.log", observed.device.index);
    std::ofstream(kept, std::ios::app) << log.rdbuf();
  }

  /// Whether the user asked to stop.
  bool take_stop_signal() {
    while (const auto signal = stop_signals_.take()) stop_signal_ = signal;
    return stop_signal_.has_value();
  }

  /// Nothing was run: nothing is left behind.
  MeasureResult nothing() {
    if (!request_.unfinished) remove_run_folder(folder_);
    if (stop_signal_) return {run_, {}, losses_, stop_signal_, {}};
    if (first_error_) throw *first_error_;
    throw Error(ErrorKind::measurement, losses_.empty() ? "nothing was measured" : losses_.front());
  }

  /// Writes what there is; returns whether it could. A disk that is full now may have room later.
  bool save(const MeasureObserver& observer) {
    if (run_.devices.empty()) return true;
    try {
      write();
      return true;
    } catch (const Error& error) {
      observer(MeasureWarning{fmt::format("{}; measuring continues", error.what())});
      return false;
    }
  }

  void write() {
    run_.wall_s = earlier_wall_s_ + seconds_since(begin_);
    write_run(folder_ / "run.json", run_);
  }

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  StopSignals stop_signals_;  // between the devices too: the next one sees them
  MeasureRequest request_;
  Run run_;
  double earlier_wall_s_ = 0;  // of the sessions before this one
  std::filesystem::path folder_;
  FolderLock lock_;
  std::mutex one_at_a_time_;  // observers
  std::vector<std::string> losses_;
  std::optional<int> stop_signal_;
  std::optional<Error> first_error_;
};

}  // namespace

MeasureResult measure_on_devices(const MeasureRequest& request, const std::vector<ObservedDevice>& devices,
                                 bool together) {
  DeviceRuns runs(request);
  together ? runs.measure_together(devices) : runs.measure(devices);
  return runs.finish();
}

MeasureResult measure_ceilings(const MeasureRequest& request, const std::vector<DeviceInfo>& devices,
                               const MeasureObserver& observer) {
  DeviceRuns runs(request);
  std::vector<ObservedDevice> observed;
  for (const DeviceInfo& device : devices) observed.push_back({device, std::cref(observer)});
  runs.measure(observed);
  runs.measure_between_devices(observer);
  return runs.finish();
}

void add_device_run(Run& run, std::size_t place, const Run& measured) {
  std::ranges::copy(measured.devices, run.devices.begin() + static_cast<std::ptrdiff_t>(place));
  run.catalogue = measured.catalogue;
  const auto& metrics = measured.counter_session.metrics;
  run.counter_session.metrics.insert(metrics.begin(), metrics.end());
  for (const CompiledKernel& compiled : measured.compiled_kernels) {
    const auto known = std::ranges::find_if(run.compiled_kernels,
                                            [&](const auto& other) { return is_same_code(other, compiled); });
    if (known == run.compiled_kernels.end()) run.compiled_kernels.push_back(compiled);
  }
  add_of_devices(run.ceilings, place, measured.ceilings);
  add_of_devices(run.measurements, place, measured.measurements);
  add_of_devices(run.primitives, place, measured.primitives);
  // A self-test that failed makes the counters of the whole run suspect.
  if (measured.self_test && (!run.self_test || run.self_test->passed())) run.self_test = measured.self_test;
}

void take_counter_session(Run& run, const CounterSession& session) {
  if (run.counter_session.available) return;
  const auto metrics = std::move(run.counter_session.metrics);
  run.counter_session = session;
  run.counter_session.metrics.insert(metrics.begin(), metrics.end());
}

}  // namespace rooflinectl
