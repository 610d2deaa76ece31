// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "core/model/dtype.h"
#include "core/model/point_id.h"
#include "core/serial/run_file.h"

namespace rooflinectl {

namespace {

using serial::Json;

/// Calls `change` with each object in the list `key` of `parent`.
template <typename Change>
void for_each_object(Json& parent, const char* key, Change change) {
  const auto list = parent.find(key);
  if (list == parent.end() || !list->is_array()) return;
  for (Json& element : *list) {
    if (element.is_object()) change(element);
  }
}

/// Gives the member `old_name` of `from`, if there is one, to `to`.
void move_member(Json& from, const char* old_name, Json& to, std::string_view new_name) {
  const auto member = from.find(old_name);
  if (member == from.end() || member->is_null()) return;
  to[std::string(new_name)] = std::move(*member);
}

Json upgraded_point(Json& old) {
  Json axes = Json::object();
  move_member(old, "dtype", axes, axis::kDtype);
  move_member(old, "n", axes, axis::kSize);
  move_member(old, "block_size", axes, axis::kBlock);
  move_member(old, "elements_per_thread", axes, axis::kElements);
  move_member(old, "cache", axes, axis::kCache);
  axes[std::string(axis::kMode)] = to_string(LaunchMode::graph);
  move_member(old, "launch_mode", axes, axis::kMode);
  Json point = Json::object();
  move_member(old, "variant", point, "subject");
  point["axes"] = std::move(axes);
  return point;
}

/// The type of declared operations: `precision`, else that of the accumulator of the input's type.
std::string type_of_operations(const Json& precision, const Json& point) {
  if (precision.is_string()) return precision.get<std::string>();
  const Json dtype = point["axes"].value("dtype", Json());
  const auto known =
      dtype.is_string() ? enumerator_from<Dtype>(dtype.get_ref<const std::string&>()) : std::nullopt;
  return std::string(to_string(accumulator(known.value_or(Dtype::f32))));
}

void upgrade_work(Json& work, const Json& point) {
  const Json precision = work.value("precision", Json());
  Json operations = Json::object();
  if (!precision.is_null() && !precision.is_string()) {
    operations = precision;  // neither can be read
  } else if (precision.is_string() || work.value("flops", Json()) != 0 ||
             work.value("fma_flops", Json()) != 0) {
    Json& done = operations[type_of_operations(precision, point)] = Json::object();
    move_member(work, "flops", done, "flops");
    move_member(work, "fma_flops", done, "fma_flops");
  }
  work["operations"] = std::move(operations);
}

void upgrade_measurement(Json& measurement) {
  const Json point = upgraded_point(measurement);
  measurement.update(point);
  measurement["device"] = 0;
  if (const auto work = measurement.find("work"); work != measurement.end() && work->is_object()) {
    upgrade_work(*work, point);
  }
}

}  // namespace

void upgrade_schema1(Json& run) {
  Json devices = Json::array();
  if (const auto device = run.find("device"); device != run.end()) devices.push_back(std::move(*device));
  run["devices"] = std::move(devices);
  if (const auto plan = run.find("plan"); plan != run.end() && plan->is_object()) {
    for_each_object(*plan, "experiments", [](Json& experiment) {
      for_each_object(experiment, "points", [](Json& point) { point = upgraded_point(point); });
    });
  }
  for_each_object(run, "ceilings", [](Json& ceiling) { ceiling["device"] = 0; });
  for_each_object(run, "measurements", upgrade_measurement);
}

}  // namespace rooflinectl
