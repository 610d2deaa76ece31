// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/devices/device_table.h"

namespace rooflinectl {

std::vector<std::string> DeviceTable::notes() const {
  std::vector<std::string> texts = reasons;
  if (!method.empty()) texts.insert(texts.begin(), method);
  return texts;
}

}  // namespace rooflinectl
