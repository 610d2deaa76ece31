// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/machine/catalogue.h"
#include "core/model/known_ceilings.h"
#include "core/model/plan.h"
#include "core/model/run.h"
#include "core/stats/repeated_counters.h"

/// The messages between `rooflinectl` and `rooflinectl-collector`: one request (a JSON document on the
/// collector's standard input), then one JSON object per line on its standard output. Logs go to standard
/// error.
namespace rooflinectl {

/// How the collector goes through the plan.
enum class CollectMode {
  measure,   ///< verify, time and count
  once,      ///< launch each point exactly once in its NVTX range: what ncu and nsys are wrapped around
  count,     ///< collect only counters
  sanitize,  ///< launch kernels from files once, each argument in memory of its own: for compute-sanitizer
};

/// The place of this process among those that measure the same plan, one GPU each. Points over several GPUs
/// are measured by all of them together.
struct RankPlace {
  int rank = 0;
  int ranks = 1;
  std::string address;   ///< `host:port` of the first rank, where NCCL connects them
  std::string obstacle;  ///< why they cannot measure together; empty if they can

  bool operator==(const RankPlace&) const = default;
};

/// The request.
struct CollectRequest {
  Plan plan;
  std::vector<CompiledKernel> compiled_kernels;  ///< the plan's kernels from files, for this device or more
  std::string references;  ///< the folder of those in Python (`reference_file`); empty if there are none
  CollectMode mode = CollectMode::measure;
  bool counters = true;
  std::string device = "0";  ///< index or UUID
  /// Indices into `all_points(plan)` that are not to be measured again, after a restart: nothing is done for
  /// these.
  std::vector<std::size_t> skip_points;
  /// Points that are already timed and only lack counters.
  std::vector<std::size_t> count_only_points;
  bool skip_ceilings = false;
  /// Counts kernels of known work before anything else, if there are counters.
  bool self_test = false;
  /// Not to be measured again where they hold: same device, driver and clocks.
  std::vector<KnownCeilings> known_ceilings;
  /// Set if a launcher started this process and others.
  std::optional<RankPlace> rank_place;

  bool operator==(const CollectRequest&) const = default;
};

namespace message {

/// First line: the device, what can be measured on it, and how the counters will be collected.
struct Hello {
  static constexpr const char* kType = "hello";
  DeviceInfo device;
  Catalogue catalogue;
  CounterSession counter_session;
  bool operator==(const Hello&) const = default;
};

/// `meet`: waits for the other ranks.
enum class Phase { self_test, ceilings, confirm, meet, primitives, verify, time, count };

/// Work on a point or a ceiling begins. After a crash it names the culprit.
struct Progress {
  static constexpr const char* kType = "progress";
  Phase phase = Phase::time;
  std::optional<std::size_t> point;  ///< index into `all_points(plan)`
  std::string what;                  ///< range name, or id of a ceiling or primitive
  bool operator==(const Progress&) const = default;
};

/// What the counters measured for kernels of known work.
struct SelfTested {
  static constexpr const char* kType = "self_test";
  SelfTest self_test;
  bool operator==(const SelfTested&) const = default;
};

struct CeilingMeasured {
  static constexpr const char* kType = "ceiling";
  Ceiling ceiling;
  bool operator==(const CeilingMeasured&) const = default;
};

/// The entry of the request's `known_ceilings` that holds on this device.
struct CeilingsKnown {
  static constexpr const char* kType = "ceilings_known";
  std::size_t index = 0;
  bool operator==(const CeilingsKnown&) const = default;
};

/// A primitive is measured, or has failed.
struct PrimitiveMeasured {
  static constexpr const char* kType = "primitive";
  PrimitiveResult result;
  bool operator==(const PrimitiveMeasured&) const = default;
};

/// A point is verified and timed, or has failed; its counters follow later.
struct PointTimed {
  static constexpr const char* kType = "time";
  std::size_t point = 0;
  Measurement measurement;
  bool operator==(const PointTimed&) const = default;
};

struct PointCounted {
  static constexpr const char* kType = "counters";
  std::size_t point = 0;
  RepeatedCounters counted;
  bool operator==(const PointCounted&) const = default;
};

/// Nothing more can be measured by this process.
struct Failure {
  static constexpr const char* kType = "failure";
  ErrorKind kind = ErrorKind::environment;
  std::string cause;
  std::string hint;
  bool operator==(const Failure&) const = default;
};

/// Last line of a run that was completed.
struct Bye {
  static constexpr const char* kType = "bye";
  CounterSession counter_session;
  bool operator==(const Bye&) const = default;
};

}  // namespace message

using Message = std::variant<message::Hello, message::Progress, message::SelfTested, message::CeilingMeasured,
                             message::CeilingsKnown, message::PrimitiveMeasured, message::PointTimed,
                             message::PointCounted, message::Failure, message::Bye>;

/// One line, without the newline.
std::string encode(const Message& message);

/// Throws Error(environment) if the line is not a message of this protocol.
Message decode(std::string_view line);

std::string encode(const CollectRequest& request);

/// Throws Error(usage).
CollectRequest decode_request(std::string_view text);

/// The answer to `rooflinectl-collector --selftest`.
struct TestedDevice {
  DeviceInfo device;
  SelfTest self_test;

  bool operator==(const TestedDevice&) const = default;
};

/// Answers to single questions, a JSON document each: `rooflinectl-collector --catalogue`, `--devices`,
/// `--metrics`, `--checks`, `--selftest`, `--links` and `--collectives`. Decoding throws Error(usage).
std::string encode(const Catalogue& catalogue);
std::string encode(const std::vector<DeviceInfo>& devices);
std::string encode(const std::vector<ChipCounters>& chips);
std::string encode(const std::vector<Check>& checks);
/// With the verdict of each agreement, and whether the test is passed.
std::string encode(const TestedDevice& tested);
/// The places of devices are those of the UUIDs that the collector was given.
std::string encode(const std::vector<LinkBandwidth>& links);
std::string encode(const Collectives& collectives);
Catalogue decode_catalogue(std::string_view text);
std::vector<DeviceInfo> decode_devices(std::string_view text);
std::vector<ChipCounters> decode_chips(std::string_view text);
std::vector<Check> decode_checks(std::string_view text);
TestedDevice decode_tested_device(std::string_view text);
std::vector<LinkBandwidth> decode_links(std::string_view text);
Collectives decode_collectives(std::string_view text);

}  // namespace rooflinectl
