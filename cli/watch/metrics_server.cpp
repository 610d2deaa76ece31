// SPDX-License-Identifier: Apache-2.0
#include "cli/watch/metrics_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace rooflinectl {

namespace {

/// A client that sends or reads nothing for so long is dropped: others wait behind it.
constexpr timeval kLongestWait{.tv_sec = 1, .tv_usec = 0};
constexpr std::size_t kLongestRequest = 8192;

[[noreturn]] void fail(const MetricsAddress& address) {
  throw Error(
      ErrorKind::environment,
      fmt::format("cannot serve metrics on {}:{}: {}", address.host, address.port, std::strerror(errno)),
      "choose another port: --export openmetrics:PORT");
}

FileDescriptor listen_on(const MetricsAddress& address, sockaddr_in& bound) {
  FileDescriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  bound.sin_family = AF_INET;
  bound.sin_port = htons(address.port);
  const int reuse = 1;
  socklen_t size = sizeof bound;
  auto* const name = reinterpret_cast<sockaddr*>(&bound);
  const bool listens = listener.is_open() && inet_pton(AF_INET, address.host.c_str(), &bound.sin_addr) == 1 &&
                       setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse) == 0 &&
                       bind(listener.get(), name, size) == 0 && listen(listener.get(), SOMAXCONN) == 0 &&
                       getsockname(listener.get(), name, &size) == 0;
  if (!listens) fail(address);
  return listener;
}

/// The first line of a request, as far as it comes in time.
std::string request_line(int connection) {
  std::string request;
  char buffer[1024];
  while (request.find("\r\n\r\n") == std::string::npos && request.size() < kLongestRequest) {
    const ssize_t size = recv(connection, buffer, sizeof buffer, 0);
    if (size <= 0) break;
    request.append(buffer, static_cast<std::size_t>(size));
  }
  return request.substr(0, request.find("\r\n"));
}

void send_all(int connection, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (size <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
}

std::string response(std::string_view status, std::string_view type, std::string_view body) {
  return fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
                     status, type, body.size(), body);
}

}  // namespace

MetricsServer::MetricsServer(const MetricsAddress& address) : stop_(eventfd(0, EFD_CLOEXEC)) {
  sockaddr_in bound{};
  listener_ = listen_on(address, bound);
  url_ = fmt::format("http://{}:{}/metrics", address.host, ntohs(bound.sin_port));
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

MetricsServer::~MetricsServer() {
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void MetricsServer::set(std::string text) {
  const std::lock_guard lock(mutex_);
  text_ = std::move(text);
}

void MetricsServer::serve() {
  while (true) {
    pollfd ready[] = {{.fd = listener_.get(), .events = POLLIN, .revents = 0},
                      {.fd = stop_.get(), .events = POLLIN, .revents = 0}};
    if (poll(ready, 2, -1) < 0 && errno != EINTR) return;
    if (ready[1].revents != 0) return;
    if (ready[0].revents == 0) continue;
    const FileDescriptor connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection.is_open()) answer(connection.get());
  }
}

void MetricsServer::answer(int connection) {
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &kLongestWait, sizeof kLongestWait);
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &kLongestWait, sizeof kLongestWait);
  const std::string line = request_line(connection);
  if (line.starts_with("GET /metrics ") || line.starts_with("GET /metrics?")) {
    std::string text;
    {
      const std::lock_guard lock(mutex_);
      text = text_;
    }
    send_all(connection, response("200 OK", kOpenMetricsType, text));
  } else {
    send_all(connection, response("404 Not Found", "text/plain", "metrics are at /metrics\n"));
  }
}

}  // namespace rooflinectl
