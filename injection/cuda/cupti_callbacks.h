// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "injection/cuda/cuda_driver.h"
#include "injection/process.h"

namespace rooflinectl::injection {

/// From now on CUPTI tells `process` what the program does. Both must live until the process ends.
void watch(Process& process, CudaDriver& driver);

}  // namespace rooflinectl::injection
