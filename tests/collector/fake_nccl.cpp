// SPDX-License-Identifier: Apache-2.0
// Plays libnccl.so.2 without a GPU: it writes down how it is called. FAKE_NCCL_FAILS names a function that
// fails.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::string& calls() {
  static std::string text;
  return text;
}

std::string number(const void* pointer) {
  return std::to_string(reinterpret_cast<std::size_t>(pointer));
}

int answer(const char* name, const std::string& arguments) {
  calls() += name + ("(" + arguments) + ")\n";
  const char* const failing = std::getenv("FAKE_NCCL_FAILS");
  constexpr int kSystemError = 2;
  return failing != nullptr && std::strcmp(failing, name) == 0 ? kSystemError : 0;
}

std::string multicast() {
  const char* const is_on = std::getenv("NCCL_NVLS_ENABLE");
  return "NVLS=" + std::string(is_on == nullptr ? "" : is_on);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): NCCL's names.
extern "C" {

/// What was called since the last time.
const char* fake_nccl_calls() {
  static std::string taken;
  taken = calls();
  calls().clear();
  return taken.c_str();
}

int ncclGetVersion(int* version) {
  *version = 22809;
  return 0;
}

const char* ncclGetErrorString(int result) {
  return result == 2 ? "unhandled system error" : "no error";
}

struct UniqueId {
  char bytes[128];
};

int ncclGetUniqueId(UniqueId* id) {
  std::strncpy(id->bytes, std::getenv("NCCL_COMM_ID"), sizeof id->bytes - 1);
  return answer("ncclGetUniqueId", "");
}

int ncclCommInitRank(void** communicator, int n_ranks, UniqueId id, int rank) {
  *communicator = reinterpret_cast<void*>(100);  // NOLINT(performance-no-int-to-ptr)
  return answer("ncclCommInitRank", multicast() + " " + std::to_string(rank) + " of " +
                                        std::to_string(n_ranks) + ", " + id.bytes);
}

int ncclCommSplit(void* communicator, int color, int key, void** part, void*) {
  *part = reinterpret_cast<void*>(color < 0 ? 0 : 200);  // NOLINT(performance-no-int-to-ptr)
  return answer("ncclCommSplit",
                number(communicator) + " " + std::to_string(color) + " " + std::to_string(key));
}

int ncclCommInitAll(void** communicators, int n_devices, const int* devices) {
  std::string arguments = multicast();
  for (int i = 0; i < n_devices; ++i) {
    const std::size_t handle = 100 + static_cast<std::size_t>(devices[i]);
    communicators[i] = reinterpret_cast<void*>(handle);  // NOLINT(performance-no-int-to-ptr)
    arguments += " " + std::to_string(devices[i]);
  }
  return answer("ncclCommInitAll", arguments);
}

int ncclCommAbort(void* communicator) {
  return answer("ncclCommAbort", number(communicator));
}

int ncclGroupStart() {
  return answer("ncclGroupStart", "");
}

int ncclGroupEnd() {
  return answer("ncclGroupEnd", "");
}

int ncclAllReduce(const void* d_input, void* d_output, std::size_t count, int type, int operation,
                  void* communicator, void* stream) {
  return answer("ncclAllReduce", number(d_input) + " " + number(d_output) + " " + std::to_string(count) +
                                     " " + std::to_string(type) + " " + std::to_string(operation) + " " +
                                     number(communicator) + " " + number(stream));
}

int ncclAllGather(const void*, void*, std::size_t count, int, void* communicator, void*) {
  return answer("ncclAllGather", std::to_string(count) + " " + number(communicator));
}

int ncclReduceScatter(const void*, void*, std::size_t count, int, int operation, void* communicator, void*) {
  return answer("ncclReduceScatter",
                std::to_string(count) + " " + std::to_string(operation) + " " + number(communicator));
}

int ncclBroadcast(const void*, void*, std::size_t count, int, int root, void* communicator, void*) {
  return answer("ncclBroadcast",
                std::to_string(count) + " " + std::to_string(root) + " " + number(communicator));
}

int ncclSend(const void* d_input, std::size_t, int, int peer, void* communicator, void*) {
  return answer("ncclSend", number(d_input) + " to " + std::to_string(peer) + " " + number(communicator));
}

int ncclRecv(void* d_output, std::size_t, int, int peer, void* communicator, void*) {
  return answer("ncclRecv", number(d_output) + " from " + std::to_string(peer) + " " + number(communicator));
}
}
// NOLINTEND(readability-identifier-naming)
