// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/run.h"
#include "core/serial/protocol.h"

/// What the ranks of one run write for each other to read (`runner/ranks/`): a JSON document per file.
namespace rooflinectl {

/// Rank 0 made the folder of the run. It holds for the ranks whose tokens it has: any other rank has found
/// one that an earlier launch left behind.
struct RankInvitation {
  std::string folder;  ///< its name
  std::vector<std::string> tokens;

  bool operator==(const RankInvitation&) const = default;
};

/// A rank is there.
struct RankHello {
  std::string program;  ///< version and commit
  std::string request;  ///< hash of what it was asked to measure
  std::string host;
  std::string boot_id;     ///< alike for the ranks of one host
  bool is_locked = false;  ///< its lock shows whether it is alive
  std::optional<DeviceInfo> device;
  std::optional<message::Failure> failure;  ///< why it has no device

  bool operator==(const RankHello&) const = default;
};

/// What became of one step of a rank.
struct RankStep {
  std::string folder;  ///< the one with its `run.json`, within that of the run; empty where nothing was kept
  std::vector<std::string> losses;
  std::optional<int> stop_signal;
  std::optional<message::Failure> failure;  ///< why it ended before its plan did

  bool operator==(const RankStep&) const = default;
};

std::string encode(const RankInvitation& invitation);
std::string encode(const RankHello& hello);
std::string encode(const RankStep& step);
/// They throw Error(usage).
RankInvitation decode_invitation(std::string_view text);
RankHello decode_hello(std::string_view text);
RankStep decode_step(std::string_view text);

}  // namespace rooflinectl
