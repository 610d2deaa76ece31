// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/files/files.h"
#include "reports/compare/comparison_layout.h"
#include "reports/compare/comparison_reports.h"
#include "reports/draw/png.h"
#include "reports/draw/svg.h"

namespace rooflinectl {

std::vector<std::filesystem::path> write_comparison(const std::vector<RunComparison>& comparisons,
                                                    const std::filesystem::path& folder,
                                                    const std::vector<std::filesystem::path>& inputs) {
  std::vector<std::filesystem::path> files;
  const auto write = [&](const std::string& name, const std::string& content) {
    files.push_back(folder / name);
    refuse_to_overwrite(files.back(), inputs);
    write_file(files.back(), content);
  };
  const std::vector<Scene> scenes = comparison_scenes(comparisons);
  std::vector<std::string> pictures;
  for (const Scene& scene : scenes) pictures.push_back(to_svg(scene));
  write("comparison.html", comparison_page(comparisons, pictures));
  write("comparison.json", comparison_json(comparisons));
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const std::string number = i == 0 ? "" : fmt::format("-{}", i + 1);
    const std::string picture = fmt::format("movement{}", number);
    write(picture + ".svg", pictures[i]);
    write(picture + ".png", to_png(scenes[i]));
    write(fmt::format("comparison{}.md", number), comparison_md(comparisons[i], picture + ".png"));
  }
  return files;
}

}  // namespace rooflinectl
