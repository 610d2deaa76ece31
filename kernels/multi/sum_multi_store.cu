// SPDX-License-Identifier: Apache-2.0
//
// sum_multi_store: the sums of all GPUs, stored into the memory of the first one, with a flag each.
//
// - Idea: the kernel of `sum_best` on each GPU writes its sum straight into the memory of the first GPU, over
//   the link; then the GPU raises a flag there. One thread of the first GPU waits for the flags and adds up.
// - Changes from sum_multi_load: no load waits for the link, and no event between streams comes before the
//   result.
// - Launch shape: that of `sum_best` for a share, on each GPU; a thread for each flag; then one thread.
// - Per element: one element read. Over the links: one sum and one flag from each of the other GPUs.
// - Minimum sm: 7.5; peer access between the GPUs.
#include <limits>

#include "kernels/cuda_check.h"
#include "kernels/multi/multi_sum.h"
#include "kernels/reduction/dispatch.h"
#include "kernels/reduction/element.cuh"

namespace rooflinectl::kernels::sum_multi_store {

namespace {

/// Far longer than any sum takes, but short enough for the process not to look hung.
constexpr std::uint64_t kLongestWaitNs = 2'000'000'000;

__device__ std::uint64_t now_ns() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// What the stream did before is visible to the other GPUs when they see the flag.
__global__ void raise_flag(ArrivalFlag* d_flag) {
  __threadfence_system();
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(&d_flag->arrived), "r"(1U) : "memory");
}

__device__ bool is_raised(const ArrivalFlag& flag) {
  unsigned arrived = 0;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(arrived) : "l"(&flag.arrived) : "memory");
  return arrived != 0;
}

/// Waits for the flags of all GPUs but the first, takes them down, and adds up the slots in their order. If
/// one does not come, as with a profiler that lets only one kernel run at a time, it leaves no result.
template <typename Value>
__global__ void await_and_add(ArrivalFlag* d_flags, const Value* d_slots, int gpus, Value* d_output) {
  const std::uint64_t begin = now_ns();
  Value sum = d_slots[0];
  for (int gpu = 1; gpu < gpus; ++gpu) {
    while (!is_raised(d_flags[gpu])) {
      if (now_ns() - begin > kLongestWaitNs) return;
    }
    d_flags[gpu].arrived = 0;
    sum += *static_cast<const volatile Value*>(d_slots + gpu);
  }
  *d_output = sum;
}

void gather(const Team& team, Dtype dtype) {
  const auto gpus = static_cast<int>(team.members.size());
  for (int gpu = 1; gpu < gpus; ++gpu) {
    const Member& member = team.members[static_cast<std::size_t>(gpu)];
    check(cudaSetDevice(member.device), "cudaSetDevice");
    raise_flag<<<1, 1, 0, member.stream>>>(team.d_flags + gpu);
    check_launch("raise_flag");
  }
  const Member& first = team.members.front();
  check(cudaSetDevice(first.device), "cudaSetDevice");
  with_element_type(dtype, [&](auto type) {
    using Value = Accumulator<typename decltype(type)::type>;
    await_and_add<<<1, 1, 0, first.stream>>>(team.d_flags, static_cast<const Value*>(team.d_slots), gpus,
                                             static_cast<Value*>(team.d_output));
  });
  check_launch("await_and_add");
  // The result is there before they have ended, as far as their streams are concerned.
  wait_for_members(team);
}

double link_bytes(Dtype dtype, int gpus) {
  return sums_of_others(dtype, gpus) + (gpus - 1) * static_cast<double>(sizeof(ArrivalFlag::arrived));
}

const Registration registration(multi_sum("sum_multi_store", "multi store",
                                          "several GPUs, sums gathered by peer stores and flags",
                                          store_gathering()));

}  // namespace

}  // namespace rooflinectl::kernels::sum_multi_store

namespace rooflinectl::kernels {

Gathering store_gathering() {
  return {.into_slots = true, .enqueue = sum_multi_store::gather, .link_bytes = sum_multi_store::link_bytes};
}

}  // namespace rooflinectl::kernels
