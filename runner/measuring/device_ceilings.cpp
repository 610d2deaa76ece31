// SPDX-License-Identifier: Apache-2.0
#include "runner/measuring/device_ceilings.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>

#include "runner/machine/catalogue.h"
#include "runner/measuring/device_runs.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

using SystemClock = std::chrono::system_clock;

/// What is measured on all devices together, once each of them has been measured.
class BetweenDevices {
 public:
  BetweenDevices(DeviceRuns& runs, const MeasureRequest& request, MeasureObserver& observer)
      : runs_(runs), request_(request), observer_(observer) {
    for (const DeviceInfo& device : runs.run().devices) uuids_.push_back(device.uuid);
  }

  void measure() {
    attempt("links between the devices", &BetweenDevices::measure_links);
    attempt("collectives", &BetweenDevices::measure_collectives);
  }

 private:
  void attempt(const std::string& what, void (BetweenDevices::*step)()) {
    if (runs_.is_stopped() || uuids_.size() < 2) return;
    observer_.on(message::Progress{message::Phase::ceilings, {}, what});
    try {
      (this->*step)();
    } catch (const Error& error) {
      if (!runs_.take_stop_signal()) runs_.lose(what, error, observer_);
    }
    observer_.on(MeasureEnd{});
    runs_.save(observer_);
  }

  void measure_links() {
    Run& run = runs_.run();
    run.links = load_links(uuids_, request_.counters, runs_.stop_fd());
    const std::string now = utc_time(SystemClock::now());
    for (LinkBandwidth& link : run.links) {
      if (link.missing.empty()) link.measured_utc = now;
    }
  }

  void measure_collectives() {
    Run& run = runs_.run();
    run.collectives = load_collectives(uuids_, request_.counters, runs_.stop_fd());
    run.collectives->measured_utc = utc_time(SystemClock::now());
    const auto warn = [&](const std::string& warning) { observer_.warned(warning); };
    CeilingCache::of_user(request_.collector, warn).store_collectives(run);
  }

  DeviceRuns& runs_;
  const MeasureRequest& request_;
  MeasureObserver& observer_;
  std::vector<std::string> uuids_;
};

}  // namespace

MeasureResult measure_ceilings_into(Run& run, std::size_t place, MeasureRequest request,
                                    MeasureObserver& observer) {
  request.device = run.devices[place].uuid;
  MeasureResult measured = measure(request, observer);
  std::error_code ignored;
  std::filesystem::remove_all(request.output / request.plan.name, ignored);
  if (measured.folder.empty()) return measured;
  add_device_run(run, place, measured.run);
  run.plan.ceilings = measured.run.plan.ceilings;
  return measured;
}

MeasureResult measure_ceilings(const MeasureRequest& request, const std::vector<DeviceInfo>& devices,
                               MeasureObserver& observer) {
  DeviceRuns runs(request);
  std::vector<ObservedDevice> observed;
  for (const DeviceInfo& device : devices) observed.push_back({device, observer});
  runs.measure(observed);
  BetweenDevices(runs, request, observer).measure();
  return runs.finish();
}

std::optional<Collectives> known_collectives(const std::vector<DeviceInfo>& devices,
                                             const CeilingCache::Warn& warn) {
  const auto collector = find_collector();
  return collector ? CeilingCache::of_user(*collector, warn).load_collectives(devices) : std::nullopt;
}

}  // namespace rooflinectl
