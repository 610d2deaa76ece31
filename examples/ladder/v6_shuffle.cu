// SPDX-License-Identifier: Apache-2.0
// V6: warps add up with shuffles, and only their sums go through shared memory.
//
// Each block adds up 512 elements; the data are small integers, so that all versions give exactly the same
// sums.
//
// rooflinectl: title: warp shuffles
// rooflinectl: function: shuffle
// rooflinectl: axes: {n: [2^20, 2^28]}
// rooflinectl: arguments:
// rooflinectl:   x: {in: f32, count: n, fill: integers}
// rooflinectl:   sums: {out: f32, count: n / 512}
// rooflinectl: launch: {grid: n / 512, block: 256}
// rooflinectl: work: {read: 4 * n, written: 4 * n / 512, flops: n - n / 512}
// rooflinectl: reference: v0_global

/// The sum of a warp's values, in its first lane.
__device__ float add_in_warp(float sum) {
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  return sum;
}

__global__ void shuffle(const float* x, float* sums) {
  __shared__ float of_warps[8];
  const unsigned t = threadIdx.x;
  const float* const mine = x + blockIdx.x * 512 + t;
  const float sum = add_in_warp(mine[0] + mine[256]);
  if (t % 32 == 0) of_warps[t / 32] = sum;
  __syncthreads();
  if (t >= 32) return;
  const float all = add_in_warp(t < 8 ? of_warps[t] : 0);
  if (t == 0) sums[blockIdx.x] = all;
}
