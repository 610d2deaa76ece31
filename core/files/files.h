// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace rooflinectl {

/// The largest file that is read: room for about 70 000 points with all their samples.
inline constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

/// The whole content of a file. Throws Error(usage) naming the file if it cannot be read or, before its
/// content takes up memory, if it is larger than `max_bytes`.
std::string read_file(const std::filesystem::path& path, std::size_t max_bytes = kMaxFileBytes);

/// Writes `content` to `path`, following links.
///
/// A regular file is replaced as a whole, by a new file beside it that is renamed: a reader sees the old
/// content or the new, never half of it. The name of the new one is unpredictable; it gets the
/// permissions of the old. Everything else, such as a device, a pipe, or a descriptor of this process
/// (`/dev/stdout`), is written to as it is. A FIFO that nobody reads from is waited on for ten seconds.
///
/// Throws Error(environment) naming the file, with `hint`, if it cannot be written.
void write_file(const std::filesystem::path& path, std::string_view content,
                const char* hint = "choose another folder with --output");

/// Writes `content` into a file that must not exist yet, with `permissions`, or those that new files have.
/// Throws std::system_error, and leaves no file then.
void write_new_file(const std::filesystem::path& path, std::string_view content,
                    std::optional<std::filesystem::perms> permissions);

/// Makes `folder`, with all folders above it, unless it exists, and returns it. Throws Error(environment)
/// naming the folder, with `hint`.
std::filesystem::path make_folder(const std::filesystem::path& folder,
                                  const char* hint = "choose another folder with --output");

/// Makes a temporary folder that nobody can have made before us, or look into. Throws Error(environment)
/// naming it.
std::filesystem::path make_private_folder();

/// Whether both name the same regular file, which need not exist yet.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Throws Error(usage) if `output` is one of `inputs`, by whatever name.
void refuse_to_overwrite(const std::filesystem::path& output,
                         const std::vector<std::filesystem::path>& inputs);

/// An unpredictable name in `folder`, for a file or a link that is to be renamed.
std::filesystem::path unforeseen_name(const std::filesystem::path& folder);

/// `$XDG_CACHE_HOME/rooflinectl`, else `~/.cache/rooflinectl`; nothing if neither is known.
std::optional<std::filesystem::path> cache_folder();

/// SHA-256 of `text` in 64 hexadecimal digits, as `sha256sum` prints it.
std::string sha256(std::string_view text);

/// The longest name of a kernel in a run.
inline constexpr std::size_t kMaxSubjectLength = 4'096;

/// `name`, or its beginning and a hash of all of it where it is longer than `length`.
std::string cut_name(std::string_view name, std::size_t length);

/// A folder for ourselves (`make_private_folder`), which goes with this.
class PrivateFolder {
 public:
  PrivateFolder() : path_(make_private_folder()) {}
  ~PrivateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

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

/// A file descriptor that is closed at the end.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = other.release();
    }
    return *this;
  }
  ~FileDescriptor() { reset(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  /// Releases the descriptor; the caller closes it.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace rooflinectl
