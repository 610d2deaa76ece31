// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/points/kernel_codes.h"

#include <algorithm>

namespace rooflinectl {

namespace {

bool is_same(const record::Kernel& a, const record::Kernel& b) {
  const bool is_same_module = !a.code || !b.code || a.code == b.code;
  return is_same_module && a.registers_per_thread == b.registers_per_thread &&
         a.static_shared_bytes == b.static_shared_bytes &&
         a.local_bytes_per_thread == b.local_bytes_per_thread;
}

}  // namespace

std::uint64_t KernelCodes::number(const std::string& chip, const std::string& name,
                                  const record::Kernel& kernel) {
  if (kernel.graph_nodes) return 1;
  std::vector<record::Kernel>& all = known_[{chip, name}];
  auto place = std::find_if(all.begin(), all.end(),
                            [&](const record::Kernel& known) { return is_same(known, kernel); });
  if (place == all.end()) place = all.insert(place, kernel);
  if (!place->code) place->code = kernel.code;
  return static_cast<std::uint64_t>(place - all.begin()) + 1;
}

}  // namespace rooflinectl
