// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/text/names.h"
#include "kernels/ceiling.h"
#include "kernels/known_work.h"
#include "kernels/primitive.h"
#include "kernels/variant.h"

namespace rooflinectl::kernels {

namespace {

/// The lists that registrations fill. Function statics, so that they exist before any registration object.
template <typename Item>
std::vector<Item>& list_of() {
  static std::vector<Item> list;
  return list;
}

std::vector<CeilingBenchmark>& stand_ins() {
  static std::vector<CeilingBenchmark> list;
  return list;
}

template <typename Item>
const std::string& id_of(const Item& item) {
  if constexpr (requires { item.info; }) {
    return item.info.id;
  } else {
    return item.id;
  }
}

template <typename Item>
void insert_sorted(std::vector<Item>& list, Item item) {
  const auto place =
      std::ranges::find_if(list, [&](const Item& other) { return natural_less(id_of(item), id_of(other)); });
  list.insert(place, std::move(item));
}

template <typename Item>
void insert_sorted(std::vector<Item> group) {
  for (Item& item : group) insert_sorted(list_of<Item>(), std::move(item));
}

void require_new(const std::string& kind, const std::string& id, const char* path) {
  static std::map<std::string, std::string> file_of;
  const std::string file = std::filesystem::path(path).filename();
  const auto [first, is_new] = file_of.emplace(kind + ' ' + id, file);
  if (is_new) return;
  // This runs before main, where nobody could catch an exception.
  std::fprintf(stderr, "%s and %s both register the %s '%s'\n", first->second.c_str(), file.c_str(),
               kind.c_str(), id.c_str());
  std::exit(2);
}

}  // namespace

Share share_of(const Problem& problem, int gpu) {
  const auto gpus = static_cast<std::uint64_t>(problem.gpus);
  const auto number = static_cast<std::uint64_t>(gpu);
  const std::uint64_t larger = problem.n % gpus;
  return {.begin = number * (problem.n / gpus) + std::min(number, larger),
          .n = problem.n / gpus + (number < larger ? 1 : 0)};
}

LaunchShape launch_shape(const Variant& variant, const Problem& problem) {
  LaunchShape shape = variant.shape(problem);
  if (variant.loads == nullptr || shape.grid == 0) return shape;
  const IndependentLoads loads = variant.loads(problem);
  const double asked_for = static_cast<double>(shape.block) * loads.count * static_cast<double>(loads.bytes);
  const std::uint64_t elements_per_block = (share_of(problem, 0).n + shape.grid - 1) / shape.grid;
  const double share = static_cast<double>(elements_per_block * size_bytes(problem.dtype));
  shape.bytes_in_flight_per_block = std::min(asked_for, share);
  return shape;
}

std::uint64_t output_count(const Variant& variant, const Problem& problem) {
  return variant.info.output == OutputKind::scalar ? 1 : variant.shape(problem).grid;
}

const std::vector<Variant>& all_variants() {
  return list_of<Variant>();
}

const Variant* find_variant(std::string_view id) {
  const auto found = std::ranges::find(all_variants(), id, id_of<Variant>);
  return found == all_variants().end() ? nullptr : &*found;
}

Registration::Registration(Variant variant, const char* file) {
  require_new("variant", variant.info.id, file);
  variant.file = file;
  insert_sorted(list_of<Variant>(), std::move(variant));
}

Work sum_work(const Problem& problem, std::uint64_t outputs) {
  const auto n = static_cast<double>(problem.n);
  const auto results = static_cast<double>(outputs);
  Work work;
  work.read_bytes = n * static_cast<double>(size_bytes(problem.dtype));
  work.written_bytes = results * static_cast<double>(size_bytes(accumulator(problem.dtype)));
  work.operations[accumulator(problem.dtype)].flops = std::max(0.0, n - results);
  return work;
}

const std::vector<CeilingBenchmark>& all_ceiling_benchmarks() {
  return list_of<CeilingBenchmark>();
}

const std::vector<CeilingBenchmark>& stand_in_benchmarks() {
  return stand_ins();
}

bool has_code_for(const CeilingBenchmark& benchmark, int compute_capability) {
  const auto& chips = benchmark.compute_capabilities;
  return compute_capability >= benchmark.minimum_sm &&
         (chips.empty() || std::ranges::find(chips, compute_capability) != chips.end());
}

const CeilingBenchmark& benchmark_on(const CeilingBenchmark& benchmark, int compute_capability) {
  const auto other = std::ranges::find_if(stand_ins(), [&](const CeilingBenchmark& one) {
    return one.stands_for == benchmark.id && has_code_for(one, compute_capability);
  });
  return other != stand_ins().end() ? *other : benchmark;
}

CeilingRegistration::CeilingRegistration(CeilingBenchmark benchmark, const char* file) {
  require_new("ceiling", benchmark.id, file);
  benchmark.file = file;
  std::vector<CeilingBenchmark>& list =
      benchmark.stands_for.empty() ? list_of<CeilingBenchmark>() : stand_ins();
  insert_sorted(list, std::move(benchmark));
}

const std::vector<KnownWork>& all_known_work() {
  return list_of<KnownWork>();
}

KnownWorkRegistration::KnownWorkRegistration(std::vector<KnownWork> group) {
  insert_sorted(std::move(group));
}

int LanePrimitive::elements() const {
  const int group = info.scope == PrimitiveScope::warp ? 32 : kPrimitiveBlock;
  return group * static_cast<int>(value_bytes / size_bytes(info.dtype));
}

const std::vector<LanePrimitive>& all_lane_primitives() {
  return list_of<LanePrimitive>();
}

const std::vector<DevicePrimitive>& all_device_primitives() {
  return list_of<DevicePrimitive>();
}

PrimitiveRegistration::PrimitiveRegistration(std::vector<LanePrimitive> primitives) {
  insert_sorted(std::move(primitives));
}

PrimitiveRegistration::PrimitiveRegistration(std::vector<DevicePrimitive> primitives) {
  insert_sorted(std::move(primitives));
}

}  // namespace rooflinectl::kernels
