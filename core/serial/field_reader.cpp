// SPDX-License-Identifier: Apache-2.0
#include "core/serial/field_reader.h"

#include <limits>

#include "core/serial/fields/application_fields.h"
#include "core/serial/fields/plan_fields.h"
#include "core/text/written_number.h"

namespace rooflinectl::serial {

void FieldReader::read(const Reader& place, std::uint32_t& value) {
  std::uint64_t wide = 0;
  read(place, wide, AtMost{std::numeric_limits<std::uint32_t>::max()});
  value = static_cast<std::uint32_t>(wide);
}

void FieldReader::read(const Reader& place, std::uint64_t& value, AtMost most) {
  value = place.size();
  if (value > most.value) place.fail(fmt::format("more than {} elements", most.value));
}

void FieldReader::read(const Reader& place, double& value, Range range) {
  // Far beyond what anything measures, and far from where sums and quotients overflow.
  constexpr double kLeast = 1e-30;
  constexpr double kMost = 1e30;
  value = place.number();
  const bool is_in_range = (value >= kLeast && value <= kMost) || (value == 0 && range != Range::positive);
  if (range != Range::not_negative && !is_in_range) {
    place.fail(fmt::format("{} cannot be a measured value", value));
  }
}

void FieldReader::read(const Reader& place, ErrorKind& kind) {
  const int code = place.small_integer(0);
  if (code < static_cast<int>(ErrorKind::measurement) || code > static_cast<int>(ErrorKind::gate)) {
    place.fail("unknown kind of error");
  }
  kind = static_cast<ErrorKind>(code);
}

void FieldReader::read(const Reader& place, CounterValue& value) {
  if (place.is_number()) {
    double number = 0;
    read(place, number);
    value = CounterValue::measured(number);
  } else {
    value = CounterValue::unavailable(place["unavailable"].text());
  }
}

void FieldReader::read(const Reader& place, Counters& counters) {
  place.for_each_member([&](const std::string& key, const Reader& member) {
    CounterValue& value = counters.emplace(key, CounterValue::unavailable({})).first->second;
    read(member, value);
  });
}

void FieldReader::read(const Reader& place, ProgramProcess& process) {
  if (place.is_number()) return read(place, process.id);
  FieldReader reader(place);
  fields(reader, process);
}

void FieldReader::read(const Reader& place, Axes& axes) {
  place.for_each_member([&](const std::string& name, const Reader& member) {
    const auto set = [&]<typename T>(T value, auto... rule) {
      read(member, value, rule...);
      if constexpr (std::is_same_v<T, int>) {
        axes.set(name, static_cast<std::uint64_t>(value));
      } else {
        axes.set(name, value);
      }
    };
    if (name == axis::kDtype) return set(Dtype{});
    if (name == axis::kCache) return set(CacheState{});
    if (name == axis::kMode) return set(LaunchMode{});
    if (name == axis::kSize) return set(std::uint64_t{}, AtMost{kMaxElements});
    if (name == axis::kBlock && !member.is_number()) return set(std::string{});  // 16x16
    if (name == axis::kBlock || name == axis::kElements) return set(int{});
    if (name == axis::kGpus) return set(int{}, AtLeast{1});
    return member.is_number() ? set(std::uint64_t{}) : set(std::string{});
  });
}

}  // namespace rooflinectl::serial
