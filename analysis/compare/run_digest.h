// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"

namespace rooflinectl {

/// What a history needs of a run, as two texts of one line: to read them takes a hundredth of the time that
/// it takes to read the run and to analyse it.
struct RunDigest {
  std::string shared;  ///< the same for runs of the same points, devices and versions
  std::string own;
};

RunDigest digest_of(const AnalysedRun& run);

namespace digest {
struct SharedRun;
}

/// Makes runs of digests. Threads may share it.
class DigestReader {
 public:
  /// The run as a history needs it: who measured it where, and the points with their labels, status and % of
  /// roofline. The time of each is that of `mean_launch`, with its interval, as if it were a median. Of the
  /// counters it has only those with these keys. Nothing if the texts are damaged.
  std::optional<AnalysedRun> read(std::string name, std::string_view shared, std::string_view own,
                                  const std::vector<std::string>& counters = {});

 private:
  std::shared_ptr<const digest::SharedRun> parsed(std::string_view text);

  std::map<std::string, std::shared_ptr<const digest::SharedRun>, std::less<>> known_;
  std::mutex adding_;  ///< to `known_`
};

}  // namespace rooflinectl
