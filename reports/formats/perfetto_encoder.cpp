// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/perfetto_encoder.h"

#include <protozero/pbf_builder.hpp>

namespace rooflinectl {
namespace {

using protozero::pbf_builder;
using protozero::pbf_tag_type;

// The numbers of the fields, by the names that Perfetto's schema gives them.
namespace field {

enum class Trace : pbf_tag_type { packet = 1 };

enum class TracePacket : pbf_tag_type {
  timestamp = 8,
  trusted_packet_sequence_id = 10,
  track_event = 11,
  interned_data = 12,
  sequence_flags = 13,
  track_descriptor = 60,
};

enum class TrackDescriptor : pbf_tag_type {
  uuid = 1,
  name = 2,
  process = 3,
  parent_uuid = 5,
  counter = 8,
  child_ordering = 11,
  sibling_order_rank = 12,
  description = 14,
};

enum class ProcessDescriptor : pbf_tag_type { pid = 1, process_name = 6 };

enum class CounterDescriptor : pbf_tag_type { unit_name = 6, y_axis_share_key = 7 };

enum class TrackEvent : pbf_tag_type {
  debug_annotations = 4,
  type = 9,
  name_iid = 10,
  track_uuid = 11,
  double_counter_value = 44,
};

enum class DebugAnnotation : pbf_tag_type { name_iid = 1, double_value = 5, string_value_iid = 17 };

enum class InternedData : pbf_tag_type {
  event_names = 2,
  debug_annotation_names = 3,
  debug_annotation_string_values = 29,
};

// Of EventName, DebugAnnotationName and InternedString alike.
enum class InternedName : pbf_tag_type { iid = 1, name = 2 };

}  // namespace field

// Values of enumerations in the schema.
constexpr std::int32_t kExplicitOrder = 3;             // TrackDescriptor.ChildTracksOrdering.EXPLICIT
constexpr std::int32_t kSliceBegin = 1;                // TrackEvent.Type
constexpr std::int32_t kSliceEnd = 2;                  // TrackEvent.Type
constexpr std::int32_t kCounterValue = 4;              // TrackEvent.Type
constexpr std::uint32_t kIncrementalStateCleared = 1;  // TracePacket.SequenceFlags
constexpr std::uint32_t kNeedsIncrementalState = 2;    // TracePacket.SequenceFlags

template <typename Tag>
void add_text(pbf_builder<Tag>& message, Tag tag, std::string_view text) {
  message.add_string(tag, text.data(), text.size());
}

/// A packet at the end of a trace. All packets belong to one sequence.
class Packet {
 public:
  explicit Packet(std::string& to, std::uint32_t flags = 0)
      : trace_(to), packet_(trace_, field::Trace::packet) {
    packet_.add_uint32(field::TracePacket::trusted_packet_sequence_id, 1);
    if (flags != 0) packet_.add_uint32(field::TracePacket::sequence_flags, flags);
  }

  void add_time(std::uint64_t time_ns) { packet_.add_uint64(field::TracePacket::timestamp, time_ns); }

  /// A message in the packet, which is written once the message is destroyed.
  template <typename Tag>
  pbf_builder<Tag> add(field::TracePacket tag) {
    return pbf_builder<Tag>(packet_, tag);
  }

 private:
  pbf_builder<field::Trace> trace_;
  pbf_builder<field::TracePacket> packet_;
};

void begin_event(pbf_builder<field::TrackEvent>& event, std::int32_t type, PerfettoEncoder::Track track) {
  event.add_enum(field::TrackEvent::type, type);
  event.add_uint64(field::TrackEvent::track_uuid, track);
}

/// A track below another.
void describe(pbf_builder<field::TrackDescriptor>& track, PerfettoEncoder::Track number,
              PerfettoEncoder::Track parent, int rank, std::string_view name) {
  track.add_uint64(field::TrackDescriptor::uuid, number);
  track.add_uint64(field::TrackDescriptor::parent_uuid, parent);
  add_text(track, field::TrackDescriptor::name, name);
  track.add_int32(field::TrackDescriptor::sibling_order_rank, rank);
}

/// A name that the trace does not have yet.
struct NewName {
  field::InternedData kind;
  std::uint64_t number = 0;
  std::string_view name;
};

void write_names(Packet& packet, const std::vector<NewName>& names) {
  if (names.empty()) return;
  auto data = packet.add<field::InternedData>(field::TracePacket::interned_data);
  for (const NewName& name : names) {
    pbf_builder<field::InternedName> entry(data, name.kind);
    entry.add_uint64(field::InternedName::iid, name.number);
    add_text(entry, field::InternedName::name, name.name);
  }
}

}  // namespace

PerfettoEncoder::PerfettoEncoder() {
  const Packet first(trace_, kIncrementalStateCleared);
}

PerfettoEncoder::Track PerfettoEncoder::add_group(std::string_view name) {
  Packet packet(trace_);
  auto track = packet.add<field::TrackDescriptor>(field::TracePacket::track_descriptor);
  track.add_uint64(field::TrackDescriptor::uuid, ++last_track_);
  add_text(track, field::TrackDescriptor::name, name);
  track.add_enum(field::TrackDescriptor::child_ordering, kExplicitOrder);
  return last_track_;
}

PerfettoEncoder::Track PerfettoEncoder::add_process(int pid, std::string_view name) {
  Packet packet(trace_);
  auto track = packet.add<field::TrackDescriptor>(field::TracePacket::track_descriptor);
  track.add_uint64(field::TrackDescriptor::uuid, ++last_track_);
  pbf_builder<field::ProcessDescriptor> process(track, field::TrackDescriptor::process);
  process.add_int32(field::ProcessDescriptor::pid, pid);
  add_text(process, field::ProcessDescriptor::process_name, name);
  return last_track_;
}

PerfettoEncoder::Track PerfettoEncoder::add_slices(Track parent, std::string_view name) {
  Packet packet(trace_);
  auto track = packet.add<field::TrackDescriptor>(field::TracePacket::track_descriptor);
  describe(track, ++last_track_, parent, children_[parent]++, name);
  return last_track_;
}

PerfettoEncoder::Track PerfettoEncoder::add_counter(Track parent, std::string_view name,
                                                    std::string_view unit, std::string_view description) {
  Packet packet(trace_);
  auto track = packet.add<field::TrackDescriptor>(field::TracePacket::track_descriptor);
  describe(track, ++last_track_, parent, children_[parent]++, name);
  add_text(track, field::TrackDescriptor::description, description);
  pbf_builder<field::CounterDescriptor> counter(track, field::TrackDescriptor::counter);
  add_text(counter, field::CounterDescriptor::unit_name, unit);
  if (unit == "%") add_text(counter, field::CounterDescriptor::y_axis_share_key, unit);
  return last_track_;
}

void PerfettoEncoder::begin_slice(Track track, std::uint64_t time_ns, std::string_view name,
                                  const std::vector<Annotation>& annotations) {
  std::vector<NewName> new_names;
  const auto number_of = [&](Names& names, field::InternedData kind, std::string_view text) {
    const auto [entry, is_new] = names.try_emplace(std::string(text), names.size() + 1);
    if (is_new) new_names.push_back({kind, entry->second, text});
    return entry->second;
  };
  struct Numbers {
    std::uint64_t name;
    std::uint64_t text;  // 0 where the value is a number
  };
  std::vector<Numbers> numbers;
  for (const auto& [key, value] : annotations) {
    const auto* text = std::get_if<std::string_view>(&value);
    numbers.push_back(
        {number_of(annotation_names_, field::InternedData::debug_annotation_names, key),
         text ? number_of(annotation_texts_, field::InternedData::debug_annotation_string_values, *text)
              : 0});
  }
  const std::uint64_t name_number = number_of(slice_names_, field::InternedData::event_names, name);

  Packet packet(trace_, kNeedsIncrementalState);
  packet.add_time(time_ns);
  write_names(packet, new_names);
  auto event = packet.add<field::TrackEvent>(field::TracePacket::track_event);
  begin_event(event, kSliceBegin, track);
  event.add_uint64(field::TrackEvent::name_iid, name_number);
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    pbf_builder<field::DebugAnnotation> annotation(event, field::TrackEvent::debug_annotations);
    annotation.add_uint64(field::DebugAnnotation::name_iid, numbers[i].name);
    if (const auto* number = std::get_if<double>(&annotations[i].value)) {
      annotation.add_double(field::DebugAnnotation::double_value, *number);
    } else {
      annotation.add_uint64(field::DebugAnnotation::string_value_iid, numbers[i].text);
    }
  }
}

void PerfettoEncoder::end_slice(Track track, std::uint64_t time_ns) {
  Packet packet(trace_);
  packet.add_time(time_ns);
  auto event = packet.add<field::TrackEvent>(field::TracePacket::track_event);
  begin_event(event, kSliceEnd, track);
}

void PerfettoEncoder::set_counter(Track track, std::uint64_t time_ns, double value) {
  Packet packet(trace_);
  packet.add_time(time_ns);
  auto event = packet.add<field::TrackEvent>(field::TracePacket::track_event);
  begin_event(event, kCounterValue, track);
  event.add_double(field::TrackEvent::double_counter_value, value);
}

}  // namespace rooflinectl
