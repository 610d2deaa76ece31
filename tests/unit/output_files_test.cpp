// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <csignal>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/files/files.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::output_files_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Contents = std::map<std::string, std::string>;

constexpr const char* kPage = "report.html";
constexpr const char* kList = ".rooflinectl-report.sha256";
const std::vector<OutputFile> kFirst = {
    {"time-a.svg", "time of a"}, {"roofline.svg", "roofline of a"}, {kPage, "page of a"}};
const std::vector<OutputFile> kSecond = {{"roofline.svg", "roofline of b"}, {kPage, "page of b"}};

class OutputFiles : public ::testing::Test {
 protected:
  /// Of the regular files in the folder, and of those in folders inside.
  Contents contents() const {
    Contents contents;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_)) {
      if (!entry.is_directory()) contents[fs::relative(entry, folder_)] = read_file(entry.path());
    }
    return contents;
  }

  const TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

/// The message of the error that writing `files` ends with.
std::string failure_of(const fs::path& folder, const std::vector<OutputFile>& files) {
  try {
    write_together(folder, kPage, files);
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    return error.what();
  }
}

TEST_F(OutputFiles, ReplaceThoseThatWereWrittenBefore) {
  write_together(folder_, kPage, kFirst);
  EXPECT_EQ(write_together(folder_, kPage, kSecond),
            (std::vector<fs::path>{folder_ / "roofline.svg", folder_ / kPage}));
  Contents there = contents();
  EXPECT_THAT(there[kList], HasSubstr("  roofline.svg\n"));
  there.erase(kList);
  EXPECT_EQ(there, (Contents{{"roofline.svg", "roofline of b"}, {kPage, "page of b"}}));
}

TEST_F(OutputFiles, LeaveWhatTheyDidNotWrite) {
  write_file(folder_ / "time-mine.svg", "mine");
  write_file(folder_ / "run.json", "{}");
  write_together(folder_, kPage, kFirst);
  write_together(folder_, "comparison.html", {{"comparison.html", "compared"}});
  write_together(folder_, kPage, kSecond);
  EXPECT_EQ(read_file(folder_ / "time-mine.svg"), "mine");
  EXPECT_EQ(read_file(folder_ / "run.json"), "{}");
  EXPECT_EQ(read_file(folder_ / "comparison.html"), "compared");
}

TEST_F(OutputFiles, LeaveWhatWasChangedSince) {
  for (const bool is_link : {false, true}) {
    write_together(folder_, kPage, kFirst);
    if (is_link) {
      fs::rename(folder_ / "time-a.svg", folder_ / "kept.svg");
      fs::create_symlink("kept.svg", folder_ / "time-a.svg");
    } else {
      write_file(folder_ / "time-a.svg", "mine");
    }
    write_together(folder_, kPage, kSecond);
    EXPECT_EQ(read_file(folder_ / "time-a.svg"), is_link ? "time of a" : "mine");
  }
}

TEST_F(OutputFiles, AListThatLeadsElsewhereOrIsDamagedHarmsNothing) {
  write_together(folder_, kPage, kFirst);
  fs::create_directory(folder_ / "inside");
  const std::string hash = read_file(folder_ / kList).substr(0, 64);
  write_file(folder_ / "inside/time-a.svg", "time of a");
  write_file(folder_ / kList, hash + "  inside/time-a.svg\n" + hash + "\n\nnothing\n" + hash + "  ..\n");
  write_together(folder_, kPage, kSecond);
  EXPECT_EQ(read_file(folder_ / "inside/time-a.svg"), "time of a");
}

TEST_F(OutputFiles, KeepPermissionsAndLinks) {
  fs::create_directory(folder_ / "site");
  write_file(folder_ / "site/index.html", "old");
  fs::permissions(folder_ / "site/index.html", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("site/index.html", folder_ / kPage);
  fs::create_symlink("/dev/null", folder_ / "roofline.svg");
  fs::create_symlink("later.svg", folder_ / "time-a.svg");
  write_together(folder_, kPage, kFirst);
  EXPECT_TRUE(fs::is_symlink(folder_ / kPage));
  EXPECT_EQ(read_file(folder_ / "site/index.html"), "page of a");
  EXPECT_EQ(fs::status(folder_ / "site/index.html").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::read_symlink(folder_ / "roofline.svg"), "/dev/null");
  EXPECT_EQ(read_file(folder_ / "later.svg"), "time of a");
  EXPECT_THAT(std::vector<fs::path>(fs::directory_iterator(folder_ / "site"), {}), SizeIs(1));
}

TEST_F(OutputFiles, AreRefusedIfOneIsAnInput) {
  write_file(folder_ / "roofline.svg", "an input");
  EXPECT_THROW(write_together(folder_, kPage, kFirst, {folder_ / "roofline.svg"}), Error);
  EXPECT_EQ(contents(), (Contents{{"roofline.svg", "an input"}}));
}

/// While an object of this class lives, files cannot be larger.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &previous_);
    rlimit limit = previous_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &previous_);
    std::signal(SIGXFSZ, previous_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit previous_{};
  void (*previous_handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

TEST_F(OutputFiles, ThatDoNotFitChangeNothing) {
  for (const bool is_first : {true, false}) {
    if (!is_first) write_together(folder_, kPage, kFirst);
    const Contents before = contents();
    std::vector<OutputFile> files = kSecond;
    files.back().content = std::string(100'000, 'x');
    std::string failure;
    {
      const FileSizeLimit limit(50'000);
      failure = failure_of(folder_, files);
    }
    EXPECT_EQ(failure, (folder_ / kPage).string() + ": cannot be written: File too large");
    EXPECT_EQ(contents(), before);
    EXPECT_TRUE(fs::is_empty(folder_) == is_first);
  }
}

TEST_F(OutputFiles, WhoseListDoesNotFitChangeNothing) {
  write_together(folder_, kPage, kFirst);
  const Contents before = contents();
  {
    const FileSizeLimit limit(before.at(kList).size() + 10);
    EXPECT_EQ(failure_of(folder_, kSecond), folder_.string() + ": cannot be written: File too large");
  }
  EXPECT_EQ(contents(), before);
}

TEST_F(OutputFiles, OfWhichOneCannotBeMovedChangeNothing) {
  // The longest path that a file can have. The hidden folder is deeper.
  fs::path folder = folder_;
  const std::string name = std::string(100, 'n') + ".svg";
  constexpr std::size_t kHidden = std::string_view(".rooflinectl-0123456789abcdef.part/").size();
  const std::size_t length = PATH_MAX - 1 - name.size() - 1 - kHidden;
  while (folder.native().size() + 200 < length) folder /= std::string(150, 'f');
  folder /= std::string(length - folder.native().size() - 1, 'f');
  fs::create_directories(folder);
  const std::vector<OutputFile> first = {{name, "roofline of a"}, {kPage, "page of a"}};
  write_together(folder, kPage, first);
  const std::string failure = failure_of(folder, {{name, "roofline of b"}, {kPage, "page of b"}});
  EXPECT_THAT(failure, AllOf(HasSubstr(name), HasSubstr("File name too long")));
  EXPECT_EQ(read_file(folder / kPage), "page of a");
  EXPECT_EQ(read_file(folder / name), "roofline of a");
  EXPECT_THAT(std::vector<fs::path>(fs::directory_iterator(folder), {}), SizeIs(3));
}

TEST_F(OutputFiles, APageLeavesFirstAndComesLast) {
  write_together(folder_, kPage, kFirst);
  const int events = inotify_init1(IN_NONBLOCK);
  ASSERT_GE(inotify_add_watch(events, folder_.c_str(), IN_MOVED_FROM | IN_MOVED_TO), 0);
  write_together(folder_, kPage, kSecond);
  alignas(inotify_event) std::array<char, 4096> buffer{};
  const ssize_t size = read(events, buffer.data(), buffer.size());
  close(events);
  std::vector<std::string> seen;
  for (ssize_t place = 0; place < size;) {
    const auto* const event =
        reinterpret_cast<const inotify_event*>(&buffer[static_cast<std::size_t>(place)]);
    seen.push_back(fmt::format("{} {}", (event->mask & IN_MOVED_FROM) != 0 ? "leaves:" : "comes:",
                               static_cast<const char*>(event->name)));
    place += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
  }
  EXPECT_EQ(seen,
            (std::vector<std::string>{"leaves: report.html", "leaves: roofline.svg", "leaves: time-a.svg",
                                      "comes: roofline.svg", "comes: report.html"}));
}

TEST_F(OutputFiles, ASignalBeforeAllAreWrittenChangesNothing) {
  write_together(folder_, kPage, kFirst);
  const Contents before = contents();
  std::vector<OutputFile> files = kSecond;
  for (int i = 0; i < 20'000; ++i) files.push_back({fmt::format("{}.svg", i), "x"});
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child = fork();
    if (child == 0) {
      std::signal(signal, SIG_DFL);
      failure_of(folder_, files);
      _exit(0);
    }
    const auto has_begun = [&] {
      return std::any_of(fs::directory_iterator(folder_), {},
                         [](const fs::directory_entry& entry) { return entry.is_directory(); });
    };
    while (!has_begun()) std::this_thread::sleep_for(1ms);
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    EXPECT_EQ(contents(), before);
  }
}

TEST_F(OutputFiles, ASignalThatIsIgnoredIsNoReasonToStop) {
  const auto previous = std::signal(SIGHUP, SIG_IGN);
  std::vector<OutputFile> files = kSecond;
  for (int i = 0; i < 2'000; ++i) files.push_back({fmt::format("{}.svg", i), "x"});
  std::jthread raising([](const std::stop_token& stop) {
    while (!stop.stop_requested()) kill(getpid(), SIGHUP);
  });
  EXPECT_EQ(failure_of(folder_, files), "");
  raising = {};
  std::signal(SIGHUP, previous);
}

TEST_F(OutputFiles, OfTwoProgramsDoNotMix) {
  std::vector<std::vector<OutputFile>> sets(4);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (int file = 0; file < 20; ++file) sets[i].push_back({fmt::format("{}-{}.svg", i, file), "x"});
    sets[i].push_back({kPage, fmt::format("{}", i)});
  }
  for (int round = 0; round < 10; ++round) {
    std::vector<std::jthread> threads;
    for (const auto& files : sets) {
      threads.emplace_back([&] { EXPECT_EQ(failure_of(folder_, files), ""); });
    }
    threads.clear();
    const Contents there = contents();
    EXPECT_THAT(there, SizeIs(22));
    EXPECT_TRUE(there.contains(there.at(kPage) + "-7.svg"));
  }
}

}  // namespace
}  // namespace rooflinectl::output_files_test
