// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/record_watch.h"

#include <algorithm>
#include <fstream>
#include <system_error>

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

/// What follows `key` in the line, up to the next quotation mark.
std::string_view text_after(std::string_view line, std::string_view key) {
  const std::size_t place = line.find(key);
  if (place == std::string_view::npos) return {};
  line.remove_prefix(place + key.size());
  return line.substr(0, line.find('"'));
}

}  // namespace

const ProfileProgress& RecordWatch::update() {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (entry.path().extension() == ".jsonl") read_on(entry.path());
  }
  progress_.processes = read_.size();
  return progress_;
}

void RecordWatch::read_on(const fs::path& path) {
  std::uint64_t& read = read_[path];
  std::ifstream file(path);
  file.seekg(static_cast<std::streamoff>(read));
  std::string line;
  while (std::getline(file, line) && !file.eof()) {
    read += line.size() + 1;
    add(line);
  }
}

void RecordWatch::add(std::string_view line) {
  constexpr std::string_view kBegin = R"({"type":")";
  if (!line.starts_with(kBegin)) return;
  const std::string_view type = text_after(line, kBegin);
  if (type == "group") {
    ++progress_.groups;
  } else if (type == "counted") {
    ++progress_.counted;
  } else if (type == "launches") {  // a list of lists
    progress_.launches += static_cast<std::uint64_t>(
        std::max<std::ptrdiff_t>(std::count(line.begin(), line.end(), '[') - 1, 0));
  } else if (type == "pass") {
    progress_.pass = text_after(line, R"("pass":")");
  }
}

}  // namespace rooflinectl
