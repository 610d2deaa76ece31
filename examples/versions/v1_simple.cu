// SPDX-License-Identifier: Apache-2.0
// An element per thread: the reference for the versions beside it.
//
// rooflinectl: title: an element per thread
// rooflinectl: function: scale<{block}>
// rooflinectl: axes: {n: [2^20, 2^26], block: 256}
// rooflinectl: arguments:
// rooflinectl:   x: {in: f32, count: n}
// rooflinectl:   y: {out: f32, count: n}
// rooflinectl:   a: {scalar: f32, value: 2}
// rooflinectl:   n: {scalar: i32, value: n}
// rooflinectl: launch: {grid: "ceil_div(n, block)", block: block}
// rooflinectl: work: {read: 4 * n, written: 4 * n, flops: n}
// rooflinectl: cache: [cold, warm]

template <int kBlock>
__global__ void scale(const float* x, float* y, float a, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
