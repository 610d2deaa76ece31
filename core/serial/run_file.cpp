// SPDX-License-Identifier: Apache-2.0
#include "core/serial/run_file.h"

#include "core/files/compression.h"
#include "core/files/files.h"
#include "core/json/json.h"

namespace rooflinectl {

namespace fs = std::filesystem;

fs::path run_file(const fs::path& run) {
  std::error_code unknown;  // reported when it is read
  if (!fs::is_directory(run, unknown)) return run;
  const fs::path plain = run / "run.json";
  const fs::path compressed = run / "run.json.gz";
  return !fs::exists(plain, unknown) && fs::exists(compressed, unknown) ? compressed : plain;
}

std::vector<fs::path> run_files(const std::vector<std::string>& runs) {
  std::vector<fs::path> files;
  for (const std::string& run : runs) files.push_back(run_file(run));
  return files;
}

std::string run_text(const fs::path& file) {
  std::string content = read_file(file);
  return is_gzipped(content) ? gunzipped(content, file.string(), kMaxFileBytes) : content;
}

Run read_run(const fs::path& file) {
  return run_from_json(run_text(file), file.string());
}

Run read_run_without_details(const fs::path& file) {
  static const std::set<std::string_view> details = {"counters", "counter_repeats", "counter_spread",
                                                     "over_time", "samples_s"};
  return run_from_json(serial::emptied(run_text(file), details), file.string());
}

void write_run(const fs::path& file, const Run& run) {
  const std::string text = run_to_json(run);
  write_file(file, file.extension() == ".gz" ? gzipped(text) : text);
}

Run as_written(const Run& run) {
  return run_from_json(run_to_json(run), "run.json");
}

}  // namespace rooflinectl
