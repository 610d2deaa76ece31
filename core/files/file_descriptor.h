// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rooflinectl {

/// A file descriptor that is closed at the end.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { reset(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void reset();
  /// Releases the descriptor; the caller closes it.
  int release();

 private:
  int fd_ = -1;
};

}  // namespace rooflinectl
