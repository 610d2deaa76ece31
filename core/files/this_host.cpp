// SPDX-License-Identifier: Apache-2.0
#include "core/files/this_host.h"

#include <unistd.h>

#include <array>
#include <fstream>

namespace rooflinectl {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

}  // namespace rooflinectl
