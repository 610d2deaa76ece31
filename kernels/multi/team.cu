// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/cuda_check.h"
#include "kernels/multi/team.h"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/element.cuh"

namespace rooflinectl::kernels {

namespace {

template <typename Value>
struct Values {
  const Value* d_values[kMostGpus];
  int count;
};

/// One after the other, so that the result is the same every time; the loads do not wait for each other.
template <typename Value>
__global__ void add_values(Values<Value> values, Value* d_output) {
  Value loaded[kMostGpus];
#pragma unroll
  for (int i = 0; i < kMostGpus; ++i) {
    if (i < values.count) loaded[i] = *values.d_values[i];
  }
  Value sum = loaded[0];
#pragma unroll
  for (int i = 1; i < kMostGpus; ++i) {
    if (i < values.count) sum += loaded[i];
  }
  *d_output = sum;
}

}  // namespace

void wait_for_members(const Team& team) {
  const Member& first = team.members.front();
  for (const Member& member : team.members.subspan(1)) {
    check(cudaSetDevice(member.device), "cudaSetDevice");
    check(cudaEventRecord(member.arrived, member.stream), "cudaEventRecord");
  }
  check(cudaSetDevice(first.device), "cudaSetDevice");
  for (const Member& member : team.members.subspan(1)) {
    check(cudaStreamWaitEvent(first.stream, member.arrived), "cudaStreamWaitEvent");
  }
}

void enqueue_addition(const Team& team, Dtype dtype, std::span<const void* const> d_values) {
  with_element_type(dtype, [&](auto type) {
    using Value = Accumulator<typename decltype(type)::type>;
    Values<Value> values = {};
    values.count = static_cast<int>(d_values.size());
    std::transform(d_values.begin(), d_values.end(), values.d_values,
                   [](const void* d_value) { return static_cast<const Value*>(d_value); });
    add_values<<<1, 1, 0, team.members.front().stream>>>(values, static_cast<Value*>(team.d_output));
  });
  check_launch("add_values");
}

}  // namespace rooflinectl::kernels
