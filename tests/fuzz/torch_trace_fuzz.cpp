// SPDX-License-Identifier: Apache-2.0
// A trace of PyTorch: whatever can be read is matched with a run; anything else is an Error(usage).

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "analysis/analysis.h"
#include "analysis/program/operators.h"
#include "core/error.h"
#include "readers/torch/torch_trace_file.h"
#include "tests/support/program_run.h"

using namespace rooflinectl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Run run = constructed::program_run();
  static const Analysis analysis = analyse(run);
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const TorchTrace trace = torch_trace_from_json(text, "trace.json");
    const TorchLaunches launches = torch_launches(trace);
    const OperatorUse use = operator_use(run, analysis.experiments.at(0), trace, launches, 1);
    if (use.launches != trace.kernels.size() || use.matched > use.launches) std::abort();
    for (const GroupOperators& group : use.groups) {
      for (const ScopeShare& share : group.scopes) {
        if (share.scope >= use.tree.size()) std::abort();
      }
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) std::abort();
  }
  return 0;
}
