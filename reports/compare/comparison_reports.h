// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "reports/charts/model/chart_model.h"
#include "reports/draw/scene.h"

/// A comparison as text, Markdown, JSON, page and picture. Each form shows all comparisons that it is given
/// (at least one): one for each new run.
namespace rooflinectl {

/// As a terminal shows it, at most `columns` wide.
std::string comparison_text(const RunComparison& comparison, int columns);

/// One document; SI units, ratios between 0 and 1.
std::string comparison_json(const std::vector<RunComparison>& comparisons);

/// GitHub-flavoured Markdown that shows the file `picture` in the same folder.
std::string comparison_md(const RunComparison& comparison, const std::string& picture);

/// One self-contained page, which needs no network. `pictures`: the SVG of each, shown where scripts do not
/// run.
std::string comparison_page(const std::vector<RunComparison>& comparisons,
                            const std::vector<std::string>& pictures);

/// Writes `comparison.html`, `comparison.md`, `comparison.json`, `movement.svg` and `movement.png` into the
/// existing folder `folder` and returns the files written. The Markdown and pictures of further comparisons
/// are numbered: `movement-2.svg`. They replace those of an earlier comparison together, and this throws, as
/// `write_together` does.
std::vector<std::filesystem::path> write_comparison(const std::vector<RunComparison>& comparisons,
                                                    const std::filesystem::path& folder,
                                                    const std::vector<std::filesystem::path>& inputs = {});

/// The pictures of comparisons (not empty) with the same base runs, 1600 × 900 each: on the roofline, whose
/// axes come from the ceilings and stay where they are, an arrow from where each point was to where it is;
/// beside it, for each point, the change of its time with the interval, regressions first.
std::vector<Scene> comparison_scenes(const std::vector<RunComparison>& comparisons);

/// The chart of each comparison without its points: roofs of the new run, and axes that hold both runs, the
/// same for all that share base runs.
std::vector<ChartModel> comparison_charts(const std::vector<RunComparison>& comparisons);

/// Where a point of either run lies on that chart; nothing where it has no place, or is null.
std::optional<PlanePoint> compared_place(const RooflinePoint* point);

}  // namespace rooflinectl
