// SPDX-License-Identifier: Apache-2.0
#include "runner/processes/silence_limit.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "core/error.h"

namespace rooflinectl {

using namespace std::chrono_literals;
using message::Phase;
namespace {

using Seconds = std::chrono::duration<double>;

}  // namespace

Seconds usual_silence_limit(Phase phase, const TimingTarget& timing) {
  if (phase == Phase::meet) return 600s;
  if (phase == Phase::verify) return 300s;
  if (phase == Phase::time) return 60s + Seconds(10 * timing.time_limit_s);
  return 120s;
}

std::optional<Seconds> silence_limit_from_environment() {
  constexpr const char* kVariable = "ROOFLINECTL_SILENCE_LIMIT";
  const char* const text = std::getenv(kVariable);
  if (text == nullptr) return std::nullopt;
  double seconds = 0;
  const char* const text_end = text + std::strlen(text);
  const auto [end, error] = std::from_chars(text, text_end, seconds);
  const bool valid = error == std::errc() && end == text_end && seconds > 0 && seconds < 1e6;
  if (valid) return Seconds(seconds);
  throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not a number of seconds", kVariable, text));
}

}  // namespace rooflinectl
