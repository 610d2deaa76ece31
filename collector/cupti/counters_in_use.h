// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/error.h"

namespace rooflinectl::cupti {

/// Another process is counting on this device: later it may be free.
class CountersInUse : public Error {
 public:
  explicit CountersInUse(const Error& error) : Error(error) {}
};

}  // namespace rooflinectl::cupti
