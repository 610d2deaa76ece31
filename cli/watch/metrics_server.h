// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "core/files/file_descriptor.h"

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

}  // namespace rooflinectl
