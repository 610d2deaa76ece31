// SPDX-License-Identifier: Apache-2.0
#include "runner/runs/replay.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/serial/run_file.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

/// Whether a point of `plan` is the same in `other`: of a kernel from a file, the name alone says little.
bool is_same_kernel(const Plan& plan, const Plan& other, const std::string& subject) {
  const FileKernel* const kernel = find_file_kernel(plan, subject);
  const FileKernel* const recorded = find_file_kernel(other, subject);
  if (kernel == nullptr || recorded == nullptr) return kernel == recorded;
  return kernel->text == recorded->text && kernel->function == recorded->function &&
         kernel->options == recorded->options && kernel->arguments == recorded->arguments &&
         kernel->launch == recorded->launch;
}

/// The identity of a point without its experiment.
std::string work_of(PointId point) {
  point.experiment.clear();
  return range_name(point);
}

}  // namespace

Replay replay(const Plan& plan, const Run& recording) {
  Replay answer;
  answer.run = recording;
  answer.run.source = RunSource::replayed;
  answer.run.plan = plan;
  answer.run.measurements.clear();
  answer.run.primitives.clear();
  for (const std::string& id : plan.primitives) {
    const auto found = std::find_if(recording.primitives.begin(), recording.primitives.end(),
                                    [&](const PrimitiveResult& result) { return result.info.id == id; });
    if (found == recording.primitives.end()) {
      answer.missing_primitives.push_back(id);
    } else {
      answer.run.primitives.push_back(*found);
    }
  }
  std::unordered_map<std::string, const Measurement*> recorded;  // the first of each
  for (const Measurement& measurement : recording.measurements) {
    recorded.emplace(work_of(measurement.point), &measurement);
  }
  for (const PointId& point : all_points(plan)) {
    const auto found = recorded.find(work_of(point));
    if (found == recorded.end() || !is_same_kernel(plan, recording.plan, point.subject)) {
      answer.missing.push_back(point);
      continue;
    }
    answer.run.measurements.push_back(*found->second);
    answer.run.measurements.back().point.experiment = point.experiment;
  }
  return answer;
}

namespace {

std::size_t missing(const Replay& replay) {
  return replay.missing.size() + replay.missing_primitives.size();
}

}  // namespace

std::optional<Replay> replay_best(const Plan& plan, const std::vector<fs::path>& recordings) {
  std::optional<Replay> best;
  for (const fs::path& path : recordings) {
    Replay candidate = replay(plan, read_run(path));
    if (!best || missing(candidate) < missing(*best)) best = std::move(candidate);
    if (missing(*best) == 0) break;
  }
  if (best && best->run.measurements.empty() && best->run.primitives.empty()) return std::nullopt;
  return best;
}

fs::path shipped_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = program.parent_path().parent_path() / "share/rooflinectl";
  return fs::is_directory(folder, error) ? folder : fs::path();
}

std::vector<fs::path> shipped_recordings() {
  std::error_code error;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(shipped_folder() / "recordings", error)) {
    const fs::path file = run_file(entry.path());
    if (fs::exists(file, error)) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace rooflinectl
