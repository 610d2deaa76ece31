// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/machine_code/machine_code.h"
#include "injection/lock_order.h"

namespace rooflinectl::injection {

/// What a function executes on the Tensor Cores, and whether it does arithmetic on FP16 or BF16 elsewhere.
struct KnownCode {
  std::vector<TensorInstruction> tensor_instructions;
  bool has_half_arithmetic = false;
};

/// The instructions, of these kinds, of all functions that the process has loaded, by their symbols. Of a
/// cubin nothing else is kept, as its memory belongs to the driver, but for those that tell the lines of
/// their source. Member functions may be called from any thread.
class LoadedCode {
 public:
  /// A module was loaded: less than 0.2 ms for a MB of code.
  void add(std::string_view cubin);

  /// What functions with that symbol may execute, those of all modules taken together: a launched function's
  /// module cannot be told from others that have one with the same symbol. Nothing if none was loaded that
  /// can be decoded.
  std::optional<KnownCode> of(std::string_view symbol);

  /// From now on, copies are kept of the cubins that tell the lines of their source.
  void keep_lines() { keeps_lines_ = true; }
  /// These copies, by `code_digest`. No two are of one length, by bytes after their end: CUPTI, which
  /// remembers what it has read of a cubin, takes others of the same length for the same.
  std::map<std::uint64_t, std::shared_ptr<const std::string>> with_lines();

  /// Of later ones nothing is known.
  static constexpr std::size_t kMostFunctions = 200'000;
  /// Of all copies. Later cubins are not kept.
  static constexpr std::size_t kMostCopiedBytes = std::size_t{32} << 20;

 private:
  void keep(std::string_view cubin);

  OrderedMutex<LockOrder::kernels> mutex_;
  std::unordered_map<std::uint64_t, KnownCode> of_symbol_;  // by its digest
  std::atomic<bool> keeps_lines_ = false;
  std::map<std::uint64_t, std::shared_ptr<const std::string>> with_lines_;
  std::size_t copied_bytes_ = 0;
};

/// A digest of all of a cubin, at several GB/s.
std::uint64_t code_digest(std::string_view cubin);

/// A digest of the image that a module was loaded from: a cubin, a fatbinary (bare, or in the wrapper that
/// nvcc makes), or PTX. Of long ones the beginning and the size are taken, so that it takes less than a
/// millisecond. Nothing for another format.
std::optional<std::uint64_t> image_digest(const void* image);

/// FNV-1a, 64 bits.
class Digest {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes) add_byte(static_cast<unsigned char>(byte));
    add_byte(0);
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3; }

  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace rooflinectl::injection
