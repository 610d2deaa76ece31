// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/model/run.h"
#include "core/serial/protocol.h"

namespace rooflinectl {

/// What is known once the first collector has said hello.
struct MeasureStart {
  const Run& run;  ///< its device, plan and counter session
  std::filesystem::path folder;
  bool is_resumed = false;
  bool wants_counters = true;
  std::size_t points_to_measure = 0;
  std::size_t points_to_count = 0;       ///< that are measured and lack only their counters
  std::size_t points_with_counters = 0;  ///< done or not
  std::size_t primitives_to_measure = 0;
};

/// What the work of a phase is called: `timing`.
std::string_view activity(message::Phase phase);

/// Receives the progress of a measurement.
class MeasureObserver {
 public:
  MeasureObserver() = default;
  MeasureObserver(const MeasureObserver&) = delete;
  MeasureObserver& operator=(const MeasureObserver&) = delete;
  virtual ~MeasureObserver() = default;

  virtual void started(const MeasureStart& start) = 0;
  virtual void began(const message::Progress& step) = 0;
  virtual void measured(const SelfTest& self_test) = 0;
  virtual void measured(const Ceiling& ceiling) = 0;
  virtual void measured(const PrimitiveResult& result) = 0;
  virtual void measured(const Measurement& measurement) = 0;
  /// Ceilings from earlier runs were reused; `measured_utc` (ISO 8601) is the time of the newest.
  virtual void reused_ceilings(std::size_t ceilings, const std::string& measured_utc) = 0;
  /// A line of the collector's log.
  virtual void logged(const std::string& line) = 0;
  virtual void warned(const std::string& text) = 0;
  /// No collector runs any more.
  virtual void ended() = 0;
};

}  // namespace rooflinectl
