// SPDX-License-Identifier: Apache-2.0
// Four loads of 16 bytes per thread before the first store: more bytes in flight.
//
// rooflinectl: title: 64 bytes in flight per thread
// rooflinectl: function: scale<{block}>
// rooflinectl: axes: {n: [2^20, 2^26], block: 256}
// rooflinectl: arguments:
// rooflinectl:   x: {in: f32, count: n}
// rooflinectl:   y: {out: f32, count: n}
// rooflinectl:   a: {scalar: f32, value: 2}
// rooflinectl:   n: {scalar: i32, value: n}
// rooflinectl: launch: {grid: "ceil_div(n, 16 * block)", block: block}
// rooflinectl: work: {read: 4 * n, written: 4 * n, flops: n}
// rooflinectl: cache: [cold, warm]
// rooflinectl: reference: v1_simple

template <int kBlock>
__global__ void scale(const float* x, float* y, float a, int n) {
  constexpr int kLoads = 4;
  const int first = blockIdx.x * kBlock * kLoads + threadIdx.x;
  const int whole = n / 4;
  float4 v[kLoads];
#pragma unroll
  for (int k = 0; k < kLoads; ++k) {
    const int i = first + k * kBlock;
    if (i < whole) v[k] = reinterpret_cast<const float4*>(x)[i];
  }
#pragma unroll
  for (int k = 0; k < kLoads; ++k) {
    const int i = first + k * kBlock;
    if (i < whole) {
      reinterpret_cast<float4*>(y)[i] = make_float4(a * v[k].x, a * v[k].y, a * v[k].z, a * v[k].w);
    }
  }
  const int rest = 4 * whole + threadIdx.x;
  if (blockIdx.x == 0 && rest < n) y[rest] = a * x[rest];
}
