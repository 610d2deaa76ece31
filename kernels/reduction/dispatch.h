// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include "core/error.h"
#include "core/model/dtype.h"

/// From values known at run time to template arguments.
namespace rooflinectl::kernels {

/// Calls `launch` with the block size as a constant (`std::integral_constant<int, …>`).
template <typename Launch>
void with_block_size(int block_size, Launch&& launch) {
  switch (block_size) {
    case 128:
      return launch(std::integral_constant<int, 128>{});
    case 256:
      return launch(std::integral_constant<int, 256>{});
    case 512:
      return launch(std::integral_constant<int, 512>{});
    default:
      throw Error(ErrorKind::usage, "no kernel with a block size of " + std::to_string(block_size),
                  "use 128, 256 or 512");
  }
}

/// Calls `launch` with the element type (`std::type_identity<…>`).
template <typename Launch>
void with_element_type(Dtype dtype, Launch&& launch) {
  switch (dtype) {
    case Dtype::f64:
      return launch(std::type_identity<double>{});
    case Dtype::f32:
      return launch(std::type_identity<float>{});
    case Dtype::f16:
      return launch(std::type_identity<__half>{});
    case Dtype::bf16:
      return launch(std::type_identity<__nv_bfloat16>{});
    case Dtype::i32:
      return launch(std::type_identity<std::int32_t>{});
    case Dtype::i64:
      return launch(std::type_identity<std::int64_t>{});
  }
}

}  // namespace rooflinectl::kernels
