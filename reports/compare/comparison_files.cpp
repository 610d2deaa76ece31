// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/files/output_files.h"
#include "reports/compare/comparison_reports.h"
#include "reports/draw/encoders.h"

namespace rooflinectl {

std::vector<std::filesystem::path> write_comparison(const std::vector<RunComparison>& comparisons,
                                                    const std::filesystem::path& folder,
                                                    const std::vector<std::filesystem::path>& inputs) {
  constexpr const char* kPageName = "comparison.html";
  const std::vector<Scene> scenes = comparison_scenes(comparisons);
  std::vector<std::string> pictures;
  for (const Scene& scene : scenes) pictures.push_back(to_svg(scene));
  std::vector<OutputFile> files = {{kPageName, comparison_page(comparisons, pictures)},
                                   {"comparison.json", comparison_json(comparisons)}};
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const std::string number = i == 0 ? "" : fmt::format("-{}", i + 1);
    const std::string picture = fmt::format("movement{}", number);
    files.push_back({picture + ".svg", pictures[i]});
    files.push_back({picture + ".png", to_png(scenes[i])});
    files.push_back(
        {fmt::format("comparison{}.md", number), comparison_md(comparisons[i], picture + ".png")});
  }
  return write_together(folder, kPageName, files, inputs);
}

}  // namespace rooflinectl
