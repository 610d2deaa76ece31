// SPDX-License-Identifier: Apache-2.0
// Four elements per thread, with one load and one store of 16 bytes: fewer instructions for the same bytes.
//
// rooflinectl: title: 16 bytes per thread
// rooflinectl: function: scale<{block}>
// rooflinectl: axes: {n: [2^20, 2^26], block: 256}
// rooflinectl: arguments:
// rooflinectl:   x: {in: f32, count: n}
// rooflinectl:   y: {out: f32, count: n}
// rooflinectl:   a: {scalar: f32, value: 2}
// rooflinectl:   n: {scalar: i32, value: n}
// rooflinectl: launch: {grid: "ceil_div(n, 4 * block)", block: block}
// rooflinectl: work: {read: 4 * n, written: 4 * n, flops: n}
// rooflinectl: cache: [cold, warm]
// rooflinectl: reference: v1_simple

template <int kBlock>
__global__ void scale(const float* x, float* y, float a, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (4 * i + 3 < n) {
    float4 v = reinterpret_cast<const float4*>(x)[i];
    v.x *= a;
    v.y *= a;
    v.z *= a;
    v.w *= a;
    reinterpret_cast<float4*>(y)[i] = v;
  } else {
    for (int j = 4 * i; j < n; ++j) y[j] = a * x[j];
  }
}
