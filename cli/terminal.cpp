// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/text/printable.h"

namespace rooflinectl {

namespace {

/// The error that the first lost text met; 0 as long as everything arrived.
int& loss_of(const std::FILE* stream) {
  static int of_output = 0;
  static int of_errors = 0;
  return stream == stdout ? of_output : of_errors;
}

void note(std::FILE* stream, bool arrived) {
  if (!arrived && loss_of(stream) == 0) loss_of(stream) = errno;
}

/// Without being made printable: for our own control sequences.
void send(std::FILE* stream, std::string_view bytes) {
  note(stream, std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size());
}

// A file or a pipe has room for whatever a table holds.
constexpr int kColumnsOfAFile = 100'000;

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

namespace terminal {

void prepare() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  // The lowest free number is the one that was found closed. What is written to it is lost, and known to be.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd) continue;
  }
}

void write(std::FILE* stream, std::string_view text) {
  send(stream, printable_lines(text));
}

void flush(std::FILE* stream) {
  note(stream, std::fflush(stream) == 0);
}

int print_error(const Error& error) {
  print(stderr, "{}\n", error.what());
  if (!error.hint().empty()) print(stderr, "hint: {}\n", error.hint());
  return error.exit_code();
}

int end(int exit_code) {
  flush(stdout);
  const int error = loss_of(stdout);
  if (error != 0 && error != EPIPE) {
    print(stderr, "standard output: cannot be written: {}\n", std::strerror(error));
  }
  flush(stderr);
  const bool lost = error != 0 || loss_of(stderr) != 0;
  return exit_code == 0 && lost ? static_cast<int>(ErrorKind::environment) : exit_code;
}

}  // namespace terminal

int columns_of(std::FILE* stream) {
  winsize size{};
  const bool known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kColumnsOfAFile;
}

LiveTable::LiveTable(std::FILE* stream) : stream_(stream), is_terminal_(isatty(fileno(stream)) == 1) {}

void LiveTable::show(std::string_view text) {
  if (lines_ > 0) send(stream_, fmt::format("\033[{}A\033[J", lines_));
  lines_ = 0;
  for (std::size_t begin = 0; begin < text.size(); ++lines_) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    send(stream_, shortened(printable(text.substr(begin, end - begin)), columns_of(stream_) - 1));
    send(stream_, "\n");
    begin = end + 1;
  }
  terminal::flush(stream_);
}

ProgressDisplay::ProgressDisplay(std::FILE* stream)
    : stream_(stream), is_terminal_(isatty(fileno(stream)) == 1) {}

void ProgressDisplay::status(std::string_view text) {
  if (!is_terminal_) return;
  send(stream_, "\r\033[K");
  send(stream_, shortened(printable(text), columns_of(stream_) - 1));
  terminal::flush(stream_);
  has_status_ = true;
}

void ProgressDisplay::line(std::string_view text) {
  clear();
  terminal::print(stream_, "{}\n", text);
}

void ProgressDisplay::clear() {
  if (!has_status_) return;
  send(stream_, "\r\033[K");
  terminal::flush(stream_);
  has_status_ = false;
}

}  // namespace rooflinectl
