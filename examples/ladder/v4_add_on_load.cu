// SPDX-License-Identifier: Apache-2.0
// V4: half as many threads, each of which adds two elements while it loads them.
//
// Each block adds up 512 elements; the data are small integers, so that all versions give exactly the same
// sums.
//
// rooflinectl: title: add while loading
// rooflinectl: function: add_on_load
// rooflinectl: axes: {n: [2^20, 2^28]}
// rooflinectl: arguments:
// rooflinectl:   x: {in: f32, count: n, fill: integers}
// rooflinectl:   sums: {out: f32, count: n / 512}
// rooflinectl: launch: {grid: n / 512, block: 256}
// rooflinectl: work: {read: 4 * n, written: 4 * n / 512, flops: n - n / 512}
// rooflinectl: reference: v0_global

__global__ void add_on_load(const float* x, float* sums) {
  __shared__ float shared[256];
  const unsigned t = threadIdx.x;
  const float* const mine = x + blockIdx.x * 512 + t;
  shared[t] = mine[0] + mine[256];
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride) shared[t] += shared[t + stride];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = shared[0];
}
