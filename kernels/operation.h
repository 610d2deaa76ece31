// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rooflinectl::kernels {

/// What a reduction combines its elements with.
enum class Operation { sum, minimum, maximum };

}  // namespace rooflinectl::kernels
