// SPDX-License-Identifier: Apache-2.0
// `run.json`: a run that can be read stays the same when it is written and read again; anything else is an
// Error(usage).

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/model/run.h"

using namespace rooflinectl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    // The first writing rounds numbers that have more digits than are written.
    const std::string once = run_to_json(run_from_json(text, "run.json"));
    if (run_to_json(run_from_json(once, "written")) != once) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) std::abort();
  }
  return 0;
}
