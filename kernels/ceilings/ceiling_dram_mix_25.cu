// SPDX-License-Identifier: Apache-2.0
//
// dram_mix_25: how fast the SMs can read and write DRAM at once, if 25 % of the bytes are written.
//
// - Idea: 3 reads of 16 bytes for each write, each of a stream of its own.
// - Launch shape: several tried; see `dram::shapes()`.
// - Amount: the bytes that are read and written.
// - Minimum sm: 7.5.
#include "kernels/ceilings/dram_mix.cuh"

namespace rooflinectl::kernels::ceiling_dram_mix_25 {

namespace {

const CeilingRegistration registration(dram_mix::benchmark<3, 1>("dram_mix_25"));

}  // namespace

}  // namespace rooflinectl::kernels::ceiling_dram_mix_25
