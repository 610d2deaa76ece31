// SPDX-License-Identifier: Apache-2.0
#include "core/files/files.h"
#include "reports/history/history_reports.h"

namespace rooflinectl {

std::vector<std::filesystem::path> write_history(const HistoryReport& report,
                                                 const std::filesystem::path& folder,
                                                 const std::vector<std::filesystem::path>& inputs) {
  std::vector<std::filesystem::path> files;
  const auto write = [&](const char* name, const std::string& content) {
    files.push_back(folder / name);
    refuse_to_overwrite(files.back(), inputs);
    write_file(files.back(), content);
  };
  write("history.html", history_page(report));
  write("history.csv", history_csv(report));
  write("history.json", history_json(report));
  return files;
}

}  // namespace rooflinectl
