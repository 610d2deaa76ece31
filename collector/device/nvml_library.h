// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <optional>
#include <string>

#include "core/machine/loaded_library.h"

/// The driver's management library, which is looked for at run time. Its binary interface is that of the NVML
/// API Reference; its header is not part of every CUDA toolkit.
namespace rooflinectl::nvml {

using Device = void*;
inline constexpr int kSuccess = 0;

/// The library, for as long as this object lives.
class Library {
 public:
  Library() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
    if (library_ == nullptr || call<int()>("nvmlInit_v2") != kSuccess) library_ = nullptr;
  }
  ~Library() {
    if (library_ != nullptr) call<int()>("nvmlShutdown");
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool is_there() const { return library_ != nullptr; }

  /// The result of the function, or failure if there is none of that name.
  template <typename Function, typename... Arguments>
  int call(const char* name, Arguments... arguments) const {
    Function* function = nullptr;
    return find_function(library_, name, function) ? function(arguments...) : -1;
  }

  /// A property that the function `name` gives through its last argument.
  template <typename Value, typename... Arguments>
  std::optional<Value> get(const char* name, Device device, Arguments... arguments) const {
    Value value{};
    const bool known =
        call<int(Device, Arguments..., Value*)>(name, device, arguments..., &value) == kSuccess;
    return known ? std::optional(value) : std::nullopt;
  }

  /// Null if NVML is missing or does not know the GPU.
  Device find(const std::string& uuid) const {
    Device device = nullptr;
    const bool found = is_there() && call<int(const char*, Device*)>("nvmlDeviceGetHandleByUUID",
                                                                     uuid.c_str(), &device) == kSuccess;
    return found ? device : nullptr;
  }

 private:
  void* library_;
};

}  // namespace rooflinectl::nvml
