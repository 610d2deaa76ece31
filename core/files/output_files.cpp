// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <sstream>
#include <system_error>
#include <thread>

#include "core/error.h"
#include "core/files/files.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kOutputHint = "choose another folder with --output";

[[noreturn]] void fail_to_write(const fs::path& path, const std::error_code& cause) {
  throw Error(ErrorKind::environment,
              fmt::format("{}: cannot be written: {}", path.empty() ? "." : path.string(), cause.message()),
              kOutputHint);
}

/// While an object of this class lives, the signals that usually end a program wait, except those that are
/// ignored.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    for (const int signal : kSignals) {
      struct sigaction action {};
      sigaction(signal, nullptr, &action);
      if (action.sa_handler != SIG_IGN) sigaddset(&held_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &held_, &previous_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// Throws if one has come. It takes effect when this object is gone.
  void check() const {
    sigset_t pending;
    sigpending(&pending);
    for (const int signal : kSignals) {
      const bool is_held_here = sigismember(&held_, signal) == 1 && sigismember(&previous_, signal) == 0;
      if (is_held_here && sigismember(&pending, signal) == 1) {
        throw Error(ErrorKind::environment, "interrupted: nothing was written");
      }
    }
  }

 private:
  static constexpr std::array kSignals = {SIGHUP, SIGINT, SIGTERM};

  sigset_t held_{};
  sigset_t previous_{};
};

/// The names of the files that were written for a page, with their hashes. It belongs to one program at a
/// time.
class FileList {
 public:
  FileList(fs::path path, const HeldSignals& signals) : path_(std::move(path)) {
    do {
      constexpr mode_t kPermissions = 0666;
      file_ = FileDescriptor(open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kPermissions));
      if (!file_.is_open()) fail();
      wait_for_lock(signals);
    } while (was_removed());
    constexpr std::size_t kMostBytes = std::size_t{16} << 20;
    earlier_ = read_file(path_, kMostBytes);
  }

  /// A line for each file: `line_of`.
  const std::string& earlier() const { return earlier_; }

  /// From now on, both the earlier files and those in `lines` are known, whatever happens.
  void add(std::string_view lines) { write_at(earlier_.size(), lines); }
  /// Forgets the earlier files. Where that fails, both remain known, which does no harm.
  void keep_only(std::string_view lines) {
    try {
      write_at(0, lines);
      truncate(lines.size());
    } catch (const Error&) {
    }
  }
  void undo_add() {
    truncate(earlier_.size());
    std::error_code ignored;
    if (earlier_.empty()) fs::remove(path_, ignored);
  }

 private:
  [[noreturn]] void fail() const { fail_to_write(path_.parent_path(), {errno, std::generic_category()}); }

  /// A file system without locks counts as free.
  void wait_for_lock(const HeldSignals& signals) const {
    while (flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      signals.check();
      std::this_thread::sleep_for(10ms);
    }
  }
  bool was_removed() const {
    struct stat status {};
    return fstat(file_.get(), &status) == 0 && status.st_nlink == 0;
  }
  void write_at(std::size_t place, std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = pwrite(file_.get(), text.data(), text.size(), static_cast<off_t>(place));
      if (written < 0 && errno != EINTR) fail();
      if (written <= 0) continue;
      text.remove_prefix(static_cast<std::size_t>(written));
      place += static_cast<std::size_t>(written);
    }
  }
  void truncate(std::size_t size) const {
    if (ftruncate(file_.get(), static_cast<off_t>(size)) != 0) return;  // what is left over does no harm
  }

  fs::path path_;
  FileDescriptor file_;
  std::string earlier_;
};

/// As `sha256sum` prints it.
std::string line_of(const OutputFile& file) {
  return fmt::format("{}  {}\n", sha256(file.content), file.name);
}

/// Whether `path` is a file with this hash. A link is not.
bool is_unchanged(const fs::path& path, std::string_view hash) {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(path, ignored))) return false;
  try {
    return sha256(read_file(path)) == hash;
  } catch (const Error&) {
    return false;
  }
}

/// Those that `list` names and `files` does not, as far as they are in `folder` as they were written.
std::vector<std::string> outdated(const std::string& list, const std::vector<OutputFile>& files,
                                  const fs::path& folder) {
  constexpr std::size_t kHashLength = 64;
  constexpr std::size_t kNamePlace = kHashLength + 2;
  std::vector<std::string> names;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() <= kNamePlace) continue;
    const std::string name = line.substr(kNamePlace);
    const bool is_plain = name.find('/') == std::string::npos;  // it leads nowhere else
    const bool is_new = std::ranges::find(files, name, &OutputFile::name) != files.end();
    if (is_plain && !is_new && is_unchanged(folder / name, std::string_view(line).substr(0, kHashLength))) {
      names.push_back(name);
    }
  }
  return names;
}

/// Files on their way into a folder, and those that make room for them. Unless all arrive, everything is as
/// it was.
class Arrival {
 public:
  explicit Arrival(const fs::path& folder) : folder_(folder), hidden_(unforeseen_name(folder)) {
    std::error_code error;
    fs::create_directories(hidden_ / kEarlier, error);
    if (!error) return;
    clean_up();
    fail_to_write(folder, error);
  }
  ~Arrival() {
    for (; !moves_.empty(); moves_.pop_back()) {
      std::error_code error;
      fs::rename(moves_.back().to, moves_.back().from, error);
      if (error) return;  // the hidden folder has what could not be moved back
    }
    clean_up();
  }
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;

  /// Writes `file` where nobody sees it yet.
  void prepare(const OutputFile& file) {
    const Place& place = places_.emplace_back(place_of(file.name));
    std::error_code error;
    const fs::file_status replaced = fs::status(place.target, error);
    try {
      write_new_file(place.hidden, file.content,
                     fs::exists(replaced) ? std::optional(replaced.permissions()) : std::nullopt);
    } catch (const std::system_error& failure) {
      fail_to_write(folder_ / file.name, failure.code());
    }
  }

  /// Puts what was prepared in its place, and takes `outdated` away.
  void place(std::string_view page, const std::vector<std::string>& outdated) {
    const auto is_page = [&](const Place& place) { return place.name == page; };
    std::stable_partition(places_.begin(), places_.end(), is_page);
    for (const Place& place : places_) {
      std::error_code error;
      if (fs::exists(place.target, error)) move(place.target, place.earlier);
    }
    for (const std::string& name : outdated) move(folder_ / name, hidden_ / kEarlier / name);
    std::for_each(places_.rbegin(), places_.rend(),
                  [&](const Place& place) { move(place.hidden, place.target); });
    moves_.clear();
  }

 private:
  static constexpr const char* kEarlier = "earlier";

  struct Place {
    std::string name;
    fs::path target;   ///< where it is to be; elsewhere if it is a link that leads there
    fs::path hidden;   ///< where it is until then
    fs::path earlier;  ///< where the file is that it replaces, until all have arrived
  };
  struct Move {
    fs::path from;
    fs::path to;
  };

  Place place_of(const std::string& name) const {
    const fs::path path = folder_ / name;
    std::error_code error;
    if (!fs::is_symlink(path, error)) return {name, path, hidden_ / name, hidden_ / kEarlier / name};
    const fs::path target = fs::canonical(path);
    return {name, target, unforeseen_name(target.parent_path()), unforeseen_name(target.parent_path())};
  }

  void move(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (error) fail_to_write(from.parent_path() == hidden_ ? to : from, error);
    moves_.push_back({from, to});
  }

  void clean_up() const {
    std::error_code ignored;
    for (const Place& place : places_) {
      fs::remove(place.hidden, ignored);
      fs::remove(place.earlier, ignored);
    }
    fs::remove_all(hidden_, ignored);
  }

  fs::path folder_;
  fs::path hidden_;
  std::vector<Place> places_;
  std::vector<Move> moves_;
};

/// Whether it can be written by renaming: it is a regular file, or a link to one, or there is nothing yet.
bool is_replaceable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) || !fs::exists(fs::symlink_status(path, error));
}

void place_together(const fs::path& folder, std::string_view page, const std::vector<OutputFile>& files) {
  const HeldSignals signals;
  FileList list(folder / fmt::format(".rooflinectl-{}.sha256", fs::path(page).stem().string()), signals);
  std::string lines;
  for (const OutputFile& file : files) lines += line_of(file);
  try {
    list.add(lines);
    Arrival arrival(folder);
    for (const OutputFile& file : files) {
      if (is_replaceable(folder / file.name)) arrival.prepare(file);
      signals.check();
    }
    arrival.place(page, outdated(list.earlier(), files, folder));
  } catch (...) {
    list.undo_add();
    throw;
  }
  list.keep_only(lines);
}

}  // namespace

std::vector<fs::path> write_together(const fs::path& folder, std::string_view page,
                                     const std::vector<OutputFile>& files,
                                     const std::vector<fs::path>& inputs) {
  std::vector<fs::path> paths;
  for (const OutputFile& file : files) paths.push_back(folder / file.name);
  for (const fs::path& path : paths) refuse_to_overwrite(path, inputs);
  for (const OutputFile& file : files) {
    if (!is_replaceable(folder / file.name)) write_file(folder / file.name, file.content);
  }
  place_together(folder, page, files);
  return paths;
}

}  // namespace rooflinectl
