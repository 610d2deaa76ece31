// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace rooflinectl {

/// Writes Perfetto's protobuf trace (perfetto/trace/perfetto_trace.proto): tracks of slices and of counters.
/// Times are nanoseconds; those of one track must not descend. Names are written once, however often they are
/// used.
class PerfettoEncoder {
 public:
  using Track = std::uint64_t;

  /// A detail of a slice.
  struct Annotation {
    std::string_view name;
    std::variant<double, std::string_view> value;
  };

  PerfettoEncoder();

  /// A track that only contains others, in the order in which they are added.
  Track add_group(std::string_view name);
  /// A process, which contains tracks, too.
  Track add_process(int pid, std::string_view name);
  /// A track of slices. Perfetto shows tracks with the same parent and the same name together.
  Track add_slices(Track parent, std::string_view name);
  /// A track of values. Tracks with the same parent whose unit is `%` share an axis.
  Track add_counter(Track parent, std::string_view name, std::string_view unit, std::string_view description);

  void begin_slice(Track track, std::uint64_t time_ns, std::string_view name,
                   const std::vector<Annotation>& annotations = {});
  /// Ends the open slice of `track` that was begun last.
  void end_slice(Track track, std::uint64_t time_ns);
  /// The value of a counter from this time on, until its next one.
  void set_counter(Track track, std::uint64_t time_ns, double value);

  /// The trace. Nothing may be added afterwards.
  std::string take() { return std::move(trace_); }

 private:
  /// The number of each name.
  using Names = std::unordered_map<std::string, std::uint64_t>;

  std::string trace_;
  Track last_track_ = 0;
  std::unordered_map<Track, int> children_;  ///< how many a track has
  Names slice_names_;
  Names annotation_names_;
  Names annotation_texts_;
};

}  // namespace rooflinectl
