// SPDX-License-Identifier: Apache-2.0
// V3: each step adds the upper half of what is left to the lower half: no bank conflicts.
//
// Each block adds up 512 elements; the data are small integers, so that all versions give exactly the same
// sums.
//
// rooflinectl: title: sequential addressing
// rooflinectl: function: sequential
// rooflinectl: axes: {n: [2^20, 2^28]}
// rooflinectl: arguments:
// rooflinectl:   x: {in: f32, count: n, fill: integers}
// rooflinectl:   sums: {out: f32, count: n / 512}
// rooflinectl: launch: {grid: n / 512, block: 512}
// rooflinectl: work: {read: 4 * n, written: 4 * n / 512, flops: n - n / 512}
// rooflinectl: reference: v0_global

__global__ void sequential(const float* x, float* sums) {
  __shared__ float shared[512];
  const unsigned t = threadIdx.x;
  shared[t] = x[blockIdx.x * 512 + t];
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride) shared[t] += shared[t + stride];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = shared[0];
}
