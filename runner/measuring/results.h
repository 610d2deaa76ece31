// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/serial/protocol.h"
#include "runner/measuring/measure.h"
#include "runner/measuring/recorder.h"
#include "runner/measuring/worklist.h"

namespace rooflinectl {

/// What has been measured of a plan, and what is still to be done: takes each message of the collectors,
/// keeps it on disk, and takes it off the worklist.
class Results {
 public:
  /// All must outlive this. `earlier_ceilings`: what earlier runs measured, one run per device.
  Results(const MeasureRequest& request, const std::vector<Run>& earlier_ceilings, MeasureObserver& observer);

  const Run& run() const { return recorder_.run(); }
  /// Empty before the first collector has reported what it measures on.
  const std::filesystem::path& folder() const { return recorder_.folder(); }
  bool is_open() const { return recorder_.is_open(); }
  bool finished() const { return worklist_.finished(); }
  /// Ceilings and counters that were lost, with the cause.
  const std::vector<std::string>& losses() const { return losses_; }

  /// What the next collector has to be asked for.
  CollectRequest request() const;

  /// What is wrong with a message that is well formed; null if nothing is.
  const char* violation_of(const Message& message) const;

  // Messages. The first hello opens the run's folder.
  void add(const message::Hello& hello);
  void add(const message::Progress& step);
  void add(const message::SelfTested& tested);
  void add(const message::CeilingMeasured& measured);
  void add(const message::CeilingsKnown& known);
  void add(const message::PrimitiveMeasured& measured);
  void add(const message::PointTimed& timed);
  void add(const message::PointCounted& counted);
  void add(const message::Bye& bye);

  /// From here on, points are measured without the other ranks, which do not wait for another collector.
  void leave_ranks(const std::string& cause);
  /// Marks what a collector worked on when it died, so that the next one leaves it out.
  void give_up(const message::Progress& step, const std::string& cause);

  /// Gives every point of the plan a result, even if it is only the reason why the point was not measured.
  void mark_what_is_left(const std::string& cause);

  /// The timing target of the point that a step works on; the default if it works on none.
  TimingTarget timing_of(const message::Progress& step) const;

  std::optional<Recorder::Clock::time_point> save_due() const { return recorder_.save_due(); }
  /// Writes `run.json`. A disk that is full now may have room later: it warns, and measuring continues.
  void save();
  /// Writes `run.json`. Throws Error(environment) that names the file that took its place.
  void save_finally();

 private:
  bool is_wanted(const Ceiling& ceiling) const;
  void add_failure(std::size_t point, const std::string& cause);
  void add_failed_primitive(const std::string& id, const std::string& cause);
  void add_loss(const std::string& loss);

  const MeasureRequest& request_;
  const std::vector<Run>& earlier_ceilings_;
  MeasureObserver& observer_;
  Worklist worklist_;
  Recorder recorder_;
  std::vector<std::string> losses_;
  std::string ranks_obstacle_;  // to measuring with the other ranks
  bool counts_ = false;         // the present collector has counters
  bool save_failed_ = false;
};

}  // namespace rooflinectl
