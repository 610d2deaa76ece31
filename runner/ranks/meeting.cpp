// SPDX-License-Identifier: Apache-2.0
#include "runner/ranks/meeting.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <system_error>
#include <thread>

#include "core/error.h"
#include "core/files/files.h"
#include "core/files/hash.h"
#include "runner/processes/silence_limit.h"
#include "runner/runs/folder_lock.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// How long the ranks wait for each other to start. A folder over NFS shows new files after up to a minute.
constexpr std::chrono::duration<double> kUsualRankLimit = 120s;
constexpr auto kFirstPause = 10ms;
constexpr auto kLongestPause = 500ms;
constexpr std::size_t kJobDigits = 16;

/// A name that no other process has.
std::string new_token() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

// Over NFS a file that was just replaced or removed may be neither (ESTALE): the next look will tell.

bool is_there(const fs::path& path) {
  std::error_code unknown;
  return fs::exists(path, unknown);
}

bool is_missing(const fs::path& path) {
  std::error_code unknown;
  return fs::status(path, unknown).type() == fs::file_type::not_found;
}

/// Nothing if the file is not there yet.
std::optional<std::string> content_of(const fs::path& file) {
  if (!is_there(file)) return std::nullopt;
  try {
    return read_file(file);
  } catch (const Error&) {
    return std::nullopt;  // it has just been replaced or removed
  }
}

/// Rank 0's hold on the folder where the others leave their tokens, until all have come.
class WaitingFolder {
 public:
  /// Throws Error(environment) if another launch uses it.
  explicit WaitingFolder(fs::path folder) : folder_(std::move(folder)), lock_(make_folder(folder_)) {}
  ~WaitingFolder() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  WaitingFolder(const WaitingFolder&) = delete;
  WaitingFolder& operator=(const WaitingFolder&) = delete;

 private:
  fs::path folder_;
  FolderLock lock_;
};

/// A token in that folder, until its rank has been invited.
class Token {
 public:
  explicit Token(fs::path file) : file_(std::move(file)) {}
  ~Token() {
    std::error_code ignored;
    fs::remove(file_, ignored);
    fs::remove(file_.parent_path(), ignored);  // unless there are others
  }
  Token(const Token&) = delete;
  Token& operator=(const Token&) = delete;

  /// Writes it, unless it is there already: rank 0 of an earlier launch may have taken it away.
  void leave() const {
    make_folder(file_.parent_path());
    if (content_of(file_) != text_) write_file(file_, text_);
  }
  bool is_in(const std::vector<std::string>& tokens) const {
    return std::find(tokens.begin(), tokens.end(), text_) != tokens.end();
  }

 private:
  fs::path file_;
  std::string text_ = new_token();
};

}  // namespace

Meeting::Meeting(LauncherRank rank, fs::path parent, IsStopped is_stopped)
    : rank_(std::move(rank)),
      ranks_(rank_.ranks.value()),
      parent_(std::move(parent)),
      waiting_folder_(parent_ / (".ranks-" + sha256(rank_.job).substr(0, kJobDigits))),
      is_stopped_(std::move(is_stopped)),
      limit_(seconds_from_environment("ROOFLINECTL_RANK_LIMIT").value_or(kUsualRankLimit)),
      hellos_(static_cast<std::size_t>(ranks_)) {}

Meeting::~Meeting() {
  if (folder_.empty()) return;
  std::error_code ignored;
  if (rank_.is_first()) {
    fs::remove_all(message_folder(), ignored);
    return;
  }
  try {
    if (is_there(message_folder())) end();
  } catch (const Error&) {  // its lock shows that it has ended, if nothing else does
  }
}

bool Meeting::invite(const fs::path& folder, RankHello hello) {
  const WaitingFolder waiting(waiting_folder_);
  folder_ = folder;
  make_folder(message_folder());
  say_hello(std::move(hello));

  RankInvitation invitation{.folder = folder_.filename(), .tokens = {}};
  const auto invite_who_is_there = [&] {
    std::vector<std::string> tokens;
    for (int rank = 1; rank < ranks_; ++rank) {
      if (auto token = content_of(waiting_folder_ / std::to_string(rank))) tokens.push_back(*token);
    }
    if (tokens != invitation.tokens) {
      invitation.tokens = std::move(tokens);
      write_file(waiting_folder_ / "invitation.json", encode(invitation));
    }
    return have_all_said_hello();
  };
  return wait_in_time(invite_who_is_there, [this] { return missing_ranks(); });
}

bool Meeting::join(RankHello hello) {
  const Token token(waiting_folder_ / std::to_string(rank_.rank));
  RankInvitation invitation;
  const auto is_invited = [&] {
    token.leave();
    const auto text = content_of(waiting_folder_ / "invitation.json");
    if (text) invitation = decode_invitation(*text);
    return token.is_in(invitation.tokens);
  };
  if (!wait_in_time(is_invited, [] { return "rank 0"; })) return false;
  folder_ = parent_ / fs::path(invitation.folder).filename();
  say_hello(std::move(hello));
  const auto have_met = [this] {
    if (met_.contains(kFirstRank) && is_gone(kFirstRank)) {
      throw Error(ErrorKind::environment, "rank 0 ended before all ranks had joined");
    }
    return have_all_said_hello();
  };
  return wait_in_time(have_met, [this] { return missing_ranks(); });
}

void Meeting::report(const std::string& step, const RankStep& result) const {
  write_file(file_of(rank_.rank, step + ".json"), encode(result));
}

void Meeting::end() const {
  write_file(file_of(rank_.rank, "end"), "");
}

bool Meeting::wait_for(int rank, const std::string& step) const {
  return wait_until([&] { return is_there(file_of(rank, step + ".json")) || has_ended(rank); });
}

bool Meeting::wait_until_gone(int rank) const {
  return wait_until([&] { return is_gone(rank); });
}

void Meeting::wait_for_ends(std::chrono::seconds limit) const {
  const auto have_ended = [this] {
    for (int rank = 0; rank < ranks_; ++rank) {
      if (rank != rank_.rank && !has_ended(rank)) return false;
    }
    return true;
  };
  wait_until(have_ended, Clock::now() + limit);
}

std::optional<RankStep> Meeting::step_of(int rank, const std::string& step) const {
  const auto text = content_of(file_of(rank, step + ".json"));
  return text ? std::optional(decode_step(*text)) : std::nullopt;
}

bool Meeting::has_ended(int rank) const {
  return is_there(file_of(rank, "end")) || is_gone(rank);
}

bool Meeting::has_died(int rank) const {
  return is_there(message_folder()) && is_gone(rank) && is_missing(file_of(rank, "end"));
}

bool Meeting::is_gone(int rank) const {
  const fs::path lock = file_of(rank, "lock");
  const bool is_locked = hellos_[static_cast<std::size_t>(rank)].is_locked;
  return is_missing(lock) || (is_locked && is_released(lock));
}

fs::path Meeting::file_of(int rank, const std::string& what) const {
  return message_folder() / fmt::format("{}.{}", rank, what);
}

void Meeting::say_hello(RankHello hello) {
  lock_ = RankLock(file_of(rank_.rank, "lock"));
  hello.is_locked = lock_.is_held();
  write_file(file_of(rank_.rank, "hello.json"), encode(hello));
}

bool Meeting::have_all_said_hello() {
  for (int rank = 0; rank < ranks_; ++rank) {
    if (met_.contains(rank)) continue;
    const auto text = content_of(file_of(rank, "hello.json"));
    if (!text) continue;
    hellos_[static_cast<std::size_t>(rank)] = decode_hello(*text);
    met_.insert(rank);
  }
  return met_.size() == hellos_.size();
}

std::string Meeting::missing_ranks() const {
  std::vector<int> missing;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (!met_.contains(rank)) missing.push_back(rank);
  }
  return fmt::format("{} {}", missing.size() == 1 ? "rank" : "ranks", fmt::join(missing, ", "));
}

void Meeting::fail_without(const std::string& missing) const {
  throw Error(ErrorKind::environment,
              fmt::format("{} of {} did not join within {:g} s", missing, ranks_, limit_.count()),
              fmt::format("the ranks meet in {}, which all hosts must share: choose such a folder with "
                          "--output; ROOFLINECTL_RANK_LIMIT is how many seconds they wait",
                          parent_.string()));
}

/// False if the user stopped it, or after the deadline.
bool Meeting::wait_until(const std::function<bool()>& is_there,
                         std::optional<Clock::time_point> deadline) const {
  std::chrono::milliseconds pause = kFirstPause;
  while (!is_there()) {
    if (is_stopped_() || (deadline && Clock::now() > *deadline)) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::milliseconds>(pause * 2, kLongestPause);
  }
  return true;
}

/// Throws if what is `missing` does not come in time.
bool Meeting::wait_in_time(const std::function<bool()>& is_there,
                           const std::function<std::string()>& missing) const {
  const auto deadline = Clock::now() + std::chrono::ceil<Clock::duration>(limit_);
  if (wait_until(is_there, deadline)) return true;
  if (!is_stopped_()) fail_without(missing());
  return false;
}

}  // namespace rooflinectl
