// SPDX-License-Identifier: Apache-2.0
// V5: once 64 values are left, one warp adds them up without barriers of the block.
//
// Each block adds up 512 elements; the data are small integers, so that all versions give exactly the same
// sums.
//
// rooflinectl: title: the last warp alone
// rooflinectl: function: last_warp
// rooflinectl: axes: {n: [2^20, 2^28]}
// rooflinectl: arguments:
// rooflinectl:   x: {in: f32, count: n, fill: integers}
// rooflinectl:   sums: {out: f32, count: n / 512}
// rooflinectl: launch: {grid: n / 512, block: 256}
// rooflinectl: work: {read: 4 * n, written: 4 * n / 512, flops: n - n / 512}
// rooflinectl: reference: v0_global

/// Adds up 64 values in shared memory: the lanes of a warp need only wait for each other.
__device__ void add_last(float* shared, unsigned t) {
  for (unsigned stride = 32; stride > 0; stride /= 2) {
    const float other = shared[t + stride];
    __syncwarp();
    shared[t] += other;
    __syncwarp();
  }
}

__global__ void last_warp(const float* x, float* sums) {
  __shared__ float shared[256];
  const unsigned t = threadIdx.x;
  const float* const mine = x + blockIdx.x * 512 + t;
  shared[t] = mine[0] + mine[256];
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
    if (t < stride) shared[t] += shared[t + stride];
    __syncthreads();
  }
  if (t < 32) add_last(shared, t);
  if (t == 0) sums[blockIdx.x] = shared[0];
}
