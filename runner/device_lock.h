// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/files/file_descriptor.h"

namespace rooflinectl {

/// Tells two rooflinectl that measure on one GPU at once of each other, through a locked file in the
/// temporary folder. They are not kept from measuring: a lock that hinders work on a shared machine is worse
/// than a warning.
class DeviceLock {
 public:
  DeviceLock() = default;
  /// Takes the lock of the GPU of that UUID, if it is free. Where there can be no file, nothing is known of
  /// others.
  explicit DeviceLock(const std::string& uuid);

  /// Who measures on the GPU already: `process 123`.
  const std::optional<std::string>& other() const { return other_; }

 private:
  FileDescriptor file_;
  std::optional<std::string> other_;
};

}  // namespace rooflinectl
