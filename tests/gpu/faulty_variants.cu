// SPDX-License-Identifier: Apache-2.0
//
// Kernels that crash, hang and give wrong sums, as kernels under development do. They are linked only into
// rooflinectl-collector-faulty, with which faults_test.py runs its plans.
#include "kernels/cuda_check.h"
#include "kernels/reduction/sum.h"

namespace rooflinectl::kernels {

namespace {

using Kernel = void (*)(const float*, float*, std::uint64_t);

/// A correct sum by one thread, which the faulty variants break.
__device__ float sum_of(const float* d_input, std::uint64_t n) {
  float sum = 0.0F;
  for (std::uint64_t i = 0; i < n; ++i) sum += d_input[i];
  return sum;
}

__global__ void right(const float* d_input, float* d_output, std::uint64_t n) {
  *d_output = sum_of(d_input, n);
}

__global__ void wrong_sum(const float* d_input, float* d_output, std::uint64_t n) {
  *d_output = sum_of(d_input, n - 1);
}

__global__ void not_a_number(const float* d_input, float* d_output, std::uint64_t n) {
  const float sum = sum_of(d_input, n);
  *d_output = (sum - sum) / (sum - sum);
}

__global__ void illegal_address(const float* d_input, float* /*d_output*/, std::uint64_t n) {
  constexpr std::uintptr_t kNobodysMemory = 0x40;
  *reinterpret_cast<float*>(kNobodysMemory) = sum_of(d_input, n);
}

__global__ void misaligned_access(const float* d_input, float* d_output, std::uint64_t /*n*/) {
  const volatile auto* const d_pairs =
      reinterpret_cast<const volatile double*>(reinterpret_cast<std::uintptr_t>(d_input) + sizeof(float));
  *d_output = static_cast<float>(*d_pairs);
}

__global__ void endless_loop(const float* d_input, float* d_output, std::uint64_t n) {
  constexpr float kMoreThanAnyInput = 1e30F;
  while (*static_cast<const volatile float*>(d_input) < kMoreThanAnyInput) {
  }
  *d_output = sum_of(d_input, n);
}

__global__ void trap(const float* /*d_input*/, float* /*d_output*/, std::uint64_t /*n*/) {
  __trap();
}

/// The last block to take a ticket writes the result; the tickets are never reset, so from the second launch
/// on no block is the last, and the first result stays.
__global__ void ticket_never_reset(const float* d_input, float* d_output, std::uint64_t n,
                                   unsigned* d_tickets) {
  if (atomicAdd(d_tickets, 1) == gridDim.x - 1) *d_output = sum_of(d_input, n);
}

void launch_ticket_never_reset(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  ticket_never_reset<<<4, 1, 0, stream>>>(static_cast<const float*>(buffers.d_input),
                                          static_cast<float*>(buffers.d_output), problem.n,
                                          static_cast<unsigned*>(buffers.d_workspace));
  check_launch("faulty variant");
}

Variant ticket_variant(Variant faulty) {
  faulty.workspace_bytes = [](const Problem&) { return sizeof(unsigned); };
  return faulty;
}

/// Launches `kernel`, or, up to launch number `kGoodLaunches`, the right one.
template <Kernel kernel, int kGoodLaunches = 0>
void launch(const Problem& problem, const Buffers& buffers, cudaStream_t stream) {
  static int launches = 0;
  const Kernel next = launches++ < kGoodLaunches ? right : kernel;
  next<<<1, 1, 0, stream>>>(static_cast<const float*>(buffers.d_input), static_cast<float*>(buffers.d_output),
                            problem.n);
  check_launch("faulty variant");
}

Variant variant(const char* id, decltype(Variant::launch) launch) {
  Variant faulty = sum::variant(
      id, id, "fails on purpose", std::nullopt, nullptr, [](const Problem& problem) { return problem.n; },
      launch);
  faulty.info.dtypes = {Dtype::f32};
  faulty.info.family = "fault";
  return faulty;
}

/// Verification launches twice; the next launch is timed.
constexpr int kVerified = 2;

const Registration registrations[] = {
    Registration(variant("fault_none", launch<right>)),
    Registration(variant("fault_wrong_sum", launch<wrong_sum>)),
    Registration(variant("fault_wrong_sum_later", launch<wrong_sum, kVerified + 3>)),
    Registration(ticket_variant(variant("fault_ticket_never_reset", launch_ticket_never_reset))),
    Registration(variant("fault_not_a_number", launch<not_a_number>)),
    Registration(variant("fault_illegal_address", launch<illegal_address>)),
    Registration(variant("fault_illegal_address_later", launch<illegal_address, kVerified + 3>)),
    Registration(variant("fault_misaligned_access", launch<misaligned_access>)),
    Registration(variant("fault_endless_loop", launch<endless_loop>)),
    Registration(variant("fault_endless_loop_later", launch<endless_loop, kVerified + 3>)),
    Registration(variant("fault_trap", launch<trap>)),
};

}  // namespace

}  // namespace rooflinectl::kernels
