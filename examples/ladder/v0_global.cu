// SPDX-License-Identifier: Apache-2.0
// V0: neighbours add up in pairs, then pairs of pairs, in global memory.
//
// Each block adds up 512 elements; the data are small integers, so that all versions give exactly the same
// sums.
//
// rooflinectl: title: a tree in global memory
// rooflinectl: function: global
// rooflinectl: axes: {n: [2^20, 2^28]}
// rooflinectl: arguments:
// rooflinectl:   x: {inout: f32, count: n, fill: integers}
// rooflinectl:   sums: {out: f32, count: n / 512}
// rooflinectl: launch: {grid: n / 512, block: 512}
// rooflinectl: work: {read: 4 * n, written: 4 * n / 512, flops: n - n / 512}
// rooflinectl: reference: v1_shared

__global__ void global(float* x, float* sums) {
  float* const mine = x + blockIdx.x * 512;
  const unsigned t = threadIdx.x;
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (t % (2 * stride) == 0) mine[t] += mine[t + stride];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = mine[0];
}
