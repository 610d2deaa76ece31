// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

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

/// Ceilings from earlier runs were reused.
struct ReusedCeilings {
  std::size_t ceilings = 0;
  std::string measured_utc;  ///< of the newest, in ISO 8601
};

/// A line of the collector's log.
struct CollectorLine {
  std::string text;
};

struct MeasureWarning {
  std::string text;
};

/// No collector runs any more.
struct MeasureEnd {};

/// What happens while a plan is measured.
using MeasureEvent = std::variant<MeasureStart, message::Progress, SelfTest, Ceiling, PrimitiveResult,
                                  Measurement, ReusedCeilings, CollectorLine, MeasureWarning, MeasureEnd>;

/// Receives the progress of a measurement.
class MeasureObserver {
 public:
  MeasureObserver() = default;
  MeasureObserver(const MeasureObserver&) = delete;
  MeasureObserver& operator=(const MeasureObserver&) = delete;
  virtual ~MeasureObserver() = default;

  virtual void on(const MeasureEvent& event) = 0;
  void warned(const std::string& text) { on(MeasureWarning{text}); }
};

}  // namespace rooflinectl
