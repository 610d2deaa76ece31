// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/model/file_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/files/hash.h"
#include "core/text/names.h"

namespace rooflinectl {
namespace {

std::string plain(const std::string& experiment) {
  if (is_plain_name(experiment)) return experiment;
  std::string name;
  for (const char c : experiment.substr(0, kMaxNameLength)) name += is_plain_name({&c, 1}) ? c : '_';
  return name + "-" + sha256(experiment).substr(0, 8);
}

std::string lower_case(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return name;
}

}  // namespace

std::vector<std::string> chart_file_names(const std::vector<std::string>& experiments) {
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (const std::string& experiment : experiments) {
    const std::string wanted = plain(experiment);
    std::string name = wanted;
    for (int i = 2; !taken.insert(lower_case(name)).second; ++i) name = fmt::format("{}-{}", wanted, i);
    names.push_back(name);
  }
  return names;
}

std::string ceilings_chart_file_name(std::size_t device) {
  return device == 0 ? std::string(kFirstChartFileName)
                     : fmt::format("{}-device-{}", kFirstChartFileName, device);
}

}  // namespace rooflinectl
