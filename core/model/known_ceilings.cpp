// SPDX-License-Identifier: Apache-2.0
#include "core/model/known_ceilings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rooflinectl {

KnownCeilings known_ceilings(const Run& run) {
  KnownCeilings known;
  known.uuid = run.device().uuid;
  known.driver_version = run.device().driver_version;
  known.sm_clock_hz = run.device().sm_clock_hz;
  known.launch_clock_hz = launch_clock_hz(run);
  for (const Ceiling& ceiling : run.ceilings) {
    if (ceiling.source != CeilingSource::measured || ceiling.device != Run::kFirstDevice) continue;
    known.ids.push_back(ceiling.id);
    if (!is_confirmed(ceiling)) known.unconfirmed_ids.push_back(ceiling.id);
  }
  return known;
}

double launch_clock_hz(const Run& run) {
  const Ceiling* launch = find_ceiling(run, ceiling_id::kLaunch, CeilingSource::measured, Run::kFirstDevice);
  return launch == nullptr ? 0 : launch->sm_clock_hz.value_or(0);
}

bool hold(const KnownCeilings& known, const DeviceInfo& device, double launch_clock_hz) {
  constexpr double kSameClock = 0.02;
  return may_hold(known, device) && known.sm_clock_hz == device.sm_clock_hz &&
         std::abs(known.launch_clock_hz - launch_clock_hz) <= kSameClock * known.launch_clock_hz;
}

bool may_hold(const KnownCeilings& known, const DeviceInfo& device) {
  return known.uuid == device.uuid && known.driver_version == device.driver_version;
}

bool is_known(const Run& run, const Ceiling& ceiling) {
  return find_ceiling(run, ceiling.id, ceiling.source, ceiling.device) != nullptr;
}

void add_if_unknown(Run& run, Ceiling ceiling) {
  if (!is_known(run, ceiling)) run.ceilings.push_back(std::move(ceiling));
}

bool is_confirmed(const Ceiling& ceiling) {
  return ceiling.confirmation || ceiling.source == CeilingSource::theoretical || !is_roof(ceiling.kind);
}

namespace {

enum class SubjectKind { memory, link, precision, precision_without_ceiling };

struct Subject {
  std::string_view id;
  std::string_view name;
  SubjectKind kind = SubjectKind::precision;
};

constexpr std::array kSubjects = {Subject{"dram", "DRAM", SubjectKind::memory},
                                  Subject{"l2", "L2", SubjectKind::memory},
                                  Subject{"l1", "L1", SubjectKind::memory},
                                  Subject{"shared", "shared", SubjectKind::memory},
                                  Subject{"pcie", "PCIe", SubjectKind::link},
                                  Subject{"nvlink", "NVLink", SubjectKind::link},
                                  Subject{"f64", "FP64"},
                                  Subject{"f32", "FP32"},
                                  Subject{"f16", "FP16"},
                                  Subject{"bf16", "BF16"},
                                  Subject{"tf32", "TF32"},
                                  Subject{"f8", "FP8"},
                                  Subject{"f4", "FP4"},
                                  Subject{"i64", "INT64", SubjectKind::precision_without_ceiling},
                                  Subject{"i32", "INT32"},
                                  Subject{"i8", "INT8"}};

}  // namespace

std::size_t subject_rank(std::string_view subject) {
  const auto found = std::ranges::find(kSubjects, subject, &Subject::id);
  return static_cast<std::size_t>(found - kSubjects.begin());
}

std::tuple<CeilingKind, bool, std::size_t> ceiling_rank(const Ceiling& ceiling) {
  return {ceiling.kind, ceiling.operation == "tensor" || ceiling.operation == "sustained",
          subject_rank(ceiling.subject)};
}

std::vector<std::string_view> ceiling_precisions() {
  std::vector<std::string_view> precisions;
  for (const Subject& subject : kSubjects) {
    if (subject.kind == SubjectKind::precision) precisions.push_back(subject.id);
  }
  return precisions;
}

std::string_view subject_name(std::string_view subject) {
  const std::size_t rank = subject_rank(subject);
  return rank < kSubjects.size() ? kSubjects.at(rank).name : subject;
}

}  // namespace rooflinectl
