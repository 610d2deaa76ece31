// SPDX-License-Identifier: Apache-2.0
#include "core/model/ceiling_subjects.h"

#include <algorithm>
#include <array>

#include "core/model/run.h"

namespace rooflinectl {

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
                                  Subject{"i64", "INT64", SubjectKind::precision_without_ceiling},
                                  Subject{"i32", "INT32"},
                                  Subject{"i8", "INT8"}};

}  // namespace

std::size_t subject_rank(std::string_view subject) {
  const auto found = std::find_if(kSubjects.begin(), kSubjects.end(),
                                  [&](const Subject& known) { return known.id == subject; });
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
