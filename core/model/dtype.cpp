// SPDX-License-Identifier: Apache-2.0
#include "core/model/dtype.h"

#include "core/enum_names.h"

namespace rooflinectl {

std::string_view to_string(Dtype dtype) {
  return enumerator_name(dtype);
}

std::optional<Dtype> dtype_from(std::string_view name) {
  return enumerator_from<Dtype>(name);
}

std::size_t size_bytes(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
    case Dtype::i64:
      return 8;
    case Dtype::f32:
    case Dtype::i32:
      return 4;
    case Dtype::f16:
    case Dtype::bf16:
      return 2;
  }
  return 0;
}

bool is_integer(Dtype dtype) {
  return dtype == Dtype::i32 || dtype == Dtype::i64;
}

Dtype accumulator(Dtype dtype) {
  return dtype == Dtype::f16 || dtype == Dtype::bf16 ? Dtype::f32 : dtype;
}

}  // namespace rooflinectl
