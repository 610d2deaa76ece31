// SPDX-License-Identifier: Apache-2.0
//
// atomic_f32: how long an atomic addition of f32 takes when all threads of the device add to one address.
//
// - Idea: every lane adds to the same address, over and over, without a returned value; see `atomic.cuh`.
// - Launch shape: two blocks of 1024 threads per SM.
// - Amount: additions of lanes; the ceiling is seconds per addition.
// - Minimum sm: 7.5.
#include "kernels/ceilings/atomic.cuh"

namespace rooflinectl::kernels::ceiling_atomic_f32 {

namespace {

const CeilingRegistration registration(atomic::benchmark<float>("f32"));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_atomic_f32
