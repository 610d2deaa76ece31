// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rooflinectl {

/// A file that is to be in an output folder.
struct OutputFile {
  std::string name;
  std::string content;
};

/// Makes `files` the files of their kind in the existing folder `folder`, all or none of them, and returns
/// their paths. `page`, which is one of them, names the kind: `report.html`.
///
/// They are first written into a hidden folder inside, and then renamed. If there is no space, or if SIGHUP,
/// SIGINT or SIGTERM comes before all are written, the hidden folder is removed and nothing has changed;
/// later the signal waits until they are in place. If one cannot be renamed, all that were are moved back. Of
/// an earlier page and its files, `page` is the first to go; of the new ones it is the last to come. So even
/// if the program is killed in between, a page is never beside files of another: there is none, and the
/// earlier files are in the hidden folder.
///
/// Files that an earlier call wrote for the same `page` and that are not among `files` go away. The list
/// `.rooflinectl-report.sha256`, in the format of sha256sum, has their names, and what was in them: a file
/// that was changed since is the user's and stays. Links are followed, and what exists and is no regular file
/// is written to as `write_file` does, before all others. Two programs that write into one folder take turns.
///
/// Throws Error(usage) if one of them is one of `inputs`, Error(environment) if one cannot be written.
std::vector<std::filesystem::path> write_together(const std::filesystem::path& folder, std::string_view page,
                                                  const std::vector<OutputFile>& files,
                                                  const std::vector<std::filesystem::path>& inputs = {});

}  // namespace rooflinectl
