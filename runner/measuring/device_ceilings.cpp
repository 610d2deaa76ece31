// SPDX-License-Identifier: Apache-2.0
#include "runner/measuring/device_ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "core/elapsed.h"
#include "core/serial/run_file.h"
#include "runner/machine/catalogue.h"
#include "runner/measuring/recorder.h"
#include "runner/processes/stop_signals.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;
using SystemClock = std::chrono::system_clock;

/// Says of what is measured that it goes into the folder of the whole run.
class InFolder : public MeasureObserver {
 public:
  InFolder(MeasureObserver& observer, fs::path folder) : observer_(observer), folder_(std::move(folder)) {}

  void started(const MeasureStart& start) override {
    MeasureStart shown = start;
    shown.folder = folder_;
    observer_.started(shown);
  }
  void began(const message::Progress& step) override { observer_.began(step); }
  void measured(const SelfTest& self_test) override { observer_.measured(self_test); }
  void measured(const Ceiling& ceiling) override { observer_.measured(ceiling); }
  void measured(const PrimitiveResult& result) override { observer_.measured(result); }
  void measured(const Measurement& measurement) override { observer_.measured(measurement); }
  void reused_ceilings(std::size_t ceilings, const std::string& measured_utc) override {
    observer_.reused_ceilings(ceilings, measured_utc);
  }
  void logged(const std::string& line) override { observer_.logged(line); }
  void warned(const std::string& text) override { observer_.warned(text); }
  void ended() override { observer_.ended(); }

 private:
  MeasureObserver& observer_;
  fs::path folder_;
};

std::string with_hint(const Error& error) {
  return error.hint().empty() ? error.what() : fmt::format("{} ({})", error.what(), error.hint());
}

/// The ceilings of several devices, and the links between them.
class CeilingsOfDevices {
 public:
  CeilingsOfDevices(const MeasureRequest& request, MeasureObserver& observer)
      : request_(request),
        observer_(observer),
        run_(Recorder(request.plan, request.command_line).run()),
        folder_(create_run_folder(request.output, request.plan.name, SystemClock::now())),
        in_folder_(observer, folder_) {
    request_.output = folder_;
    run_.devices.clear();
  }

  MeasureResult run(const std::vector<DeviceInfo>& devices) {
    for (const DeviceInfo& device : devices) {
      if (!stop_signal_) measure_device(device);
    }
    if (run_.devices.empty()) return nothing();
    measure_together("links between the devices", &CeilingsOfDevices::measure_links);
    measure_together("collectives", &CeilingsOfDevices::measure_collectives);
    if (!stop_signal_) stop_signal_ = stop_signals_.take();
    save_finally();
    return {as_written(run_), folder_, losses_, stop_signal_, {}};
  }

 private:
  void measure_device(const DeviceInfo& device) {
    const std::size_t place = run_.devices.size();
    const std::string name = fmt::format("GPU {} ({})", device.index, device.uuid);
    run_.devices.push_back(device);
    try {
      const MeasureResult measured = measure_ceilings_into(run_, place, request_, in_folder_);
      stop_signal_ = measured.stop_signal;
      for (const std::string& loss : measured.losses) losses_.push_back(fmt::format("{}: {}", name, loss));
      if (measured.stopped_by) lose(name, *measured.stopped_by);
      take_session(measured.run.counter_session);
    } catch (const Error& error) {
      lose(name, error);
    }
    remove_if_nothing_was_measured(place);
    save();
  }

  void lose(const std::string& what, const Error& error) {
    if (!first_error_) first_error_ = error;
    losses_.push_back(fmt::format("{}: {}", what, with_hint(error)));
    observer_.warned(losses_.back());
  }

  /// What was counted counts, whichever device it was on.
  void take_session(const CounterSession& session) {
    if (run_.counter_session.available) return;
    const auto metrics = std::move(run_.counter_session.metrics);
    run_.counter_session = session;
    run_.counter_session.metrics.insert(metrics.begin(), metrics.end());
  }

  void remove_if_nothing_was_measured(std::size_t place) {
    const auto is_measured = [&](const Ceiling& ceiling) {
      return ceiling.device == place && ceiling.source == CeilingSource::measured;
    };
    if (std::any_of(run_.ceilings.begin(), run_.ceilings.end(), is_measured)) return;
    std::erase_if(run_.ceilings, [&](const Ceiling& ceiling) { return ceiling.device == place; });
    run_.devices.pop_back();
  }

  void measure_links(const std::vector<std::string>& uuids) {
    run_.links = load_links(uuids, request_.counters, stop_signals_.fd());
    const std::string now = utc_time(SystemClock::now());
    for (LinkBandwidth& link : run_.links) {
      if (link.missing.empty()) link.measured_utc = now;
    }
  }

  void measure_collectives(const std::vector<std::string>& uuids) {
    run_.collectives = load_collectives(uuids, request_.counters, stop_signals_.fd());
    run_.collectives->measured_utc = utc_time(SystemClock::now());
  }

  /// What is measured of all devices together, once each of them is measured.
  void measure_together(const std::string& what,
                        void (CeilingsOfDevices::*measure)(const std::vector<std::string>&)) {
    if (stop_signal_ || run_.devices.size() < 2) return;
    std::vector<std::string> uuids;
    for (const DeviceInfo& device : run_.devices) uuids.push_back(device.uuid);
    observer_.began({message::Phase::ceilings, {}, what});
    try {
      (this->*measure)(uuids);
    } catch (const Error& error) {
      stop_signal_ = stop_signals_.take();
      if (!stop_signal_) lose(what, error);
    }
    observer_.ended();
    save();
  }

  /// Nothing was run: nothing is left behind.
  MeasureResult nothing() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    fs::remove(folder_.parent_path(), ignored);  // unless other runs are in there
    if (stop_signal_) return {run_, {}, losses_, stop_signal_, {}};
    if (first_error_) throw *first_error_;
    throw Error(ErrorKind::measurement, losses_.empty() ? "nothing was measured" : losses_.front());
  }

  // -- the file --

  void save() {
    if (run_.devices.empty()) return;
    try {
      write();
    } catch (const Error& error) {
      observer_.warned(fmt::format("{}; measuring continues", error.what()));
    }
  }

  void save_finally() {
    try {
      write();
    } catch (const Error& error) {
      throw rescue_run(run_, error);
    }
  }

  void write() {
    run_.wall_s = seconds_since(begin_);
    write_run(folder_ / "run.json", run_);
  }

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  StopSignals stop_signals_;  // between the devices too: the next one sees them
  MeasureRequest request_;
  MeasureObserver& observer_;
  Run run_;
  fs::path folder_;
  InFolder in_folder_;
  std::vector<std::string> losses_;
  std::optional<int> stop_signal_;
  std::optional<Error> first_error_;
};

}  // namespace

MeasureResult measure_ceilings_into(Run& run, std::size_t place, MeasureRequest request,
                                    MeasureObserver& observer) {
  request.device = run.devices[place].uuid;
  MeasureResult measured = measure(request, observer);
  std::error_code ignored;
  fs::remove_all(request.output / request.plan.name, ignored);
  if (measured.folder.empty()) return measured;
  run.devices[place] = measured.run.device();
  run.catalogue = measured.run.catalogue;
  run.plan.ceilings = measured.run.plan.ceilings;
  const auto& metrics = measured.run.counter_session.metrics;
  run.counter_session.metrics.insert(metrics.begin(), metrics.end());
  for (Ceiling ceiling : measured.run.ceilings) {
    ceiling.device = place;
    run.ceilings.push_back(std::move(ceiling));
  }
  return measured;
}

MeasureResult measure_ceilings(const MeasureRequest& request, const std::vector<DeviceInfo>& devices,
                               MeasureObserver& observer) {
  return CeilingsOfDevices(request, observer).run(devices);
}

}  // namespace rooflinectl
