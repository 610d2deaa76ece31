// SPDX-License-Identifier: Apache-2.0
#include "analysis/rules.h"

namespace rooflinectl {

namespace {

using namespace quantity;
using enum Comparison;

// The thresholds are conventions; docs/explain.md lists them.
const Condition kBelowTheRoof = {&kFractionOfRoof, less_than, 0.8};
const Condition kNothingBusy = {&kBusiest, less_than, 0.6};
const Condition kLongerThanALaunch = {&kLaunchMultiple, at_least, 3};

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> all = {
      {.id = "memory-bound",
       .importance = Importance::bound,
       .when = {{&kDramUtilisation, at_least, 0.6}, {&kFractionOfRoof, at_least, 0.8}},
       .also = {&kDramBandwidth},
       .text = "DRAM delivers nearly all that it can, and the bytes are those that the algorithm needs.",
       .next_step = "There is little left to gain in this kernel. Move fewer bytes: a narrower type, or the "
                    "work fused into the kernel that makes or uses the data."},
      {.id = "dram-bound",
       .importance = Importance::bound,
       .only_if = {kBelowTheRoof},
       .when = {{&kDramUtilisation, at_least, 0.6}},
       .also = {&kDramBandwidth, &kTrafficExcess},
       .text = "DRAM is the busiest resource, but the roof is not reached.",
       .next_step = "Drop traffic that the algorithm does not need; then put more bytes in flight."},
      {.id = "cache-bound",
       .importance = Importance::bound,
       .when = {{&kCacheUtilisation, at_least, 0.6}},
       .also = {&kL2Utilisation, &kL1Utilisation, &kSharedUtilisation},
       .text = "A level of memory on the chip runs near its bandwidth.",
       .next_step = "Keep values in registers, or use each byte that is loaded more often."},
      {.id = "compute-bound",
       .importance = Importance::bound,
       .when = {{&kComputeUtilisation, at_least, 0.6}},
       .also = {&kRedundancy},
       .text = "Arithmetic runs near the rate that this device allows for this mix of operations.",
       .next_step = "Do fewer operations: drop redundant ones, use multiply-adds, or a narrower type."},
      {.id = "launch-bound",
       .importance = Importance::bound,
       .only_if = {kNothingBusy},
       .when = {{&kLaunchMultiple, less_than, 3}},
       .also = {&kTime, &kEmptyLaunch},
       .text = "Most of the time goes into launching the kernel, not into its work.",
       .next_step = "Do more work per launch: a larger input, several inputs at once, or fewer kernels; a "
                    "CUDA graph makes each launch cheaper."},
      {.id = "issue-bound",
       .importance = Importance::bound,
       .only_if = {kNothingBusy, kBelowTheRoof},
       .when = {{&kIssueUtilisation, at_least, 0.6}},
       .also = {&kInstructionsPerElement},
       .text =
           "The schedulers are busy: instructions, most of them neither loads nor useful arithmetic, take "
           "the time.",
       .next_step = "Spend fewer instructions on each element: no division or modulo, addresses out of the "
                    "loop, unrolled loops, wider loads, more elements per thread."},
      {.id = "few-blocks",
       .importance = Importance::bound,
       .only_if = {kNothingBusy, kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kBlocksPerSm, less_than, 1}},
       .also = {&kOccupancy},
       .text = "There are fewer blocks than SMs: the others have nothing to do.",
       .next_step = "Launch more blocks: fewer elements per thread, or smaller blocks."},
      {.id = "bytes-in-flight",
       .importance = Importance::bound,
       .only_if = {kNothingBusy, kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kBytesInFlightShare, less_than, 1}, {&kInFlightUse, at_least, 0.6}},
       .also = {&kBytesPerThread, &kOccupancy},
       .text = "Too few bytes are under way to cover the latency of DRAM (Little's law).",
       .next_step = "Let each thread load more before it uses the first value: several independent loads, "
                    "16-byte loads, more elements per thread."},
      {.id = "waiting-for-loads",
       .importance = Importance::bound,
       .only_if = {kNothingBusy, kBelowTheRoof, kLongerThanALaunch, {&kIssueUtilisation, less_than, 0.6}},
       .when = {{&kBytesInFlightShare, at_least, 1},
                {&kOccupancy, at_least, 0.5},
                {&kAtomicTimeShare, less_than, 0.5},
                {&kBarrierStallShare, less_than, 0.2}},
       .also = {&kBytesPerThread, &kDramBandwidth},
       .text = "Nothing is near its limit, and the threads have bytes enough to read, but not at once: they "
               "wait for one load before they start the next.",
       .next_step = "Start several loads before the first value is used: unrolled loops, several "
                    "accumulators, 16-byte loads."},
      {.id = "same-address-atomics",
       .importance = Importance::bound,
       .only_if = {kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kAtomicsPerResult, at_least, 1000}, {&kAtomicTimeShare, at_least, 0.75}},
       .also = {&kAtomics},
       .text = "Atomic operations on one address wait for each other.",
       .next_step = "Reduce in the warp and in the block first, so that one atomic per block is left, or "
                    "leave partial results for a second step."},
      {.id = "barrier-stalls",
       .importance = Importance::cause,
       .only_if = {kNothingBusy, kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kBarrierStallShare, at_least, 0.2}},
       .text = "Warps spend much of their life waiting at __syncthreads().",
       .next_step =
           "Fewer barriers: more work per thread between them, warps that finish by shuffles, smaller "
           "blocks so that others can run meanwhile."},
      {.id = "last-wave",
       .importance = Importance::cause,
       .only_if = {kNothingBusy, kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kWaveBalance, less_than, 0.9}, {&kBlocksPerSm, at_least, 1}},
       .also = {&kWaves, &kBlocksPerSm},
       .text = "The last blocks leave many SMs idle.",
       .next_step = "Choose the number of blocks as a multiple of what the device holds at once, or make "
                    "blocks smaller."},
      {.id = "register-limited",
       .importance = Importance::cause,
       .only_if = {kNothingBusy, kBelowTheRoof, kLongerThanALaunch, {&kWaves, at_least, 1}},
       .when = {{&kTheoreticalOccupancy, less_than, 0.75}, {&kRegisterSlack, at_most, 1}},
       .also = {&kRegistersPerThread, &kOccupancy},
       .text = "The registers of its threads let few blocks onto an SM.",
       .next_step = "Use fewer registers (__launch_bounds__, less unrolling), or let each thread keep more "
                    "loads in flight so that fewer warps suffice."},
      {.id = "branch-divergence",
       .importance = Importance::cause,
       .only_if = {kNothingBusy, kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kWarpEfficiency, less_than, 0.9}},
       .also = {&kBranchDivergence},
       .text = "Lanes of a warp take different branches, and those that are not on the way idle.",
       .next_step = "Let whole warps take one way: map work to consecutive threads."},
      {.id = "predication",
       .importance = Importance::cause,
       .only_if = {kNothingBusy, kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kPredicatedOff, at_least, 0.15}},
       .also = {&kWarpEfficiency},
       .text = "Many lanes are switched off by a short “if”: they pass through the instructions without "
               "doing anything.",
       .next_step =
           "Let whole warps retire, or give every lane work: add while loading, finish with one warp."},
      {.id = "bank-conflicts",
       .importance = Importance::cause,
       .only_if = {kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kWavefrontExcess, at_least, 1.25}, {&kSharedInstructionShare, at_least, 0.01}},
       .also = {&kSharedWavefronts},
       .text = "Lanes of a warp want different words of one bank of shared memory and are served in turn.",
       .next_step = "Let consecutive lanes use consecutive words; for columns of a tile, pad its rows by one "
                    "word."},
      {.id = "uncoalesced-loads",
       .importance = Importance::cause,
       .only_if = {kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kLoadSectorEfficiency, less_than, 0.5}},
       .also = {&kL2Utilisation},
       .text = "Less than half of each 32-byte sector that loads fetch is used.",
       .next_step = "Let consecutive lanes load consecutive elements."},
      {.id = "uncoalesced-stores",
       .importance = Importance::cause,
       .only_if = {kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kStoreSectorEfficiency, less_than, 0.5}, {&kDramWriteShare, at_least, 0.1}},
       .text = "Less than half of each 32-byte sector that stores touch is written.",
       .next_step =
           "Let consecutive lanes store consecutive elements, or gather them in shared memory first."},
      {.id = "excess-traffic",
       .importance = Importance::cause,
       .only_if = {kLongerThanALaunch},
       .when = {{&kTrafficExcess, at_least, 1.2}},
       .also = {&kDramWriteShare},
       .text = "More bytes cross the DRAM interface than the algorithm needs.",
       .next_step = "Keep intermediate results in registers or shared memory; read each input once."},
      {.id = "cache-resident",
       .importance = Importance::note,
       .when = {{&kTrafficExcess, less_than, 0.9}},
       .also = {&kL2Utilisation},
       .text = "Part of the input came from a cache, so the DRAM roof does not apply.",
       .next_step = "Measure cold or with a larger input, or hold the point against L2."},
      {.id = "redundant-operations",
       .importance = Importance::note,
       .when = {{&kRedundancy, at_least, 1.2}},
       .also = {&kUsefulIntensity, &kExecutedIntensity},
       .text = "More operations are executed than the algorithm needs: the higher executed intensity is "
               "redundant work, not a better kernel.",
       .next_step = "Compare useful intensities; spread the steps that all lanes repeat over more elements "
                    "per thread."},
      {.id = "throttled",
       .importance = Importance::note,
       .when = {{&kThrottledSamples, at_least, 1}},
       .also = {&kSamples},
       .text = "The clock fell while this was timed; those samples are left out of the median.",
       .next_step = "Let the device cool, or see what else draws power on it; then measure again."},
  };
  return all;
}

constexpr MoveRule kMoveRules[] = {
    {"DRAM bytes per element", "less traffic to DRAM", "more traffic to DRAM"},
    {"executed FLOP per element", "fewer operations executed", "more operations executed"},
    {"shared bytes per element", "less traffic to shared memory", "more traffic to shared memory"},
    {"warp instructions per element", "fewer instructions for each element",
     "more instructions for each element"},
    {"integer operations per element", "less arithmetic on addresses and loops",
     "more arithmetic on addresses and loops"},
    {"warp execution efficiency", "more lanes idle in branches", "fewer lanes idle in branches"},
    {"non-predicated warp execution efficiency", "more lanes switched off", "fewer lanes switched off"},
    {"occupancy", "fewer warps resident", "more warps resident"},
    {"branch divergence", "fewer branches that split warps", "more branches that split warps"},
    {"shared wavefronts per instruction", "bank conflicts went away", "bank conflicts came in"},
    {"global load sector efficiency", "loads are less coalesced", "loads are better coalesced"},
};

}  // namespace

std::string_view to_string(Importance importance) {
  switch (importance) {
    case Importance::bound:
      return "bound";
    case Importance::cause:
      return "cause";
    case Importance::note:
      return "note";
  }
  return "?";
}

std::span<const Rule> rules() {
  return all_rules();
}

std::span<const MoveRule> move_rules() {
  return kMoveRules;
}

}  // namespace rooflinectl
