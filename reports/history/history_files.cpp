// SPDX-License-Identifier: Apache-2.0
#include "core/files/output_files.h"
#include "reports/history/history_reports.h"

namespace rooflinectl {

std::vector<std::filesystem::path> write_history(const HistoryReport& report,
                                                 const std::filesystem::path& folder,
                                                 const std::vector<std::filesystem::path>& inputs) {
  constexpr const char* kPageName = "history.html";
  return write_together(folder, kPageName,
                        {{kPageName, history_page(report)},
                         {"history.csv", history_csv(report)},
                         {"history.json", history_json(report)}},
                        inputs);
}

}  // namespace rooflinectl
