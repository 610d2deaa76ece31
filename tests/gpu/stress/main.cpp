// SPDX-License-Identifier: Apache-2.0
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "tests/gpu/stress/scenarios.h"

namespace stress {

namespace {

/// Parts of all kinds in one process, which chance chooses. Graphs are not captured in the global mode then.
int any_parts(const Plan& plan) {
  Random random(plan.seed);
  nvtxInitialize(nullptr);  // a child that is forked meanwhile would wait for it
  std::vector<Part> parts;
  const auto add = [&](const char* name, auto run, int amount) {
    parts.push_back(
        {name, [run, part = random.split(), scaled = plan.times(amount)] { return run(part, scaled); }});
  };
  add("lasting streams", lasting_streams, 10000);
  for (int i = random.between(2, 6); i > 0; --i) {
    switch (random.below(10)) {
      case 0:
        add("passing streams", passing_streams, 3000);
        break;
      case 1:
        add("copies", copies, 800);
        break;
      case 2:
        add("graphs", graphs, 200);
        break;
      case 3:
        add("contexts", contexts, 3);
        break;
      case 4:
        add("modules", modules, 50);
        break;
      case 5:
        add("children", children, 50);
        break;
      case 6:
        add("ranges", ranges, 1500);
        break;
      case 7:
        add("failures", failures, 4000);
        break;
      case 8:
        add("attributes", attributes, 3000);
        break;
      default:
        add("lasting streams", lasting_streams, 20000);
    }
  }
  run_parts(parts);
  return 0;
}

/// For a child that becomes another program.
int nothing(const Plan&) {
  return 7;
}

const std::map<std::string, int (*)(const Plan&)> scenarios = {
    {"threads", threads},
    {"phased", phased},
    {"groups", groups},
    {"streams", streams},
    {"copies", copies_in_threads},
    {"graphs", graphs_in_threads},
    {"captures", captures},
    {"shared-graph", shared_graph},
    {"new-graphs", new_graphs},
    {"contexts", contexts_in_threads},
    {"modules", modules_in_threads},
    {"forks", forks},
    {"early-forks", early_forks},
    {"ranges", ranges_in_threads},
    {"numbered-ranges", numbered_ranges},
    {"distinct-ranges", distinct_ranges},
    {"failures", failures_in_threads},
    {"attributes", attributes_in_threads},
    {"long-kernels", long_kernels},
    {"waiting-kernels", waiting_kernels},
    {"waiting-graphs", waiting_graphs},
    {"devices", devices},
    {"mixed", any_parts},
    {"exit-return", exit_by_return},
    {"exit-beside-launches", exit_beside_launches},
    {"exit-thread", exit_in_thread},
    {"exit-at-once", exit_at_once},
    {"exit-quickly", exit_quickly},
    {"exit-abort", exit_by_abort},
    {"exit-handler", exit_by_handler},
    {"exit-kill", exit_by_kill},
    {"exit-segfault", exit_by_segmentation_fault},
    {"exit-exception", exit_by_exception},
    {"exit-reset", exit_after_reset},
    {"exit-main-thread", exit_after_main_thread},
    {"exit-exec", exit_by_exec},
    {"exit-illegal-address", exit_after_illegal_address},
};

int usage() {
  std::fprintf(
      stderr,
      "usage: stress SCENARIO [--seed NUMBER] [--scale NUMBER] [--no-pauses]\n       stress --list\n");
  return 2;
}

int run(int argc, char** argv) {
  Plan plan;
  const std::string name = argc > 1 ? argv[1] : "";
  for (int i = 2; i < argc; ++i) {
    const bool has_value = i + 1 < argc;
    if (std::strcmp(argv[i], "--no-pauses") == 0) {
      plan.has_pauses = false;
    } else if (std::strcmp(argv[i], "--seed") == 0 && has_value) {
      plan.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (std::strcmp(argv[i], "--scale") == 0 && has_value) {
      plan.scale = std::strtod(argv[++i], nullptr);
    } else {
      return usage();
    }
  }
  if (name == "--list") {
    for (const auto& [scenario, function] : scenarios) std::printf("%s\n", scenario.c_str());
    return 0;
  }
  if (name == "nothing") return nothing(plan);
  const auto scenario = scenarios.find(name);
  if (scenario == scenarios.end()) return usage();
  const int code = scenario->second(plan);
  if (name.rfind("exit-", 0) != 0) write_launches("all");
  return is_anything_wrong() ? 1 : code;
}

}  // namespace

}  // namespace stress

int main(int argc, char** argv) {
  return stress::run(argc, argv);
}
