// SPDX-License-Identifier: Apache-2.0
#include "injection/cuda/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/error.h"

namespace rooflinectl::injection {

namespace {

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

/// Whether work in the stream's context has failed, after which CUDA does no more in it.
bool is_of_failed_context(CUresult result) {
  constexpr std::array kErrors = {CUDA_ERROR_ECC_UNCORRECTABLE,
                                  CUDA_ERROR_NVLINK_UNCORRECTABLE,
                                  CUDA_ERROR_ILLEGAL_ADDRESS,
                                  CUDA_ERROR_LAUNCH_TIMEOUT,
                                  CUDA_ERROR_ASSERT,
                                  CUDA_ERROR_HARDWARE_STACK_ERROR,
                                  CUDA_ERROR_ILLEGAL_INSTRUCTION,
                                  CUDA_ERROR_MISALIGNED_ADDRESS,
                                  CUDA_ERROR_INVALID_ADDRESS_SPACE,
                                  CUDA_ERROR_INVALID_PC,
                                  CUDA_ERROR_LAUNCH_FAILED,
                                  CUDA_ERROR_UNKNOWN};
  return std::ranges::find(kErrors, result) != kErrors.end();
}

bool is_done(CUstream stream) {
  const CUresult result = cuStreamQuery(stream);
  if (is_of_failed_context(result)) {
    const char* name = "";
    cuGetErrorName(result, &name);
    throw Error(ErrorKind::environment, fmt::format("the program's work on the GPU has failed: {}", name));
  }
  return result == CUDA_SUCCESS;
}

/// The stream that this thread added last, which is mostly the one that it uses next.
struct LastAdded {
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  std::uint64_t removals = 0;
};
thread_local LastAdded last_added;

}  // namespace

void Streams::add(CUcontext context, int device, CUstream stream) {
  const std::uint64_t removals = removals_.load(std::memory_order_acquire);
  if (last_added.context == context && last_added.stream == stream && last_added.removals == removals) return;
  const std::lock_guard lock(mutex_);
  int& known = streams_.try_emplace({context, stream}, device).first->second;
  if (device == kUnknownDevice) return;
  known = device;
  last_added = {.context = context, .stream = stream, .removals = removals};
}

void Streams::remove(CUstream stream) {
  const std::lock_guard lock(mutex_);
  if (std::erase_if(streams_, [&](const auto& entry) { return entry.first.second == stream; }) > 0)
    ++removals_;
}

void Streams::remove(CUcontext context) {
  const std::lock_guard lock(mutex_);
  std::erase_if(streams_, [&](const auto& entry) { return entry.first.first == context; });
  ++removals_;
}

bool Streams::are_idle(std::optional<int> device) {
  require_no_lock_of_launches();
  const std::unique_lock asking(queries_, std::try_to_lock);
  if (!asking || closing_ > 0) return false;
  std::vector<Stream> streams;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [stream, of] : streams_) {
      if (!device || of == *device || of == kUnknownDevice) streams.push_back(stream);
    }
  }
  const RelaxedCapture relaxed;
  const auto all = [&](auto question) {
    return std::ranges::all_of(streams, [&](const Stream& stream) {
      const Current current(stream.first);
      return question(stream.second);
    });
  };
  return all([](CUstream stream) { return !is_captured(stream); }) && all(is_done);
}

bool is_captured(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = cuStreamIsCapturing(stream, &status);
  if (is_of_failed_context(result)) return false;
  // Another error: the default stream, while another one is captured.
  return result != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE;
}

}  // namespace rooflinectl::injection
