// SPDX-License-Identifier: Apache-2.0
#include "analysis/ladder.h"

#include <algorithm>
#include <map>

#include "analysis/moves.h"
#include "analysis/point.h"

namespace rooflinectl {

namespace {

/// Complete results are not compared with partial ones.
bool same_output(const Catalogue& catalogue, const PointId& a, const PointId& b) {
  const VariantInfo* variant_a = catalogue.find_variant(a.variant);
  const VariantInfo* variant_b = catalogue.find_variant(b.variant);
  return variant_a != nullptr && variant_b != nullptr && variant_a->output == variant_b->output;
}

/// Whether a step leads to another version, at equal elements per thread where both have a number of them.
bool is_next_version(const PointId& from, const PointId& to) {
  return from.variant != to.variant && (!from.elements_per_thread || !to.elements_per_thread ||
                                        from.elements_per_thread == to.elements_per_thread);
}

/// Whether a step leads to another setting of the same version.
bool is_next_setting(const PointId& from, const PointId& to) {
  return from.variant == to.variant;
}

bool same_ladder(const Catalogue& catalogue, const RooflinePoint& a, const RooflinePoint& b) {
  const PointId& id_a = a.measurement->point;
  const PointId& id_b = b.measurement->point;
  return id_a.n_elements == id_b.n_elements && id_a.dtype == id_b.dtype && id_a.cache == id_b.cache &&
         id_a.block_size == id_b.block_size && id_a.launch_mode == id_b.launch_mode && a.family == b.family &&
         same_output(catalogue, id_a, id_b);
}

}  // namespace

std::vector<LadderStep> ladder_steps(const Catalogue& catalogue, const std::vector<RooflinePoint>& points) {
  std::map<std::uint64_t, std::vector<std::size_t>> places;  // of the points, by size
  std::vector<std::vector<DerivedQuantity>> quantities;
  for (const RooflinePoint& point : points) {
    places[point.measurement->point.n_elements].push_back(quantities.size());
    quantities.push_back(derived_quantities(*point.measurement));
  }

  std::vector<LadderStep> steps;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const RooflinePoint& from = points[i];
    const std::vector<std::size_t>& candidates = places[from.measurement->point.n_elements];
    const auto first = std::upper_bound(candidates.begin(), candidates.end(), i);
    for (const auto is_next : {is_next_setting, is_next_version}) {
      const auto found = std::find_if(first, candidates.end(), [&](std::size_t candidate) {
        return same_ladder(catalogue, from, points[candidate]) &&
               is_next(from.measurement->point, points[candidate].measurement->point);
      });
      if (found == candidates.end()) continue;
      const RooflinePoint& to = points[*found];
      if (!is_timed(*from.measurement) || !is_timed(*to.measurement)) continue;
      if (launch_mode(*from.measurement->time) != launch_mode(*to.measurement->time)) continue;
      const double speedup = from.measurement->time->median_s / to.measurement->time->median_s;
      auto moves = counter_moves(quantities[i], quantities[*found], kSmallestStepFactor);
      sort_by_explanation(moves, speedup, speedup >= 1 ? from.bound : to.bound);
      steps.push_back({&from, &to, speedup, std::move(moves)});
    }
  }
  return steps;
}

}  // namespace rooflinectl
