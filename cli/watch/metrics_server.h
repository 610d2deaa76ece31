// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "core/files/files.h"
#include "core/model/run.h"
#include "runner/watching/watch.h"

namespace rooflinectl {

/// An IPv4 address and port to listen on.
struct MetricsAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 9401;  ///< 0 for any that is free
};

/// Serves one text at http://HOST:PORT/metrics, from a thread of its own that takes no signals.
class MetricsServer {
 public:
  /// Throws Error(environment) if the address cannot be listened on.
  explicit MetricsServer(const MetricsAddress& address);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  /// For example http://127.0.0.1:9401/metrics.
  const std::string& url() const { return url_; }
  /// Replaces the text, which is "# EOF" until the first call.
  void set(std::string text);

 private:
  void serve();
  void answer(int connection);

  FileDescriptor listener_;
  FileDescriptor stop_;  // becomes readable when the object is destroyed
  std::string url_;
  std::mutex mutex_;  // guards text_
  std::string text_ = "# EOF\n";
  std::thread thread_;  // the last member: it uses all others
};

/// Sampled rates as OpenMetrics 1.0 text, for Prometheus: one gauge for each quantity, one line for each
/// device of `run` that has it. Quantities that DCGM defines alike have the names, units and labels of
/// NVIDIA's dcgm-exporter. `rates` is parallel to the devices; a device without samples has no line.
std::string openmetrics_text(const Run& run, const DeviceRates& rates);

}  // namespace rooflinectl
