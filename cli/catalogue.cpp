// SPDX-License-Identifier: Apache-2.0
#include "cli/catalogue.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "cli/catalogue_ids.h"
#include "cli/collector_process.h"
#include "cli/measure.h"
#include "cli/replay.h"
#include "core/error.h"
#include "core/files.h"
#include "core/protocol.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kAnswerLimit{30};

/// The ids that the source tree had, described as far as the shipped recordings know them.
Catalogue catalogue_of_ids() {
  std::vector<Catalogue> recorded;
  for (const fs::path& path : shipped_recordings()) {
    recorded.push_back(run_from_json(read_file(path), path.string()).catalogue);
  }
  Catalogue catalogue;
  for (const std::string_view id : kVariantIds) {
    VariantInfo& variant = catalogue.variants.emplace_back();
    variant.id = id;
    for (const Catalogue& other : recorded) {
      if (const VariantInfo* described = other.find_variant(id)) variant = *described;
    }
  }
  for (const std::string_view id : kCeilingIds) catalogue.ceilings.emplace_back(id);
  return catalogue;
}

Error no_catalogue(const fs::path& collector, const std::string& cause, const std::string& hint) {
  return {ErrorKind::environment, fmt::format("{} --catalogue {}", collector.string(), cause), hint};
}

Catalogue catalogue_in(const std::string& answer, const fs::path& collector) {
  try {
    return decode_catalogue(answer);
  } catch (const Error& error) {
    throw no_catalogue(collector, fmt::format("gave no catalogue: {}", error.what()),
                       "rooflinectl and rooflinectl-collector must come from the same installation");
  }
}

Catalogue ask_collector(const fs::path& collector) {
  const auto deadline = CollectorProcess::Clock::now() + kAnswerLimit;
  CollectorProcess process(collector, {"--catalogue"}, {});
  std::string answer;
  std::string log;
  while (true) {
    const CollectorProcess::Event event = process.next(deadline);
    if (const auto* line = std::get_if<CollectorProcess::Line>(&event)) {
      answer += line->text + "\n";
    } else if (const auto* log_line = std::get_if<CollectorProcess::LogLine>(&event)) {
      log = log_line->text;
    } else if (const auto* exited = std::get_if<CollectorProcess::Exited>(&event)) {
      if (exited->wait_status == 0) return catalogue_in(answer, collector);
      throw no_catalogue(collector, describe_exit(exited->wait_status), log);
    } else {
      throw no_catalogue(collector, "gave no answer", {});
    }
  }
}

}  // namespace

std::optional<fs::path> find_collector() {
  if (const char* const path = std::getenv("ROOFLINECTL_COLLECTOR")) return path;
  std::error_code error;
  const fs::path collector =
      fs::read_symlink("/proc/self/exe", error).parent_path() / "rooflinectl-collector";
  if (error || !fs::exists(collector, error)) return std::nullopt;
  return collector;
}

fs::path require_collector() {
  if (const auto collector = find_collector()) return *collector;
  throw CannotMeasure(ErrorKind::environment,
                      "rooflinectl-collector is not installed: this build can draw runs but not measure them",
                      "install a build with CUDA (cmake --preset release) on the machine with the GPU");
}

Catalogue load_catalogue() {
  const auto collector = find_collector();
  return collector ? ask_collector(*collector) : catalogue_of_ids();
}

}  // namespace rooflinectl
