// SPDX-License-Identifier: Apache-2.0
#include "collector/injection/streams.h"

#include <algorithm>

namespace rooflinectl::injection {

namespace {

/// Lets this thread ask about streams although another one captures a graph.
class RelaxedCapture {
 public:
  RelaxedCapture() { cuThreadExchangeStreamCaptureMode(&mode_); }
  ~RelaxedCapture() { cuThreadExchangeStreamCaptureMode(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  // and then the one to go back to
};

/// Makes a context current: the default streams are those of the current one.
class Current {
 public:
  explicit Current(CUcontext context) {
    CUcontext current = nullptr;
    cuCtxGetCurrent(&current);
    is_pushed_ = current != context && cuCtxPushCurrent(context) == CUDA_SUCCESS;
  }
  ~Current() {
    CUcontext popped = nullptr;
    if (is_pushed_) cuCtxPopCurrent(&popped);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  bool is_pushed_ = false;
};

}  // namespace

void Streams::add(CUcontext context, CUstream stream) {
  const std::lock_guard lock(mutex_);
  streams_.insert({context, stream});
}

void Streams::remove(CUcontext context, CUstream stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase({context, stream});
}

void Streams::remove(CUcontext context) {
  const std::lock_guard lock(mutex_);
  std::erase_if(streams_, [&](const auto& entry) { return entry.first == context; });
}

bool Streams::are_idle() const {
  const RelaxedCapture relaxed;
  const std::lock_guard lock(mutex_);
  const auto ask = [](const auto& entry, auto question) {
    const Current current(entry.first);
    return question(entry.second);
  };
  const auto all = [&](auto question) {
    return std::all_of(streams_.begin(), streams_.end(),
                       [&](const auto& entry) { return ask(entry, question); });
  };
  return all([](CUstream stream) { return !is_captured(stream); }) &&
         all([](CUstream stream) { return cuStreamQuery(stream) == CUDA_SUCCESS; });
}

bool is_captured(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  // An error: the default stream, while another one is captured.
  return cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE;
}

}  // namespace rooflinectl::injection
