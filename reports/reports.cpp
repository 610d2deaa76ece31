// SPDX-License-Identifier: Apache-2.0
#include "reports/reports.h"

#include "analysis/analysis.h"
#include "core/files.h"
#include "reports/chart_layout.h"
#include "reports/chart_model.h"
#include "reports/file_names.h"
#include "reports/page.h"
#include "reports/png.h"
#include "reports/points_csv.h"
#include "reports/summary_md.h"
#include "reports/svg.h"

namespace rooflinectl {

std::vector<std::filesystem::path> write_reports(const Run& run, const std::filesystem::path& folder) {
  const Analysis analysis = analyse(run);
  std::vector<std::filesystem::path> files;
  const auto write = [&](const std::string& name, std::string_view content) {
    files.push_back(folder / name);
    write_file(files.back(), content);
  };
  std::vector<std::string> svgs;
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    const Scene scene = chart_scene(chart_model(run, experiment));
    const std::string png = to_png(scene);
    svgs.push_back(to_svg(scene));
    const std::string name = chart_file_name(experiment.name);
    write(name + ".svg", svgs.back());
    write(name + ".png", png);
    if (svgs.size() == 1) {
      write("roofline.svg", svgs.back());
      write("roofline.png", png);
    }
  }
  write("points.csv", points_csv(analysis));
  write("summary.md", summary_md(run, analysis));
  write("report.html", report_page(run, analysis, svgs));
  return files;
}

}  // namespace rooflinectl
