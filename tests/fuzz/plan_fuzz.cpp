// SPDX-License-Identifier: Apache-2.0
// The parsers of plans and tuning files: a plan or an Error(usage), whatever the file contains.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/model/run.h"
#include "core/plan/plan_yaml.h"
#include "core/serial/run_file.h"

using namespace rooflinectl;

namespace {

/// All variants and ceilings.
const Catalogue& catalogue() {
  static const Catalogue catalogue = read_run(ROOFLINECTL_RECORDING).catalogue;
  return catalogue;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Plan plan = is_tuning_file(text)
                          ? parse_tuning_file("plan", {"plan.json", std::string(text)}, catalogue())
                          : parse_plan(text, "plan.yaml", catalogue());
    if (all_points(plan).size() > kMaxPoints) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) std::abort();
  }
  return 0;
}
