// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/model/plan.h"
#include "core/serial/protocol.h"

namespace rooflinectl {

/// Where each point stands among `points`, by its range name.
std::map<std::string, std::size_t> places_of(const std::vector<PointId>& points);

/// What is still to be done of a plan, over as many collectors as it takes.
class Worklist {
 public:
  /// `counters`: whether any are wanted; an experiment can still do without.
  Worklist(Plan plan, std::string device, bool counters);

  /// Takes what an earlier attempt at the plan has finished off the list. A point that failed is measured
  /// again; one that could not be verified is a finding, and stays.
  void take_over(const Run& earlier);

  /// What the next collector has to be asked for.
  CollectRequest request() const;

  const std::vector<PointId>& points() const { return points_; }
  /// Points without a result.
  std::vector<std::size_t> to_measure() const { return points_in(State::to_measure); }
  /// Points that lack only their counters.
  std::vector<std::size_t> to_count() const { return points_in(State::to_count); }
  bool needs_result(std::size_t point) const { return states_[point] == State::to_measure; }
  bool needs_counters(std::size_t point) const { return states_[point] == State::to_count; }
  /// How many points there are, done or not, that are to have counters.
  std::size_t points_with_counters() const;
  /// Whether nothing is left to be done: no ceiling, no primitive, no point.
  bool finished() const;

  /// Makes the next collector begin with a self-test.
  void want_self_test() { request_.self_test = true; }
  /// The self-test is done, or not worth another try.
  void self_test_finished() { request_.self_test = false; }

  void ceiling_measured(const std::string& id);
  /// The ceiling is not worth another try. If the plan does not name it, it is one that every run measures:
  /// then all are given up.
  void give_up_ceiling(const std::string& id);
  void ceilings_finished() { request_.skip_ceilings = true; }

  /// Ids of primitives without a result.
  const std::vector<std::string>& primitives() const { return request_.plan.primitives; }
  void primitive_finished(const std::string& id);

  void point_timed(std::size_t point, Status status);
  /// Nothing more is to be done for the point: it is counted, or not worth another try.
  void point_finished(std::size_t point) { states_[point] = State::finished; }

 private:
  enum class State { to_measure, to_count, finished };

  std::vector<std::size_t> points_in(State state) const;

  CollectRequest request_;  // for what is left, but for the points
  std::vector<PointId> points_;
  std::vector<bool> wants_counters_;  // by point
  std::vector<State> states_;         // by point
};

/// How long a plan will probably take to measure.
struct TimeEstimate {
  double points_s = 0;         ///< of all points and primitives
  double ceilings_s = 0;       ///< of the plan's ceilings, if none of them is known yet
  std::size_t known = 0;       ///< points that an earlier run has
  std::size_t unknown = 0;     ///< the others, estimated by a rule
  std::filesystem::path like;  ///< the earlier run with the most of these points; empty if none has any
};

/// Estimates from `runs`, the files of earlier runs, of which the first with the most points of the plan
/// counts: each of these points takes as long as a point there on average. Any other takes 0.2 s, and for
/// sampling its time limit, but no more than 0.6 s; a primitive takes 0.03 s, and a ceiling 0.5 s, as on
/// H200s. Runs that cannot be read, and those of programs, are not used.
TimeEstimate estimate_time(const Plan& plan, const std::vector<std::filesystem::path>& runs);

}  // namespace rooflinectl
