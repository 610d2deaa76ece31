// SPDX-License-Identifier: Apache-2.0
// V2: the first threads do the work, so that whole warps retire; lanes meet in the same bank of shared
// memory.
//
// Each block adds up 512 elements; the data are small integers, so that all versions give exactly the same
// sums.
//
// rooflinectl: title: whole warps retire
// rooflinectl: function: strided
// rooflinectl: axes: {n: [2^20, 2^28]}
// rooflinectl: arguments:
// rooflinectl:   x: {in: f32, count: n, fill: integers}
// rooflinectl:   sums: {out: f32, count: n / 512}
// rooflinectl: launch: {grid: n / 512, block: 512}
// rooflinectl: work: {read: 4 * n, written: 4 * n / 512, flops: n - n / 512}
// rooflinectl: reference: v0_global

__global__ void strided(const float* x, float* sums) {
  __shared__ float shared[512];
  const unsigned t = threadIdx.x;
  shared[t] = x[blockIdx.x * 512 + t];
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    const unsigned i = 2 * stride * t;
    if (i < blockDim.x) shared[i] += shared[i + stride];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = shared[0];
}
