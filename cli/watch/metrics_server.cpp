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

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "cli/watch/watch_display.h"
#include "core/counters/metrics.h"
#include "core/error.h"

namespace rooflinectl {

namespace {

/// A client that sends or reads nothing for so long is dropped: others wait behind it.
constexpr timeval kLongestWait{.tv_sec = 1, .tv_usec = 0};
constexpr std::size_t kLongestRequest = 8192;
constexpr const char* kOpenMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

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

namespace {

struct Gauge {
  std::string_view name;
  std::string_view key;  ///< of `sampled`; empty for those that several make
  double scale;          ///< from our unit (bytes/s, shares, hertz, watts) to the gauge's
  std::string_view help;
};

constexpr double kMegahertz = 1e-6;
constexpr std::string_view kDramFraction = "rooflinectl_dram_fraction_of_ceiling";
constexpr std::string_view kBoardPower = "DCGM_FI_DEV_POWER_USAGE";

constexpr std::array kGauges = {
    Gauge{"DCGM_FI_PROF_SM_ACTIVE", sampled::kSmActive, 1,
          "Share of the SMs' cycles with at least one warp (0 to 1)."},
    Gauge{"DCGM_FI_PROF_SM_OCCUPANCY", sampled::kWarps, 1,
          "Resident warps as a share of the most that fit (0 to 1)."},
    Gauge{"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", sampled::kTensorActive, 1,
          "Share of the cycles in which the Tensor Cores worked (0 to 1)."},
    Gauge{"DCGM_FI_PROF_PIPE_FP32_ACTIVE", sampled::kFp32Issued, 1,
          "Instructions of the FP32 pipe as a share of what it can issue (0 to 1)."},
    Gauge{"DCGM_FI_PROF_PIPE_FP64_ACTIVE", sampled::kFp64Active, 1,
          "Share of the cycles in which the FP64 pipe worked (0 to 1)."},
    Gauge{"DCGM_FI_PROF_PCIE_RX_BYTES", sampled::kPcieReadBytes, 1,
          "Bytes per second that the GPU received over PCIe."},
    Gauge{"DCGM_FI_PROF_PCIE_TX_BYTES", sampled::kPcieWriteBytes, 1,
          "Bytes per second that the GPU sent over PCIe."},
    Gauge{"DCGM_FI_PROF_NVLINK_RX_BYTES", sampled::kNvlinkReceivedBytes, 1,
          "Bytes per second that the GPU received over NVLink."},
    Gauge{"DCGM_FI_PROF_NVLINK_TX_BYTES", sampled::kNvlinkSentBytes, 1,
          "Bytes per second that the GPU sent over NVLink."},
    Gauge{"DCGM_FI_DEV_SM_CLOCK", sampled::kSmClockHz, kMegahertz, "Clock of the SMs in MHz."},
    Gauge{kBoardPower, {}, 1, "Power draw of the board in W."},
    Gauge{"rooflinectl_dram_read_bytes_per_second", sampled::kDramReadBytes, 1,
          "Bytes per second read from device memory."},
    Gauge{"rooflinectl_dram_write_bytes_per_second", sampled::kDramWriteBytes, 1,
          "Bytes per second written to device memory."},
    Gauge{kDramFraction, {}, 1, "Device memory traffic as a share of the measured ceiling (0 to 1)."},
    Gauge{"rooflinectl_l2_bytes_per_second", sampled::kL2Bytes, 1, "Bytes per second requested from L2."},
};

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

std::string labels_of(const Run& run, const DeviceInfo& device) {
  return fmt::format(R"(gpu="{}",UUID="GPU-{}",device="nvidia{}",modelName="{}",Hostname="{}")", device.index,
                     escaped(device.uuid.starts_with("GPU-") ? device.uuid.substr(4) : device.uuid),
                     device.index, escaped(device.name), escaped(run.host));
}

std::optional<double> value_of(const Gauge& gauge, const Run& run, std::size_t device,
                               const SampledRates& rates) {
  if (gauge.name == kBoardPower) return rates.watts;
  if (gauge.name == kDramFraction) return dram_fraction_of_ceiling(run, device, rates);
  const auto value = rates.value(gauge.key);
  return value ? std::optional(*value * gauge.scale) : std::nullopt;
}

}  // namespace

std::string openmetrics_text(const Run& run, const DeviceRates& rates) {
  std::string text;
  for (const Gauge& gauge : kGauges) {
    std::string lines;
    for (std::size_t device = 0; device < rates.size(); ++device) {
      if (!rates[device]) continue;
      const auto value = value_of(gauge, run, device, *rates[device]);
      if (value)
        lines += fmt::format("{}{{{}}} {:.10g}\n", gauge.name, labels_of(run, run.devices[device]), *value);
    }
    if (!lines.empty())
      text += fmt::format("# TYPE {0} gauge\n# HELP {0} {1}\n{2}", gauge.name, gauge.help, lines);
  }
  return text + "# EOF\n";
}

}  // namespace rooflinectl
