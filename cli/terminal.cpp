// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace rooflinectl {

namespace {

constexpr int kColumnsOfAFile = 100;

/// The first `columns` characters of `text`.
std::string_view shortened(std::string_view text, int columns) {
  int characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_character = (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
    if (begins_character && characters++ == columns) return text.substr(0, i);
  }
  return text;
}

}  // namespace

int columns_of(std::FILE* stream) {
  winsize size{};
  const bool known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kColumnsOfAFile;
}

ProgressDisplay::ProgressDisplay(std::FILE* stream)
    : stream_(stream), is_terminal_(isatty(fileno(stream)) == 1) {}

void ProgressDisplay::status(std::string_view text) {
  if (!is_terminal_) return;
  fmt::print(stream_, "\r\033[K{}", shortened(text, columns_of(stream_) - 1));
  std::fflush(stream_);
  has_status_ = true;
}

void ProgressDisplay::line(std::string_view text) {
  clear();
  fmt::print(stream_, "{}\n", text);
}

void ProgressDisplay::clear() {
  if (!has_status_) return;
  fmt::print(stream_, "\r\033[K");
  std::fflush(stream_);
  has_status_ = false;
}

}  // namespace rooflinectl
