// SPDX-License-Identifier: Apache-2.0
// A program to profile: a matrix is transposed in three ways that move the same bytes: with writes that are a
// column apart, through a tile of shared memory, and through a tile whose columns lie in different banks.
//
//   nvcc -O3 -arch=native examples/transpose.cu -o transpose
//   rooflinectl profile -- ./transpose

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "transpose: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

constexpr int kWidth = 8192;  // of the square matrix
constexpr int kTile = 32;
constexpr int kRows = 8;  // rows of a tile that a block reads at once

/// Neighbouring threads read neighbours, and write elements that are a whole row apart: a sector of 32 bytes
/// each.
__global__ void transpose_strided(const float* in, float* out) {
  const int x = blockIdx.x * kTile + threadIdx.x;
  const int y = blockIdx.y * kTile + threadIdx.y;
  for (int row = 0; row < kTile; row += kRows) out[x * kWidth + y + row] = in[(y + row) * kWidth + x];
}

/// Reads and writes neighbours. With `kPadding` 0, all elements of a column of the tile lie in one bank of
/// shared memory, which a warp then reads one by one.
template <int kPadding>
__device__ void transpose_through_tile(const float* in, float* out) {
  __shared__ float tile[kTile][kTile + kPadding];
  const int column = blockIdx.x * kTile;
  const int line = blockIdx.y * kTile;
  for (int row = threadIdx.y; row < kTile; row += kRows) {
    tile[row][threadIdx.x] = in[(line + row) * kWidth + column + threadIdx.x];
  }
  __syncthreads();
  for (int row = threadIdx.y; row < kTile; row += kRows) {
    out[(column + row) * kWidth + line + threadIdx.x] = tile[threadIdx.x][row];
  }
}

__global__ void transpose_tiled(const float* in, float* out) {
  transpose_through_tile<0>(in, out);
}

__global__ void transpose_padded(const float* in, float* out) {
  transpose_through_tile<1>(in, out);
}

void verify(const float* transposed, const char* what) {
  std::vector<float> found(static_cast<std::size_t>(kWidth) * kWidth);
  check(cudaMemcpy(found.data(), transposed, found.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (int row = 0; row < kWidth; ++row) {
    for (int column = 0; column < kWidth; ++column) {
      if (found[static_cast<std::size_t>(row) * kWidth + column] == static_cast<float>(column * 3 + row))
        continue;
      std::fprintf(stderr, "transpose: %s is wrong in row %d, column %d\n", what, row, column);
      std::exit(1);
    }
  }
}

}  // namespace

int main() {
  std::vector<float> matrix(static_cast<std::size_t>(kWidth) * kWidth);
  for (int row = 0; row < kWidth; ++row) {
    for (int column = 0; column < kWidth; ++column) {
      matrix[static_cast<std::size_t>(row) * kWidth + column] = static_cast<float>(row * 3 + column);
    }
  }
  const std::size_t bytes = matrix.size() * sizeof(float);
  float* in = nullptr;
  float* out = nullptr;
  check(cudaMalloc(&in, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(in, matrix.data(), bytes, cudaMemcpyHostToDevice));

  const dim3 blocks(kWidth / kTile, kWidth / kTile);
  const dim3 threads(kTile, kRows);
  const struct {
    const char* name;
    void (*kernel)(const float*, float*);
  } ways[] = {{"transpose_strided", transpose_strided},
              {"transpose_tiled", transpose_tiled},
              {"transpose_padded", transpose_padded}};
  for (const auto& way : ways) {
    check(cudaMemset(out, 0, bytes));
    for (int launch = 0; launch < 100; ++launch) way.kernel<<<blocks, threads>>>(in, out);
    check(cudaGetLastError());
    verify(out, way.name);
  }
  std::printf("three transpositions agree\n");
  return 0;
}
