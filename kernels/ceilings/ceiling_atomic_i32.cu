// SPDX-License-Identifier: Apache-2.0
//
// atomic_i32: how long an atomic addition of i32 takes when all threads of the device add to one address.
//
// - Idea: every lane adds to the same address, over and over, without a returned value; see `atomic.cuh`.
// - Type: unsigned, which adds to the same bits as signed; PTX has no signed RED of 64 bits.
// - Launch shape: two blocks of 1024 threads per SM.
// - Amount: additions of lanes; the ceiling is seconds per addition.
// - Minimum sm: 7.5.
#include "kernels/ceilings/atomic.cuh"

namespace rooflinectl::kernels::ceiling_atomic_i32 {

namespace {

const CeilingRegistration registration(atomic::benchmark<std::uint32_t>("i32"));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_atomic_i32
