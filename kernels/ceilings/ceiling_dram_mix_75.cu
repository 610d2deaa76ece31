// SPDX-License-Identifier: Apache-2.0
//
// dram_mix_75: how fast the SMs can read and write DRAM at once, if 75 % of the bytes are written.
//
// - Idea: 1 read of 16 bytes for 3 writes, each of a stream of its own.
// - Launch shape: several tried; see `dram::shapes()`.
// - Amount: the bytes that are read and written.
// - Minimum sm: 7.5.
#include "kernels/ceilings/dram_mix.cuh"

namespace rooflinectl::kernels::ceiling_dram_mix_75 {

namespace {

const CeilingRegistration registration(dram_mix::benchmark<1, 3>("dram_mix_75"));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_dram_mix_75
