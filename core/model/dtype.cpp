// SPDX-License-Identifier: Apache-2.0
#include "core/model/dtype.h"

namespace rooflinectl {

std::string_view to_string(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return "f64";
    case Dtype::f32:
      return "f32";
    case Dtype::f16:
      return "f16";
    case Dtype::bf16:
      return "bf16";
    case Dtype::i32:
      return "i32";
    case Dtype::i64:
      return "i64";
  }
  return "?";
}

std::optional<Dtype> dtype_from(std::string_view name) {
  for (Dtype dtype : kAllDtypes) {
    if (to_string(dtype) == name) return dtype;
  }
  return std::nullopt;
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
