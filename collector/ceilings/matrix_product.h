// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/ceiling.h"

namespace rooflinectl {

/// A square matrix product of cuBLASLt, ready to be enqueued: C = A × Bᵀ, with C in the inputs' type,
/// f32 for tf32, bf16 for f8 and i32 for i8; accumulated in f32, in f64 for f64, or in i32 for i8.
class MatrixProduct {
 public:
  virtual ~MatrixProduct() = default;
  virtual void enqueue(cudaStream_t stream) const = 0;
  /// Two per multiply-add: 2 size³.
  virtual double operations() const = 0;
  /// `8192 x 8192 x 8192`.
  virtual std::string description() const = 0;
};

/// cuBLASLt, loaded at run time.
class MatrixLibrary {
 public:
  virtual ~MatrixLibrary() = default;
  /// `cuBLASLt 13.0.2`.
  virtual std::string description() const = 0;
  /// The library's preferred algorithms for products of that size, best guess first; empty if it has none for
  /// the type on this device. Matrices are taken from the buffers, which must outlive the products.
  virtual std::vector<std::unique_ptr<MatrixProduct>> products(
      kernels::MatrixType type, int size, const kernels::CeilingBuffers& buffers) const = 0;
};

/// Nothing if cuBLASLt is not installed or does not start here.
std::unique_ptr<MatrixLibrary> load_matrix_library();

}  // namespace rooflinectl
