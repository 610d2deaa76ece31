// SPDX-License-Identifier: Apache-2.0
// In the pictures of any run, no text overlaps another, is cut off or lies over a roof.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/model/known_ceilings.h"
#include "reports/charts/layouts/layouts.h"
#include "reports/charts/parts/plot.h"
#include "reports/draw/theme.h"
#include "tests/golden/golden_run.h"
#include "tests/support/constructed_run.h"

namespace rooflinectl::chart_layout_test {
namespace {

/// Made by the test that needs it: every test is a process of its own, and would make them all.
struct Case {
  std::string name;
  std::function<Run()> run;
};

/// `count` copies of V8, each `factor` times as fast as the one before it, with labels from `label_of`.
template <typename LabelOf>
Run copies(int count, double factor, LabelOf label_of) {
  auto run = constructed::empty_run();
  Experiment experiment{.name = "copies", .title = "Copies", .timing = {}, .points = {}};
  constructed::Variant variant = constructed::variants()[9];
  for (int i = 0; i < count; ++i) {
    const std::string id = fmt::format("copy_{}", i);
    VariantInfo info = run.catalogue.variants[9];
    info.id = id;
    info.label = label_of(i);
    run.catalogue.variants.push_back(info);
    PointId point = constructed::point_id(experiment.name, variant, Dtype::f32, 28);
    point.subject = id;
    experiment.points.push_back(point);
    run.measurements.push_back(constructed::measurement(variant, point));
    variant.bytes_per_s *= factor;
  }
  run.plan.experiments = {experiment};
  return run;
}

std::string short_label(int i) {
  return fmt::format("W{}", i);
}

Run without_counters(Run run) {
  for (Measurement& measurement : run.measurements) measurement.counters.clear();
  return run;
}

Run without_ceilings(Run run) {
  run.ceilings.clear();
  return run;
}

Run with_many_ceilings(Run run) {
  for (const std::string precision : {"f64", "f16", "bf16", "i32"}) {
    for (const std::string operation : {"fma", "add"}) {
      const double value = 1e12 * static_cast<double>(20 + 7 * run.ceilings.size());
      for (const CeilingSource source : {CeilingSource::measured, CeilingSource::theoretical}) {
        run.ceilings.push_back(constructed::ceiling(
            precision + "_" + operation, CeilingKind::compute, source, precision, operation,
            value * (source == CeilingSource::measured ? 1 : 1.03), "constructed"));
      }
    }
  }
  return run;
}

Run with_failures(Run run) {
  for (std::size_t i = 0; i < run.measurements.size(); i += 2) {
    run.measurements[i].status = Status::failed;
    run.measurements[i].cause = "an illegal memory access was encountered";
    run.measurements[i].time.reset();
    run.measurements[i].counters.clear();
  }
  return run;
}

Run with_absurd_values(Run run) {
  run.measurements[0].time = constructed::time(1e308);
  run.measurements[1].time = constructed::time(1e-308);
  run.ceilings[0].value = 1e-308;
  run.ceilings[1].value = 1e308;
  return run;
}

std::vector<Case> cases() {
  const auto long_label = [](int i) {
    return fmt::format("a name that goes on and on and on and never ends {}", i);
  };
  const auto markup = [](int i) { return fmt::format("<script>alert({})</script>&amp;\"'", i); };
  return {
      {"constructed", [=] { return constructed::run(); }},
      {"forty at one intensity", [=] { return copies(40, 1.0, short_label); }},
      {"forty, half a percent apart", [=] { return copies(40, 0.995, short_label); }},
      {"ninety at one place", [=] { return copies(90, 1.0, short_label); }},
      {"twelve, far apart", [=] { return copies(12, 0.12, short_label); }},
      {"two", [=] { return copies(2, 0.9, short_label); }},
      {"one", [=] { return copies(1, 1.0, short_label); }},
      {"none", [=] { return copies(0, 1.0, short_label); }},
      {"long names", [=] { return copies(15, 0.8, long_label); }},
      {"few long names", [=] { return copies(2, 0.8, long_label); }},
      {"markup", [=] { return copies(5, 0.9, markup); }},
      {"no counters", [=] { return without_counters(constructed::run()); }},
      {"no ceilings", [=] { return without_ceilings(constructed::run()); }},
      {"many ceilings", [=] { return with_many_ceilings(constructed::run()); }},
      {"no ceilings and no points", [=] { return without_ceilings(copies(0, 1.0, short_label)); }},
      {"every level and ceiling", [=] { return constructed::with_levels(constructed::run()); }},
      {"every level, forty points", [=] { return constructed::with_levels(copies(40, 0.9, short_label)); }},
      {"every level, ninety at one place",
       [=] { return constructed::with_levels(copies(90, 1.0, short_label)); }},
      {"every level, long names", [=] { return constructed::with_levels(copies(15, 0.8, long_label)); }},
      {"every level, two points", [=] { return constructed::with_levels(copies(2, 0.1, short_label)); }},
      {"every level, integers",
       [=] { return constructed::of_integers(constructed::with_levels(constructed::run())); }},
      {"every level, failures", [=] { return with_failures(constructed::with_levels(constructed::run())); }},
      {"every ceiling, no points", [=] { return constructed::with_levels(constructed::empty_run()); }},
      {"failures", [=] { return with_failures(constructed::run()); }},
      {"recording", [=] { return golden_run(); }},
      {"recording of the sums", [=] { return recorded_run("ladder-h200"); }},
      {"slow or fast beyond reason", [=] { return with_absurd_values(constructed::run()); }},
  };
}

struct PlacedText {
  std::string content;
  std::string group;
  Box box;
};

std::vector<PlacedText> texts_of(const Scene& scene) {
  std::vector<PlacedText> texts;
  for (const Group& group : scene.groups) {
    for (const Shape& shape : group.shapes) {
      if (const Text* text = std::get_if<Text>(&shape))
        texts.push_back({text->content, group.name.substr(0, group.name.find(' ')), bounds(*text)});
    }
  }
  return texts;
}

/// A picture with its texts, whose widths take most of a test's time.
struct Laid {
  explicit Laid(Scene laid) : scene(std::move(laid)), texts(texts_of(scene)) {}
  Scene scene;
  std::vector<PlacedText> texts;
};

/// The usual picture of each experiment.
std::vector<Scene> scenes_of(const Run& run) {
  std::vector<Scene> scenes;
  const Analysis analysis = analyse(run);
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    scenes.push_back(chart_scene(chart_model(run, experiment)));
  }
  return scenes;
}

std::vector<Scene> level_scenes_of(const Run& run) {
  std::vector<Scene> scenes;
  const Analysis analysis = analyse(run);
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    scenes.push_back(levels_scene(levels_model(run, experiment)));
  }
  return scenes;
}

/// Every picture that can be made of the run.
std::vector<Scene> all_scenes_of(const Run& run) {
  std::vector<Scene> scenes = scenes_of(run);
  for (Scene& scene : level_scenes_of(run)) scenes.push_back(std::move(scene));
  const std::vector<std::string_view> precisions = ceiling_precisions();
  const ChartSelection everything = {.levels = {kMemoryLevels.begin(), kMemoryLevels.end()},
                                     .precisions = {precisions.begin(), precisions.end()}};
  const Analysis analysis = analyse(run);
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    scenes.push_back(chart_scene(chart_model(run, experiment, everything)));
    scenes.push_back(levels_scene(levels_model(run, experiment, everything)));
  }
  scenes.push_back(ceilings_scene(ceilings_model(run)));
  return scenes;
}

bool is_of_class(const Group& group, std::string_view name) {
  return group.name == name || group.name.starts_with(std::string(name) + " ");
}

class ChartLayout : public testing::TestWithParam<Case> {
 protected:
  /// Laid out once for all tests of a case: a page of labels takes seconds under the sanitizers.
  static const std::vector<Laid>& scenes() {
    static std::map<std::string, std::vector<Laid>> known;
    const auto [found, is_new] = known.try_emplace(GetParam().name);
    if (is_new) {
      for (Scene& scene : all_scenes_of(GetParam().run())) found->second.emplace_back(std::move(scene));
    }
    return found->second;
  }
};

TEST_P(ChartLayout, NoTextOverlapsAnother) {
  for (const auto& [scene, texts] : scenes()) {
    ASSERT_FALSE(texts.empty());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      for (std::size_t j = i + 1; j < texts.size(); ++j) {
        EXPECT_FALSE(texts[i].box.intersects(texts[j].box))
            << texts[i].content << " over " << texts[j].content;
      }
    }
  }
}

TEST_P(ChartLayout, NoTextIsCutOff) {
  for (const auto& [scene, texts] : scenes()) {
    const Box canvas = {0, 0, scene.width, scene.height};
    for (const PlacedText& text : texts) EXPECT_TRUE(canvas.contains(text.box)) << text.content;
  }
}

// The box around a mark; nothing of a line.
std::optional<Box> mark_box(const Shape& shape) {
  if (const Circle* circle = std::get_if<Circle>(&shape)) {
    const Pixel at = circle->centre;
    return Box{at.x, at.y, at.x, at.y}.grown(circle->radius);
  }
  const Polygon* polygon = std::get_if<Polygon>(&shape);
  if (polygon == nullptr) return std::nullopt;
  Box box = {1e9, 1e9, -1e9, -1e9};
  for (const Pixel& at : polygon->points) {
    box = {std::min(box.left, at.x), std::min(box.top, at.y), std::max(box.right, at.x),
           std::max(box.bottom, at.y)};
  }
  return box;
}

// Names of roofs too, slanted ones and those of other levels.
void expect_no_text_over_a_mark(const Laid& laid) {
  for (const Group& group : laid.scene.groups) {
    if (!is_of_class(group, "point")) continue;
    for (const Shape& shape : group.shapes) {
      const auto mark = mark_box(shape);
      if (!mark || (group.clip && !group.clip->contains(*mark))) continue;
      for (const PlacedText& text : laid.texts) EXPECT_FALSE(text.box.intersects(*mark)) << text.content;
    }
  }
}

TEST_P(ChartLayout, NoTextLiesOverARoofOrAMark) {
  for (const Laid& laid : scenes()) {
    expect_no_text_over_a_mark(laid);
    const auto& [scene, texts] = laid;
    for (const Group& group : scene.groups) {
      if (!is_of_class(group, "roofs")) continue;
      for (const Shape& shape : group.shapes) {
        const Polyline* line = std::get_if<Polyline>(&shape);
        for (const PlacedText& text : texts) {
          if (!group.clip->contains(text.box)) continue;
          EXPECT_FALSE(text.box.intersects(line->points.front(), line->points.back())) << text.content;
        }
      }
    }
  }
}

std::vector<Polyline> leaders_of(const Scene& scene) {
  std::vector<Polyline> leaders;
  for (const Group& group : scene.groups) {
    if (!is_of_class(group, "label") && !is_of_class(group, "labels")) continue;
    for (const Shape& shape : group.shapes) {
      if (const Polyline* leader = std::get_if<Polyline>(&shape)) leaders.push_back(*leader);
    }
  }
  return leaders;
}

TEST_P(ChartLayout, NoLeaderCrossesAText) {
  for (const auto& [scene, texts] : scenes()) {
    const std::vector<Polyline> leaders = leaders_of(scene);
    for (const PlacedText& text : texts) {
      for (const Polyline& leader : leaders) {
        for (std::size_t i = 1; i < leader.points.size(); ++i) {
          EXPECT_FALSE(text.box.intersects(leader.points[i - 1], leader.points[i])) << text.content;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Runs, ChartLayout, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& tested) {
                           std::string name = tested.param.name;
                           std::replace_if(
                               name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; },
                               '_');
                           return name;
                         });

std::vector<std::string> contents(const Scene& scene, std::string_view group) {
  std::vector<std::string> found;
  for (const PlacedText& text : texts_of(scene)) {
    if (text.group == group) found.push_back(text.content);
  }
  return found;
}

TEST(ChartScene, NamesEveryPointInThePlaneAndInTheLadder) {
  for (const auto& run : {constructed::run(), golden_run()}) {
    const Analysis analysis = analyse(run);
    const std::vector<Scene> scenes = scenes_of(run);
    for (std::size_t i = 0; i < scenes.size(); ++i) {
      std::vector<std::string> in_plane = contents(scenes[i], "label");
      for (const std::string& text : contents(scenes[i], "labels")) in_plane.push_back(text);
      for (const RooflinePoint& point : analysis.experiments[i].points) {
        EXPECT_THAT(in_plane, testing::Contains(point.label));
        EXPECT_THAT(contents(scenes[i], "ladder-row"), testing::Contains(testing::StartsWith(point.label)));
      }
    }
  }
}

/// What is drawn of each point, and the rest, as it is written.
std::map<std::optional<std::size_t>, std::size_t> shapes_drawn(const Scene& scene) {
  Scene drawn = scene;
  remove_covered_marks(drawn);
  std::map<std::optional<std::size_t>, std::size_t> counts;
  for (const Group& group : drawn.groups) counts[group.point] += group.shapes.size();
  return counts;
}

TEST(ChartScene, HasEveryStepOfEveryPointInEveryTheme) {
  const Scene light = scenes_of(recorded_run("ladder-h200")).front();
  const auto texts_in = [](const Scene& scene) {
    std::vector<std::string> found;
    for (const Group& group : scene.groups) {
      for (const Shape& shape : group.shapes) {
        const Text* text = std::get_if<Text>(&shape);
        if (text == nullptr) continue;
        found.push_back(text->content);
        EXPECT_NE(text->style.colour, scene.paper) << text->content;
      }
    }
    return found;
  };
  for (const Theme theme : kThemes) {
    const Scene scene = themed(light, theme);
    EXPECT_EQ(shapes_drawn(scene), shapes_drawn(light)) << to_string(theme);
    EXPECT_EQ(texts_in(scene), texts_in(light)) << to_string(theme);
  }
}

TEST(ChartScene, ShowsNumbersWholeAndFlagsBelowThem) {
  auto run = recorded_run("ladder-h200");
  run.measurements[0].time->noisy = true;
  bool has_flag = false;
  for (const Scene& scene : scenes_of(run)) {
    for (const std::string& text : contents(scene, "ladder-row")) {
      EXPECT_THAT(text, testing::Not(testing::HasSubstr("…")));
      EXPECT_NE(text, "noisy") << "a flag is not a bound";
      has_flag = has_flag || text.ends_with(" *");
    }
  }
  EXPECT_TRUE(has_flag);
  EXPECT_THAT(contents(scenes_of(run).front(), "footer"), testing::Contains(testing::HasSubstr("* ")));
}

TEST(ChartScene, IsNarrowWithoutTheLadderAndHasTheRestAsItIs) {
  const auto run = constructed::run();
  const Analysis analysis = analyse(run);
  const ChartModel chart = chart_model(run, analysis.experiments.front());
  const Scene narrow = chart_scene(chart, Extent::narrow);
  EXPECT_LE(narrow.width, 960);
  const Box canvas = {0, 0, narrow.width, narrow.height};
  for (const PlacedText& text : texts_of(narrow)) EXPECT_TRUE(canvas.contains(text.box)) << text.content;
  const Scene full = chart_scene(chart);
  for (const char* group : {"label", "labels", "axes"}) {
    EXPECT_EQ(contents(narrow, group), contents(full, group)) << group;
  }
  EXPECT_TRUE(contents(narrow, "ladder-row").empty());
}

TEST(CeilingsScene, IsNarrowWithEveryName) {
  const ChartModel chart = ceilings_model(constructed::with_levels(constructed::empty_run()));
  const Scene narrow = ceilings_scene(chart, Extent::narrow);
  const Box canvas = {0, 0, narrow.width, narrow.height};
  const std::vector<PlacedText> texts = texts_of(narrow);
  for (const PlacedText& text : texts) EXPECT_TRUE(canvas.contains(text.box)) << text.content;
  const std::vector<std::string> labels = contents(narrow, "labels");
  for (const RoofLine& roof : chart.roofs) EXPECT_THAT(labels, testing::Contains(roof.text));
}

TEST(ChartScene, NamesEveryRoof) {
  for (const auto& run : {constructed::run(), golden_run()}) {
    const Analysis analysis = analyse(run);
    const ChartModel chart = chart_model(run, analysis.experiments.front());
    const std::vector<std::string> labels = contents(chart_scene(chart), "labels");
    for (const RoofLine& roof : chart.roofs) EXPECT_THAT(labels, testing::Contains(roof.text));
  }
}

TEST(LevelsScene, TheOutlineOfTheDetailStaysInTheFrame) {
  const auto run = recorded_run("ladder-h200");
  const Analysis analysis = analyse(run);
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    const Scene scene =
        levels_scene(levels_model(run, experiment, {.levels = {MemoryLevel::l2, MemoryLevel::shared}}));
    Box frame;
    for (const Group& group : scene.groups) {
      for (const Shape& shape : group.shapes) {
        const Polygon* polygon = std::get_if<Polygon>(&shape);
        if (polygon == nullptr || !polygon->stroke || polygon->points.size() != 4) continue;
        const Box box = *mark_box(shape);
        if (is_of_class(group, "axes") && frame.width() == 0) frame = box;
        if (!is_of_class(group, "labels")) continue;
        EXPECT_TRUE(frame.grown(0.5).contains(box)) << experiment.name;
      }
    }
    EXPECT_GT(frame.width(), 0);
  }
}

TEST(LevelsScene, NamesEveryRoof) {
  for (const auto& run : {constructed::with_levels(constructed::run()),
                          constructed::of_integers(constructed::with_levels(constructed::run()))}) {
    const Analysis analysis = analyse(run);
    for (const ExperimentAnalysis& experiment : analysis.experiments) {
      const ChartModel chart = levels_model(run, experiment);
      const std::vector<std::string> labels = contents(levels_scene(chart), "labels");
      for (const RoofLine& roof : chart.roofs) EXPECT_THAT(labels, testing::Contains(roof.text));
    }
  }
}

std::size_t count_of(const Scene& scene, std::string_view name, std::size_t point) {
  return static_cast<std::size_t>(
      std::count_if(scene.groups.begin(), scene.groups.end(),
                    [&](const Group& group) { return group.name == name && group.point == point; }));
}

TEST(LevelsScene, ShowsEveryPointOncePerLevelAndPlane) {
  auto run = constructed::with_levels(copies(2, 0.1, short_label));  // no detail: one plane
  run.measurements[1].counters.insert_or_assign(std::string(counter::kSharedBytes),
                                                CounterValue::measured(0));
  const Scene scene = level_scenes_of(run).front();
  for (const char* level : {"point level-dram", "point level-l2", "point level-l1", "point level-shared"}) {
    EXPECT_EQ(count_of(scene, level, 0), 1U) << level;
  }
  EXPECT_EQ(count_of(scene, "point level-l1", 1), 1U);
  EXPECT_EQ(count_of(scene, "point level-shared", 1), 0U) << "no traffic, no intensity";
}

TEST(LevelsScene, FillsTheMarkOfTheLimitingLevelAlone) {
  const auto run = constructed::with_levels(copies(1, 1.0, short_label));
  const Analysis analysis = analyse(run);
  ASSERT_EQ(analysis.experiments[0].points[0].busiest_level, MemoryLevel::dram);
  const Scene scene = level_scenes_of(run).front();
  for (const Group& group : scene.groups) {
    if (!group.name.starts_with("point level-")) continue;
    const auto fill = std::visit(
        [](const auto& shape) -> std::optional<Colour> {
          if constexpr (requires { shape.fill; }) return shape.fill;
          return std::nullopt;
        },
        group.shapes.front());
    EXPECT_EQ(fill.has_value(), group.name == "point level-dram") << group.name;
  }
}

TEST(LevelsScene, NamesEveryPointOnceWithItsLimit) {
  const auto run = constructed::with_levels(constructed::run());
  const Analysis analysis = analyse(run);
  const std::vector<std::string> rows = contents(level_scenes_of(run).front(), "panel-row");
  for (const RooflinePoint& point : analysis.experiments[0].points) {
    EXPECT_EQ(std::count(rows.begin(), rows.end(), point.label), 1) << point.label;
  }
  EXPECT_THAT(rows, testing::Contains(testing::StartsWith("DRAM 9")));
}

// The lines that join the marks of one point.
std::ptrdiff_t joints(const Scene& scene) {
  const auto is_line = [](const Shape& shape) { return std::holds_alternative<Polyline>(shape); };
  return std::count_if(scene.groups.begin(), scene.groups.end(), [&](const Group& group) {
    return group.name == "point" && std::any_of(group.shapes.begin(), group.shapes.end(), is_line);
  });
}

TEST(LevelsScene, JoinsTheMarksOfAPointUnlessThereAreVeryMany) {
  EXPECT_GE(joints(level_scenes_of(constructed::with_levels(copies(250, 0.99, short_label))).front()), 250);
  EXPECT_EQ(joints(level_scenes_of(constructed::with_levels(copies(350, 0.99, short_label))).front()), 0);
}

TEST(ChartScene, JoinsUsefulAndExecutedWorkUnlessThereAreVeryMany) {
  const auto redundant = [](int count) {
    auto run = copies(count, 0.99, short_label);
    for (Measurement& measurement : run.measurements) {
      measurement.counters.insert_or_assign(std::string(counter::kFadd),
                                            CounterValue::measured(3 * measurement.work.flops()));
    }
    return run;
  };
  EXPECT_GE(joints(scenes_of(redundant(250)).front()), 250);
  EXPECT_EQ(joints(scenes_of(redundant(350)).front()), 0);
}

TEST(LevelsScene, StatesHowManyRowsAreLeftOut) {
  const Scene scene = level_scenes_of(constructed::with_levels(copies(90, 1.0, short_label))).front();
  const auto rows = std::count_if(scene.groups.begin(), scene.groups.end(),
                                  [](const Group& group) { return group.name == "panel-row"; });
  EXPECT_THAT(contents(scene, "panel-remainder"),
              testing::ElementsAre(fmt::format("… and {} more in report.html", 90 - rows)));
}

TEST(CeilingsScene, NamesEveryRoof) {
  const ChartModel chart = ceilings_model(constructed::with_levels(constructed::empty_run()));
  ASSERT_GT(chart.roofs.size(), 30U);
  const std::vector<std::string> labels = contents(ceilings_scene(chart), "labels");
  for (const RoofLine& roof : chart.roofs) EXPECT_THAT(labels, testing::Contains(roof.text));
}

std::vector<double> labelled(const Range& range, double pixels) {
  std::vector<double> values;
  for (const Tick& tick : log_ticks(range, pixels)) {
    if (tick.is_labelled) values.push_back(tick.value);
  }
  return values;
}

TEST(ChartScene, HasNoMarkInTheLegendForAFamilyWithoutAName) {
  const auto run = constructed::run();
  ChartModel chart = chart_model(run, analyse(run).experiments.front());
  const auto entries = [&] { return chart_scene(chart).groups.at(1).shapes.size(); };
  const std::size_t all = entries();
  chart.families.front().name.clear();
  EXPECT_EQ(entries(), all - 2) << "a mark and its name";
}

TEST(LogTicks, NameTheDecades) {
  EXPECT_THAT(labelled({0.1, 100}, 300), testing::ElementsAre(0.1, 1, 10, 100));
}

TEST(LogTicks, NameMoreThanOneValue) {
  EXPECT_THAT(labelled({0.12, 3}, 180), testing::ElementsAre(0.2, 0.5, 1, 2));
  EXPECT_THAT(labelled({0.15, 0.8}, 60), testing::ElementsAre(0.2, 0.5));
}

TEST(ChartScene, StatesHowManyRowsAreLeftOut) {
  const Scene scene = scenes_of(copies(90, 1.0, short_label)).front();
  const std::size_t rows = std::count_if(scene.groups.begin(), scene.groups.end(),
                                         [](const Group& group) { return group.name == "ladder-row"; });
  EXPECT_THAT(contents(scene, "ladder-remainder"),
              testing::ElementsAre(fmt::format("… and {} more in report.html", 90 - rows)));
}

TEST(ChartScene, DrawsAnIntervalThatIsLargerThanItsMark) {
  auto run = copies(3, 0.5, short_label);
  const auto shapes_of_first_point = [](const rooflinectl::Run& r) {
    const Scene scene = scenes_of(r).front();
    std::size_t shapes = 0;
    for (const Group& group : scene.groups) {
      if (group.name == "point" && group.point == 0U) shapes += group.shapes.size();
    }
    return shapes;
  };
  const std::size_t without = shapes_of_first_point(run);
  run.measurements[0].time->ci_low_s *= 0.7;
  run.measurements[0].time->ci_high_s *= 1.4;
  EXPECT_GT(shapes_of_first_point(run), without);
}

}  // namespace
}  // namespace rooflinectl::chart_layout_test
