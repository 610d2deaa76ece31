// SPDX-License-Identifier: Apache-2.0
#include "analysis/rules.h"

namespace rooflinectl {

namespace {

using namespace quantity;
using enum Relation;

// The thresholds are conventions; docs/explain.md lists them.
const Condition kBelowTheRoof = {&kFractionOfRoof, less_than, 0.8};
const Condition kDramNotBusy = {&kDramShare, less_than, kBoundShare};
const Condition kLongerThanALaunch = {&kLaunchMultiple, at_least, kLaunchBoundFactor};
/// Idle lanes cost issue slots and nothing else: where most of those are free, they cost no time.
const Condition kInstructionsMatter = {&kIssueUtilisation, at_least, 0.25};
/// From here on, nothing but less to move or to compute helps.
constexpr double kNearTheRoof = 0.9;
const Condition kManyLoadsPerThread = {&kLoadRounds, at_least, kManyLoadRounds};

/// What a verdict is explained by: its own quantity comes first.
Rule of_bound(Bound bound, std::vector<const Quantity*> also, std::string_view next_step) {
  if (const Quantity* own = quantity_of(bound)) also.insert(also.begin(), own);
  const BoundWords& words = words_for(bound);
  return {.id = words.id,
          .importance = Importance::bound,
          .bound = bound,
          .also = std::move(also),
          .text = words.meaning,
          .next_step = next_step};
}

Rule at_the_roof(Bound bound, std::string_view id, std::string_view text) {
  return {.id = id,
          .importance = Importance::bound,
          .bound = bound,
          .when = {{&kFractionOfRoof, at_least, kNearTheRoof}},
          .also = {quantity_of(bound)},
          .text = text,
          .next_step =
              "There is little left to gain in this kernel. Move fewer bytes: a narrower type, or the "
              "work fused into the kernel that makes or uses the data."};
}

constexpr std::string_view kFewerAtomics =
    "Fewer atomics on one address: reduce in the warp and in the block first, give each thread more "
    "elements, "
    "or leave partial results for a second step.";

/// Where launches are in a graph already, a graph is no advice.
Rule of_launches_in_a_graph() {
  Rule rule = of_bound(Bound::launch_overhead, {&kTime, &kEmptyLaunch},
                       "Do more work per launch: a larger input, several inputs at once, or fewer kernels.");
  rule.id = "launch-overhead-in-graph";
  rule.only_if = {{&kLaunchesPerSample, at_least, 2}};
  return rule;
}

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> all = {
      at_the_roof(Bound::dram, "dram-roof",
                  "DRAM delivers nearly all that it can, and the bytes are those that the algorithm needs."),
      of_bound(
          Bound::dram, {&kFractionOfRoof, &kDramBandwidth, &kTrafficExcess},
          "Drop traffic beyond the compulsory bytes, where there is any; then put more bytes in flight."),
      at_the_roof(Bound::l2, "l2-roof",
                  "L2 delivers nearly all that it can, and the bytes are those that the algorithm needs."),
      of_bound(Bound::l2, {&kFractionOfRoof, &kL2Excess},
               "Ask L2 for each byte once, in whole sectors; then put more bytes in flight."),
      of_bound(Bound::l1, {}, "Keep values in registers, or use each byte that is loaded more often."),
      of_bound(Bound::shared, {&kWavefrontExcess},
               "Let consecutive lanes use consecutive words, and keep values in registers: lanes of a warp "
               "exchange them by shuffles."),
      of_bound(Bound::fp64, {&kRedundancy},
               "Do fewer operations: drop redundant ones, use multiply-adds, or a narrower type."),
      of_bound(Bound::fp32, {&kRedundancy},
               "Do fewer operations: drop redundant ones, use multiply-adds, or a narrower type."),
      of_bound(Bound::fp16, {&kRedundancy},
               "Do fewer operations: drop redundant ones, use packed multiply-adds, or tensor cores."),
      of_bound(Bound::int32, {}, "Do fewer operations, or use a narrower type."),
      of_bound(Bound::tensor, {&kRedundancy}, "Do fewer operations, or use a narrower type."),
      of_bound(Bound::issue_slots, {&kInstructionsPer32Elements},
               "Spend fewer instructions on each element: no division or modulo, addresses out of the loop, "
               "unrolled loops, wider loads, more elements per thread."),
      of_bound(Bound::atomics, {&kAtomicsPerResult}, kFewerAtomics),
      of_bound(Bound::bytes_in_flight, {&kBytesInFlight, &kMemoryLatency, &kOccupancy},
               "Let each thread load more before it uses the first value: several independent loads, 16-byte "
               "loads, more elements per thread; or keep more threads resident."),
      of_launches_in_a_graph(),
      of_bound(
          Bound::launch_overhead, {&kTime, &kEmptyLaunch},
          "Do more work per launch: a larger input, several inputs at once, or fewer kernels; a CUDA graph "
          "makes each launch cheaper."),
      of_bound(Bound::barriers, {},
               "Fewer barriers: more work per thread between them, warps that finish by shuffles, smaller "
               "blocks so that others can run meanwhile."),
      of_bound(
          Bound::tail, {&kWaves, &kBlocksPerSm},
          "Choose the number of blocks so that it fills the room for them in whole waves: more or smaller "
          "blocks, or a grid of exactly what the device holds at once."),
      of_bound(Bound::latency, {&kFractionOfRoof, &kIssueUtilisation, &kDramShare, &kLaunchShare},
               "Shorten the chain: fewer dependent steps and kernels, and loads that start before the values "
               "of earlier ones are needed."),
      {.id = "few-blocks",
       .importance = Importance::cause,
       .restates = Bound::tail,
       .only_if = {kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kBlocksPerSm, less_than, 1}, kManyLoadsPerThread},
       .also = {&kOccupancy},
       .text = "There are fewer blocks than SMs, and their threads have many loads to do one after another.",
       .next_step = "Launch more blocks: fewer elements per thread, or smaller blocks."},
      {.id = "half-a-wave",
       .importance = Importance::cause,
       .restates = Bound::tail,
       .only_if = {kBelowTheRoof, kDramNotBusy, kLongerThanALaunch},
       .when = {{&kBlocksPerSm, at_least, 1}, {&kWaves, less_than, 0.75}, kManyLoadsPerThread},
       .also = {&kOccupancy},
       .text =
           "The blocks fill only part of the room that the SMs have for them, and their threads have many "
           "loads to do one after another.",
       .next_step = "Launch as many blocks as the device holds at once, each with fewer elements."},
      {.id = "small-input",
       .importance = Importance::note,
       .only_if = {kLongerThanALaunch},
       .when = {{&kBlocksPerSm, less_than, 1}, {&kLoadRounds, less_than, kManyLoadRounds}},
       .text = "The input is too small to give every SM work that is worth the wait for one more block.",
       .next_step =
           "Do more work per launch; more blocks were measured to make such sums slower, not faster."},
      {.id = "barrier-stalls",
       .importance = Importance::cause,
       .restates = Bound::barriers,
       .only_if = {kDramNotBusy, kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kBarrierStallShare, at_least, 0.2}},
       .text = "Warps spend much of their life waiting at __syncthreads().",
       .next_step =
           "Fewer barriers: more work per thread between them, warps that finish by shuffles, smaller "
           "blocks so that others can run meanwhile."},
      {.id = "serial-atomics",
       .importance = Importance::cause,
       .restates = Bound::atomics,
       .only_if = {kDramNotBusy, kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kAtomicTimeShare, at_least, 0.4}},
       .also = {&kAtomicsPerResult},
       .text = "Atomic operations on one address are carried out one after another, which takes a large part "
               "of the time.",
       .next_step = kFewerAtomics},
      {.id = "last-wave",
       .importance = Importance::cause,
       .restates = Bound::tail,
       .only_if = {kDramNotBusy, kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kWaveBalance, less_than, 0.9}, {&kWaves, at_least, 1}},
       .also = {&kWaves, &kBlocksPerSm},
       .text = "The last wave of blocks leaves many SMs idle.",
       .next_step = "Choose the number of blocks as a multiple of what the device holds at once, or make "
                    "blocks smaller."},
      {.id = "register-limited",
       .importance = Importance::cause,
       .only_if = {kDramNotBusy, kBelowTheRoof, kLongerThanALaunch, {&kWaves, at_least, 1}},
       .when = {{&kTheoreticalOccupancy, less_than, 0.75}, {&kRegisterSlack, at_most, 1}},
       .also = {&kRegistersPerThread, &kOccupancy},
       .text = "The registers of its threads let few blocks onto an SM.",
       .next_step = "Use fewer registers (__launch_bounds__, less unrolling), or let each thread keep more "
                    "loads in flight so that fewer warps suffice."},
      {.id = "branch-divergence",
       .importance = Importance::cause,
       .only_if = {kDramNotBusy, kBelowTheRoof, kLongerThanALaunch, kInstructionsMatter},
       .when = {{&kWarpEfficiency, less_than, 0.9}},
       .also = {&kBranchDivergence},
       .text = "Lanes of a warp take different branches, and those that are not on the way idle.",
       .next_step = "Let whole warps take one way: map work to consecutive threads."},
      {.id = "predication",
       .importance = Importance::cause,
       .only_if = {kDramNotBusy, kBelowTheRoof, kLongerThanALaunch, kInstructionsMatter},
       .when = {{&kPredicatedOff, at_least, 0.15}},
       .also = {&kWarpEfficiency},
       .text = "Many lanes are switched off by a short “if”: they pass through the instructions without "
               "doing anything.",
       .next_step =
           "Let whole warps retire, or give every lane work: add while loading, finish with one warp."},
      {.id = "bank-conflicts",
       .importance = Importance::cause,
       .only_if = {kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kWavefrontExcess, at_least, 1.25}, {&kSharedShare, at_least, 0.1}},
       .also = {&kSharedWavefronts},
       .text = "Lanes of a warp want different words of one bank of shared memory and are served in turn.",
       .next_step = "Let consecutive lanes use consecutive words; for columns of a tile, pad its rows by one "
                    "word."},
      {.id = "uncoalesced-loads",
       .importance = Importance::cause,
       .only_if = {kBelowTheRoof, kLongerThanALaunch},
       // The efficiency does not see asynchronous and bulk copies: only sectors that L2 had to deliver in
       // excess show that they were for nothing.
       .when = {{&kLoadSectorEfficiency, less_than, 0.5}, {&kL2Excess, at_least, 1.5}},
       .also = {&kL2Share},
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
       .when = {{&kColdShortfall, less_than, 0.9}},
       .also = {&kL2Share},
       .text =
           "Part of the input came from a cache although caches were cold, so the DRAM roof does not apply.",
       .next_step = "Measure with a larger input, or warm, and so against L2."},
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

constexpr ChangeRule kChangeRules[] = {
    {"DRAM bytes per element", "less traffic to DRAM", "more traffic to DRAM"},
    {"L2 bytes per element", "less traffic to L2", "more traffic to L2"},
    {"executed FLOP per element", "fewer operations executed", "more operations executed"},
    {"shared bytes per element", "less traffic to shared memory", "more traffic to shared memory"},
    {"warp instructions per element", "fewer instructions for each element",
     "more instructions for each element"},
    {"integer operations per element", "less arithmetic on addresses and loops",
     "more arithmetic on addresses and loops"},
    {"atomic operations per element", "fewer atomic operations", "more atomic operations"},
    {"bytes in flight per thread", "fewer loads on their way at once", "more loads on their way at once"},
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

std::span<const ChangeRule> change_rules() {
  return kChangeRules;
}

}  // namespace rooflinectl
