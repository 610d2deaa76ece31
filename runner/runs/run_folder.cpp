// SPDX-License-Identifier: Apache-2.0
#include "runner/runs/run_folder.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/files/files.h"
#include "core/serial/run_file.h"
#include "core/text/names.h"
#include "runner/built_in.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr const char* kHint = "choose another folder with --output";

std::tm utc(std::chrono::system_clock::time_point time) {
  return fmt::gmtime(std::chrono::system_clock::to_time_t(time));
}

constexpr std::string_view kRank = "-rank";

/// `-rank07` of 16: folders sort by ranks.
std::string rank_suffix(const std::optional<LauncherRank>& rank) {
  if (!rank || !rank->has_others()) return {};
  const std::size_t digits = fmt::formatted_size("{}", rank->ranks.value_or(1) - 1);
  return fmt::format("{}{:0{}}", kRank, rank->rank, digits);
}

[[noreturn]] void fail(const fs::path& path, const char* problem, const std::string& cause) {
  throw Error(ErrorKind::environment, fmt::format("{}: {}: {}", path.string(), problem, cause), kHint);
}

}  // namespace

std::string utc_time(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc(time));
}

std::string plain_name(std::string text, const char* otherwise) {
  text.resize(std::min(text.size(), kMaxNameLength));
  for (char& letter : text) {
    if (!is_plain_name(std::string_view(&letter, 1))) letter = '_';
  }
  return text.empty() ? otherwise : text;
}

fs::path create_run_folder(const fs::path& parent, const std::string& plan_name,
                           std::chrono::system_clock::time_point time,
                           const std::optional<LauncherRank>& rank) {
  if (!is_plain_name(plan_name)) {
    throw Error(ErrorKind::usage, fmt::format("'{}' is not a valid folder name", plan_name),
                "a plan's name consists of letters, digits, '_' and '-'");
  }
  const fs::path plan_folder = make_folder(parent / plan_name);
  std::error_code error;

  // No colons: some file systems and tools do not take them.
  const std::string name = fmt::format("{:%Y-%m-%dT%H-%M-%SZ}{}", utc(time), rank_suffix(rank));
  fs::path folder = plan_folder / name;
  for (int number = 2; !fs::create_directory(folder, error); ++number) {
    if (error) fail(folder, "cannot be created", error.message());
    folder = plan_folder / fmt::format("{}-{}", name, number);
  }
  if (access(folder.c_str(), W_OK) != 0) {
    fail(folder, "cannot be written", std::generic_category().message(errno));
  }
  return folder;
}

std::optional<int> rank_of(const fs::path& folder) {
  const std::string name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  const std::size_t begin = name.rfind(kRank);
  if (begin == std::string::npos) return std::nullopt;
  int rank = 0;
  const char* const digits = name.data() + begin + kRank.size();
  return std::from_chars(digits, name.data() + name.size(), rank).ec == std::errc() ? std::optional(rank)
                                                                                    : std::nullopt;
}

void remove_run_folder(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  fs::remove(folder.parent_path(), ignored);  // fails where it is not empty
}

Error rescue_run(const Run& run, const Error& why) {
  const fs::path file =
      create_run_folder(make_private_folder(), run.plan.name, std::chrono::system_clock::now()) / "run.json";
  write_run(file, run);
  return {
      ErrorKind::environment, fmt::format("{}; all results were saved to {}", why.what(), file.string()),
      fmt::format("write the reports to another folder: rooflinectl report {} --output DIR", file.string())};
}

bool link_latest(const fs::path& run_folder) {
  const fs::path link = run_folder.parent_path() / "latest";
  std::error_code error;
  const fs::file_status there = fs::symlink_status(link, error);
  if (fs::exists(there) && !fs::is_symlink(there)) return false;
  const fs::path temporary = unforeseen_name(run_folder.parent_path());
  fs::create_symlink(run_folder.filename(), temporary, error);
  if (!error) fs::rename(temporary, link, error);
  if (!error) return true;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  fail(link, "link cannot be created", error.message());
}

FolderLock::FolderLock(const std::filesystem::path& folder)
    : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  const bool is_held_elsewhere =
      folder_.is_open() && flock(folder_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (is_held_elsewhere) {
    throw Error(ErrorKind::environment,
                fmt::format("{}: another rooflinectl is writing to it", folder.string()),
                "wait until it finishes, or stop it");
  }
}

namespace {

[[noreturn]] void refuse(const fs::path& folder, std::string_view what, std::string_view then,
                         std::string_view now) {
  throw Error(
      ErrorKind::usage,
      fmt::format("{}: cannot resume: measured with {} {}, but this is {}", folder.string(), what, then, now),
      "the new results would not be comparable with the old ones; start a new run");
}

std::string build(std::string_view version, std::string_view commit) {
  return fmt::format("{} (commit {})", version, commit);
}

}  // namespace

UnfinishedRun load_unfinished(const fs::path& path) {
  const fs::path file = run_file(path);
  UnfinishedRun unfinished;
  unfinished.run = read_run(file);
  // `latest` may point elsewhere before the run has ended.
  unfinished.folder = fs::canonical(file).parent_path();
  if (unfinished.run.devices.size() > 1 && has_ceilings_alone(unfinished.run.plan)) {
    throw Error(ErrorKind::usage, fmt::format("{}: cannot resume ceilings of several devices", file.string()),
                "rooflinectl ceilings with the same --device, without --fresh, reuses what was measured");
  }
  if (unfinished.run.source == RunSource::replayed) {
    throw Error(ErrorKind::usage, fmt::format("{}: cannot resume a replay", file.string()),
                "start a new run on a machine with a GPU");
  }
  const std::string then = build(unfinished.run.tool_version, unfinished.run.tool_commit);
  const std::string now = build(tool_version(), tool_commit());
  if (then != now) refuse(unfinished.folder, "rooflinectl", then, now);
  return unfinished;
}

std::vector<std::size_t> measured_devices(const Run& run) {
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < run.devices.size(); ++place) {
    const bool has_point = std::ranges::any_of(run.measurements, [&](const Measurement& measurement) {
      return measurement.device == place && !measurement.launches;
    });
    // A program starts once all points are measured: then the other devices are only its own.
    if (has_point || !run.application || place == Run::kFirstDevice) places.push_back(place);
  }
  return places;
}

void require_same_device(const UnfinishedRun& unfinished, const DeviceInfo& here) {
  const DeviceInfo& then = unfinished.run.device();
  if (then.uuid != here.uuid) refuse(unfinished.folder, "device", then.uuid, here.uuid);
  if (then.driver_version != here.driver_version) {
    refuse(unfinished.folder, "driver", then.driver_version, here.driver_version);
  }
}

namespace {

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
    const auto found = std::ranges::find_if(
        recording.primitives, [&](const PrimitiveResult& result) { return result.info.id == id; });
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
  std::ranges::sort(files);
  return files;
}

}  // namespace rooflinectl
