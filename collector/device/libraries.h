// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rooflinectl {

/// Loads a library of the CUDA toolkit from where toolkits put theirs: CUDA_HOME and CUDA_PATH first, then
/// the usual folders, then the loader's own search path. Null if it is nowhere.
void* open_toolkit_library(const char* name);

/// Where a library that is loaded came from; empty if it is not loaded.
std::string path_of_loaded_library(const char* name);

}  // namespace rooflinectl

/// NVIDIA's library of collectives (NCCL), which is looked for at run time.
namespace rooflinectl::nccl {

/// Types of elements, by NCCL's own numbers.
enum class Type : int { i32 = 2, i64 = 4, f16 = 6, f32 = 7, f64 = 8, bf16 = 9 };

/// What a collective works on in the memory of one device. Other devices need not reach the memory.
struct Rank {
  const void* d_input;
  void* d_output;
  cudaStream_t stream;
};

struct Functions;

/// Why there is no NCCL that can be used; nothing if there is one.
std::optional<std::string> obstacle();

/// Devices of this process that communicate: a rank each, in their order; or a device of this process and
/// those of others.
///
/// Each collective enqueues its part on the stream of every rank of this process, and waits for none; `ranks`
/// has one entry per device of this process. All throw Error(measurement) with what NCCL reports.
class Communicators {
 public:
  /// `devices` as CUDA numbers them. Loads NCCL: the file that ROOFLINECTL_NCCL names, else libnccl.so.2 from
  /// where the loader looks. NCCL runs without multicast through the switch (NVLS) in this process.
  ///
  /// Throws Error(environment) with cause and hint if NCCL is missing or too old, Error(measurement) if it
  /// cannot connect the devices.
  explicit Communicators(const std::vector<int>& devices);
  /// The current device, as one of `ranks` processes that meet at `address`, a `host:port` of the first.
  /// Waits for the others.
  Communicators(const std::string& address, int rank, int ranks);
  /// Does not wait for a collective that hangs.
  ~Communicators();
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;

  /// The ranks with `is_in`, in their order; null for the others. All ranks call it, a device each. Throws
  /// Error(environment) if NCCL is older than 2.18.
  std::unique_ptr<Communicators> split(bool is_in) const;

  /// `NCCL 2.28.9`
  std::string version() const;

  /// Every output becomes the sum of all inputs, `count` elements each.
  void all_reduce(const std::vector<Rank>& ranks, std::size_t count, Type type) const;
  /// Every output becomes the largest of all inputs, element by element.
  void largest(const std::vector<Rank>& ranks, std::size_t count, Type type) const;
  /// Every output becomes all inputs, `count` elements of each rank, one after the other.
  void all_gather(const std::vector<Rank>& ranks, std::size_t count, Type type) const;
  /// The output of each rank becomes its part, `count` elements, of the sum of all inputs.
  void reduce_scatter(const std::vector<Rank>& ranks, std::size_t count, Type type) const;
  /// Every output becomes the first rank's input of `count` elements.
  void broadcast(const std::vector<Rank>& ranks, std::size_t count, Type type) const;
  /// The output of each rank becomes the input of the rank before it, and that of the first rank the input of
  /// the last: `count` elements leave and reach every rank at once.
  void send_to_next(const std::vector<Rank>& ranks, std::size_t count, Type type) const;

 private:
  Communicators(std::shared_ptr<const Functions> functions, void* communicator)
      : functions_(std::move(functions)), communicators_{communicator} {}

  void all_reduce(const std::vector<Rank>& ranks, std::size_t count, Type type, int operation) const;
  template <typename Call>
  void for_each_rank(const std::vector<Rank>& ranks, const char* name, Call call) const;

  std::shared_ptr<const Functions> functions_;
  std::vector<void*> communicators_;
};

}  // namespace rooflinectl::nccl
