// SPDX-License-Identifier: Apache-2.0
#include "collector/device/libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/error.h"
#include "core/machine/loaded_library.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

/// Best guess first.
std::vector<fs::path> toolkits() {
  std::vector<fs::path> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = std::getenv(variable)) roots.emplace_back(root);
  }
  for (const char* root : {"/usr/local/cuda-13.0", "/usr/local/cuda-13", "/usr/local/cuda"})
    roots.emplace_back(root);
  return roots;
}

}  // namespace

void* open_toolkit_library(const char* name) {
  for (const fs::path& root : toolkits()) {
    for (const char* folder : {"extras/CUPTI/lib64", "lib64"}) {
      if (void* library = dlopen((root / folder / name).c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
    }
  }
  return dlopen(name, RTLD_NOW | RTLD_GLOBAL);
}

std::string path_of_loaded_library(const char* name) {
  void* const library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return {};
  const link_map* map = nullptr;
  const bool is_known = dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0;
  std::string path = is_known ? map->l_name : "";
  dlclose(library);
  return path;
}

}  // namespace rooflinectl

namespace rooflinectl::nccl {

namespace {

// NCCL's binary interface (NCCL API Reference, release 2); its header is not part of the CUDA toolkit.
using Communicator = void*;
constexpr int kSuccess = 0;
constexpr int kSum = 0;
constexpr int kMax = 2;
constexpr int kFirstRank = 0;

constexpr const char* kName = "libnccl.so.2";
constexpr const char* kPathVariable = "ROOFLINECTL_NCCL";
constexpr const char* kHint =
    "install libnccl2, or set ROOFLINECTL_NCCL to the path of a libnccl.so.2; PyTorch has one in "
    "site-packages/nvidia/nccl/lib";

}  // namespace

/// What ranks have in common before they are connected.
struct UniqueId {
  std::array<char, 128> bytes;
};

/// The functions of the library that are used, by their own names.
struct Functions {
  void* library;
  int (*get_version)(int*);
  const char* (*get_error_string)(int);
  int (*comm_init_all)(Communicator*, int, const int*);
  int (*comm_init_rank)(Communicator*, int, UniqueId, int);
  int (*get_unique_id)(UniqueId*);
  int (*comm_abort)(Communicator);
  int (*group_start)();
  int (*group_end)();
  int (*all_reduce)(const void*, void*, std::size_t, int, int, Communicator, cudaStream_t);
  int (*all_gather)(const void*, void*, std::size_t, int, Communicator, cudaStream_t);
  int (*reduce_scatter)(const void*, void*, std::size_t, int, int, Communicator, cudaStream_t);
  int (*broadcast)(const void*, void*, std::size_t, int, int, Communicator, cudaStream_t);
  int (*send)(const void*, std::size_t, int, int, Communicator, cudaStream_t);
  int (*receive)(void*, std::size_t, int, int, Communicator, cudaStream_t);

  void check(int result, const std::string& call) const {
    if (result == kSuccess) return;
    throw Error(ErrorKind::measurement, fmt::format("{}: {}", call, get_error_string(result)),
                "NCCL_DEBUG=WARN makes NCCL print more");
  }
};

namespace {

/// Throws Error(environment) if it is nowhere. The library stays loaded.
void* open_library() {
  const char* const path = std::getenv(kPathVariable);
  if (void* library = dlopen(path == nullptr ? kName : path, RTLD_NOW | RTLD_LOCAL)) return library;
  const char* const looked =
      path == nullptr ? "looked for in the loader's search path" : "set by ROOFLINECTL_NCCL";
  throw Error(ErrorKind::environment, fmt::format("NCCL is missing ({}): {}", looked, dlerror()), kHint);
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
  if (find_function(library, name, function)) return;
  throw Error(ErrorKind::environment, fmt::format("NCCL is too old: it has no {}", name), kHint);
}

std::unique_ptr<const Functions> load() {
  // Read once, when the library is first used.
  setenv("NCCL_NVLS_ENABLE", "0", 1);
  // Standard output is for the answer.
  setenv("NCCL_DEBUG_FILE", "/dev/stderr", 0);
  void* const library = open_library();
  auto functions = std::make_unique<Functions>();
  functions->library = library;
  find(library, "ncclGetVersion", functions->get_version);
  find(library, "ncclGetErrorString", functions->get_error_string);
  find(library, "ncclCommInitAll", functions->comm_init_all);
  find(library, "ncclCommInitRank", functions->comm_init_rank);
  find(library, "ncclGetUniqueId", functions->get_unique_id);
  find(library, "ncclCommAbort", functions->comm_abort);
  find(library, "ncclGroupStart", functions->group_start);
  find(library, "ncclGroupEnd", functions->group_end);
  find(library, "ncclAllReduce", functions->all_reduce);
  find(library, "ncclAllGather", functions->all_gather);
  find(library, "ncclReduceScatter", functions->reduce_scatter);
  find(library, "ncclBroadcast", functions->broadcast);
  find(library, "ncclSend", functions->send);
  find(library, "ncclRecv", functions->receive);
  return functions;
}

}  // namespace

std::optional<std::string> obstacle() {
  try {
    load();
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

// With an address in the environment, NCCL gives the same id to all ranks.
Communicators::Communicators(const std::string& address, int rank, int ranks)
    : functions_(load()), communicators_(1) {
  setenv("NCCL_COMM_ID", address.c_str(), 1);
  UniqueId id{};
  functions_->check(functions_->get_unique_id(&id), "ncclGetUniqueId");
  functions_->check(functions_->comm_init_rank(communicators_.data(), ranks, id, rank), "ncclCommInitRank");
}

Communicators::Communicators(const std::vector<int>& devices)
    : functions_(load()), communicators_(devices.size()) {
  functions_->check(
      functions_->comm_init_all(communicators_.data(), static_cast<int>(devices.size()), devices.data()),
      "ncclCommInitAll");
}

Communicators::~Communicators() {
  for (const Communicator communicator : communicators_) functions_->comm_abort(communicator);
}

std::unique_ptr<Communicators> Communicators::split(bool is_in) const {
  int (*comm_split)(Communicator, int, int, Communicator*, void*) = nullptr;
  find(functions_->library, "ncclCommSplit", comm_split);
  constexpr int kNone = -1;
  Communicator part = nullptr;
  functions_->check(comm_split(communicators_.front(), is_in ? 0 : kNone, 0, &part, nullptr),
                    "ncclCommSplit");
  return is_in ? std::unique_ptr<Communicators>(new Communicators(functions_, part)) : nullptr;
}

std::string Communicators::version() const {
  int version = 0;
  functions_->check(functions_->get_version(&version), "ncclGetVersion");
  return fmt::format("NCCL {}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

/// The ranks of one process are called as a group: NCCL would wait in the first call for the others.
template <typename Call>
void Communicators::for_each_rank(const std::vector<Rank>& ranks, const char* name, Call call) const {
  functions_->check(functions_->group_start(), "ncclGroupStart");
  int failed = kSuccess;
  for (std::size_t i = 0; i < ranks.size() && failed == kSuccess; ++i) failed = call(i, communicators_[i]);
  const int ended = functions_->group_end();
  functions_->check(failed, name);
  functions_->check(ended, name);
}

void Communicators::all_reduce(const std::vector<Rank>& ranks, std::size_t count, Type type,
                               int operation) const {
  for_each_rank(ranks, "ncclAllReduce", [&](std::size_t i, Communicator communicator) {
    return functions_->all_reduce(ranks[i].d_input, ranks[i].d_output, count, static_cast<int>(type),
                                  operation, communicator, ranks[i].stream);
  });
}

void Communicators::all_reduce(const std::vector<Rank>& ranks, std::size_t count, Type type) const {
  all_reduce(ranks, count, type, kSum);
}

void Communicators::largest(const std::vector<Rank>& ranks, std::size_t count, Type type) const {
  all_reduce(ranks, count, type, kMax);
}

void Communicators::all_gather(const std::vector<Rank>& ranks, std::size_t count, Type type) const {
  for_each_rank(ranks, "ncclAllGather", [&](std::size_t i, Communicator communicator) {
    return functions_->all_gather(ranks[i].d_input, ranks[i].d_output, count, static_cast<int>(type),
                                  communicator, ranks[i].stream);
  });
}

void Communicators::reduce_scatter(const std::vector<Rank>& ranks, std::size_t count, Type type) const {
  for_each_rank(ranks, "ncclReduceScatter", [&](std::size_t i, Communicator communicator) {
    return functions_->reduce_scatter(ranks[i].d_input, ranks[i].d_output, count, static_cast<int>(type),
                                      kSum, communicator, ranks[i].stream);
  });
}

void Communicators::broadcast(const std::vector<Rank>& ranks, std::size_t count, Type type) const {
  for_each_rank(ranks, "ncclBroadcast", [&](std::size_t i, Communicator communicator) {
    return functions_->broadcast(ranks[i].d_input, ranks[i].d_output, count, static_cast<int>(type),
                                 kFirstRank, communicator, ranks[i].stream);
  });
}

void Communicators::send_to_next(const std::vector<Rank>& ranks, std::size_t count, Type type) const {
  const std::size_t n = ranks.size();
  for_each_rank(ranks, "ncclSend", [&](std::size_t i, Communicator communicator) {
    const auto next = static_cast<int>((i + 1) % n);
    const auto last = static_cast<int>((i + n - 1) % n);
    const int sent = functions_->send(ranks[i].d_input, count, static_cast<int>(type), next, communicator,
                                      ranks[i].stream);
    if (sent != kSuccess) return sent;
    return functions_->receive(ranks[i].d_output, count, static_cast<int>(type), last, communicator,
                               ranks[i].stream);
  });
}

}  // namespace rooflinectl::nccl
