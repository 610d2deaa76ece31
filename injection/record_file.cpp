// SPDX-License-Identifier: Apache-2.0
#include "injection/record_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <utility>
#include <variant>

#include "core/files/files.h"
#include "core/serial/program/program_files.h"

namespace rooflinectl::injection {

namespace {

/// Writes all of `text` at the end of the file, or leaves it as it was.
bool append(const FileDescriptor& file, const std::string& text) {
  const off_t size = lseek(file.get(), 0, SEEK_END);
  if (size < 0) return false;
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(file.get(), text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      // If this fails too, the file ends in half a line, and nothing more can be written to it.
      static_cast<void>(ftruncate(file.get(), size));
      return false;
    }
    written += static_cast<std::size_t>(count);
  }
  return true;
}

/// Records whose number grows with how long the program runs.
bool is_endless(const ProfileRecord& record) {
  return std::holds_alternative<record::Launches>(record) ||
         std::holds_alternative<record::Transfers>(record) ||
         std::holds_alternative<record::Ranges>(record) || std::holds_alternative<record::Held>(record) ||
         std::holds_alternative<record::Samples>(record) || std::holds_alternative<record::Power>(record) ||
         std::holds_alternative<record::GraphKernels>(record);
}

}  // namespace

RecordFile::RecordFile(std::string path, std::uint64_t most_bytes, std::size_t most_gathered)
    : path_(std::move(path)), most_bytes_(most_bytes), most_gathered_(most_gathered) {
  const FileDescriptor file(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  is_usable_ = file.is_open();
}

void RecordFile::add(const ProfileRecord& record) {
  const std::string line = encode(record) + "\n";
  const std::lock_guard lock(mutex_);
  if (bytes_ + line.size() > most_bytes_ && is_endless(record)) {
    if (const auto* traced = std::get_if<record::Launches>(&record))
      left_out_launches_ += traced->launches.size();
    if (std::exchange(is_full_, true)) return;
    const record::Problem problem = {
        .group = std::nullopt,
        .cause = fmt::format(
            "the records reached {} MiB: launches, copies and samples that came later are left out",
            most_bytes_ >> 20),
        .hint = "profile a shorter part of the program, with --capture or fewer steps"};
    gathered_ += encode(problem) + "\n";
    ++gathered_records_;
    return;
  }
  if (gathered_.size() + line.size() > most_gathered_) {
    ++lost_records_;
    return;
  }
  gathered_ += line;
  bytes_ += line.size();
  ++gathered_records_;
}

void RecordFile::flush() {
  const std::lock_guard writing(writing_);
  std::string text;
  std::uint64_t records = 0;
  {
    const std::lock_guard lock(mutex_);
    text.swap(gathered_);
    records = std::exchange(gathered_records_, 0);
  }
  if (text.empty()) return;
  const FileDescriptor file(is_usable_ ? open(path_.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC) : -1);
  if (file.is_open() && append(file, text)) return;
  const std::lock_guard lock(mutex_);
  lost_records_ += records;
}

std::uint64_t RecordFile::lost_records() const {
  const std::lock_guard lock(mutex_);
  return lost_records_;
}

std::uint64_t RecordFile::left_out_launches() const {
  const std::lock_guard lock(mutex_);
  return left_out_launches_;
}

}  // namespace rooflinectl::injection
