// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/files/file_descriptor.h"

namespace rooflinectl {

/// Lets processes that measure on one GPU at the same time know of each other, through a locked file in the
/// temporary folder. They may still measure: a lock that hinders work on a shared machine is worse than a
/// warning.
class DeviceLock {
 public:
  DeviceLock() = default;
  /// Takes the lock of the GPU of that UUID, or of another name, if it is free. If no file can be made, other
  /// processes go unnoticed.
  explicit DeviceLock(const std::string& uuid);

  /// Who measures on the GPU already: `process 123`.
  const std::optional<std::string>& other() const { return other_; }

 private:
  FileDescriptor file_;
  std::optional<std::string> other_;
};

}  // namespace rooflinectl
