// SPDX-License-Identifier: Apache-2.0
#include "analysis/explain/explanation.h"

namespace rooflinectl {

namespace {

using namespace quantity;
using enum Relation;

// The thresholds are conventions; docs/reference/rules.csv lists them.
const Condition kBelowTheRoof = {&kFractionOfRoof, less_than, 0.8};
const Condition kDramNotBusy = {&kDramShare, less_than, kBoundShare};
const Condition kLongerThanALaunch = {&kLaunchMultiple, at_least, kLaunchBoundFactor};
/// Idle lanes cost issue slots and nothing else: where most of those are free, they cost no time.
const Condition kInstructionsMatter = {&kIssueUtilisation, at_least, 0.25};
/// From here on, only moving or computing less helps.
constexpr double kNearTheRoof = 0.9;
const Condition kManyLoadsPerThread = {&kLoadRounds, at_least, kManyLoadRounds};

// What helps where the kernel is a library's.
constexpr std::string_view kMoreWorkPerCall =
    "Give it more work per call (larger shapes, a larger batch, several inputs at once), or fuse it with the "
    "work before or after it.";
constexpr std::string_view kOtherKernelOfLibrary =
    "Get a faster kernel of the library: contiguous, aligned inputs; sizes that are multiples of 64 or 128; "
    "larger batches; another algorithm or precision in its settings.";
constexpr std::string_view kWholeWavesOfTiles =
    "Choose shapes or a batch whose tiles fill the SMs in whole waves, or let the library split the work "
    "further (split-K).";
constexpr std::string_view kAlignedInputs =
    "Call it on aligned, contiguous inputs of one type, with sizes that are multiples of 64 or 128, for "
    "which libraries have faster kernels, or fuse it with the work before or after it.";
constexpr std::string_view kFewerInstructions =
    "Execute fewer instructions per element: avoid division and modulo, hoist address arithmetic out of the "
    "loop, unroll loops, use wider loads, and process more elements per thread.";
constexpr std::string_view kLastWave = "The last wave of blocks leaves many SMs idle.";
constexpr std::string_view kWholeWaves =
    "Launch a multiple of the number of blocks that can be resident at once, or make blocks smaller.";
constexpr std::string_view kMoreBlocks = "Launch more blocks: fewer elements per thread, or smaller blocks.";
constexpr std::string_view kSplitFurther =
    "Its grid follows from the shape of its input, not always from the batch. Use an implementation that "
    "splits the work further (a fused kernel), or run it beside other work in a second stream.";
constexpr std::string_view kSplitProduct =
    "Its grid follows from the shape of its input, not always from the batch. Use an implementation that "
    "splits the work further (split-K), or run it beside other work in a second stream.";
constexpr std::string_view kLeaveRoom =
    "Compare its time with that of launches that run alone. Leave collectives fewer SMs (NCCL_MAX_CTAS), or "
    "overlap them with kernels that need less of what they use.";
constexpr std::string_view kSpreadIndices =
    "Spread or sort the indices that it is given, or choose a library algorithm without atomics.";

/// The evidence for a verdict, beginning with its own quantity.
Rule of_bound(Bound bound, std::vector<const Quantity*> also, std::string_view next_step,
              std::string_view step_for_library, std::string_view step_for_products = {}) {
  if (const Quantity* own = words_for(bound).quantity) also.insert(also.begin(), own);
  const BoundWords& words = words_for(bound);
  return {.id = words.id,
          .importance = Importance::bound,
          .bound = bound,
          .also = std::move(also),
          .text = words.meaning,
          .next_step = next_step,
          .step_for_library = step_for_library,
          .step_for_products = step_for_products};
}

constexpr std::string_view kLittleLeft =
    "There is little left to gain in this kernel. Move fewer bytes: use a narrower type, or fuse this work "
    "into the kernel that produces or consumes the data.";
constexpr std::string_view kFuse =
    "Move fewer bytes: use a narrower type, or fuse this work into the kernel that produces or consumes the "
    "data.";

constexpr std::string_view kLoadOnce =
    "Move fewer bytes: use a narrower type, or fuse it with the work before or after it, so that values are "
    "loaded once.";

/// Only declared work tells how many bytes an algorithm needs: `is_of_program` is for kernels without.
Rule at_the_roof(Bound bound, std::string_view id, bool is_of_program, std::string_view text,
                 std::string_view next_step) {
  Rule rule = {.id = id,
               .importance = Importance::bound,
               .bound = bound,
               .is_for_programs = is_of_program,
               .when = {{&kFractionOfRoof, at_least, kNearTheRoof}},
               .also = {words_for(bound).quantity},
               .text = text,
               .next_step = next_step,
               .step_for_library = next_step};
  if (!is_of_program) rule.only_if = {{&kDeclaredBytes, at_least, 1}};
  return rule;
}

constexpr std::string_view kFewerBarriers =
    "Use fewer barriers: do more work per thread between them, finish with warp shuffles, or use smaller "
    "blocks so that other blocks can run meanwhile.";
constexpr std::string_view kFewerAtomics =
    "Use fewer atomics on one address: reduce within the warp and the block first, give each thread more "
    "elements, or leave partial results for a second step.";

/// Advising a graph is pointless where launches are already in one.
Rule of_launches_in_a_graph() {
  Rule rule = of_bound(
      Bound::launch_overhead, {&kTime, &kEmptyLaunch},
      "Do more work per launch: use a larger input, process several inputs at once, or launch fewer kernels.",
      kMoreWorkPerCall);
  rule.id = "launch-overhead-in-graph";
  rule.only_if = {{&kLaunchesPerSample, at_least, 2}};
  return rule;
}

Rule of_programs(Rule rule) {
  rule.is_for_programs = true;
  return rule;
}

/// A program's are called as in tables: “launch overhead” beside idle time would be the time between
/// launches.
Rule of_short_launches(std::string_view id, bool is_of_program) {
  Rule rule = of_bound(
      Bound::launch_overhead, {&kTime, &kEmptyLaunch},
      "Do more work per launch: use a larger input, process several inputs at once, or launch fewer kernels. "
      "A CUDA graph makes each launch cheaper.",
      "Give it more work per call (larger shapes, a larger batch, several inputs at once), or fuse it with "
      "the work before or after it. A CUDA graph makes each launch cheaper.");
  rule.id = id;
  rule.is_for_programs = is_of_program;
  return rule;
}

Rule of_collectives() {
  constexpr std::string_view kStep =
      "Check how much of it is waiting for the rank that comes last. If that is most of it, balance the work "
      "between the ranks. Otherwise overlap it with computation, or use fewer, larger messages or a narrower "
      "type.";
  return of_programs(of_bound(Bound::communication, {&kTime}, kStep, kStep));
}

/// A verdict that is a latency, and what most warps wait for.
Rule of_stalls(Bound bound, std::string_view id, const Quantity& share, std::string_view text,
               std::string_view next_step, std::string_view step_for_library) {
  return {.id = id,
          .importance = Importance::bound,
          .bound = bound,
          .when = {{&share, at_least, kMostStalls}},
          .also = {&kOccupancy, &kIssueUtilisation, &kDramShare},
          .text = text,
          .next_step = next_step,
          .step_for_library = step_for_library};
}

constexpr std::string_view kCoolDown =
    "Let the device cool down, or check what else draws power; then measure again.";

constexpr std::string_view kMoreLoadsInFlight =
    "Let each thread start more loads before it uses the first value (several independent loads, 16-byte "
    "loads, more elements per thread), or keep more threads resident.";

}  // namespace

std::span<const Rule> rules() {
  static const std::vector<Rule> all = {
      at_the_roof(
          Bound::dram, "dram-roof", false,
          "DRAM runs close to its ceiling, and moves little more than the bytes that the algorithm needs.",
          kLittleLeft),
      at_the_roof(Bound::dram, "dram-busy", true,
                  "DRAM runs close to its ceiling: the kernel could be faster only if it moved fewer bytes.",
                  kFuse),
      {.id = "dram-in-whole-sectors",
       .importance = Importance::bound,
       .bound = Bound::dram,
       .is_for_programs = true,
       .only_if = {{&kLoadSectorEfficiency, at_least, 0.95}, {&kStoreSectorEfficiency, at_least, 0.95}},
       .also = {&kDramShare, &kFractionOfRoof, &kDramBandwidth, &kLoadSectorEfficiency,
                &kStoreSectorEfficiency},
       .text =
           "Traffic between DRAM and L2, at full bandwidth, takes most of the time, and loads and stores use "
           "all bytes of their sectors.",
       .next_step = "Increase the bytes in flight (several independent loads, 16-byte loads), or move fewer "
                    "bytes: use a narrower type, or fuse this work into the kernel that produces or consumes "
                    "the data.",
       .step_for_library = kLoadOnce},
      of_bound(
          Bound::dram, {&kFractionOfRoof, &kDramBandwidth, &kTrafficExcess},
          "Remove traffic beyond the compulsory bytes, if there is any; then increase the bytes in flight.",
          kLoadOnce),
      at_the_roof(
          Bound::l2, "l2-roof", false,
          "L2 runs close to its ceiling, and moves little more than the bytes that the algorithm needs.",
          kLittleLeft),
      at_the_roof(Bound::l2, "l2-busy", true,
                  "L2 runs close to its ceiling: the kernel could be faster only if it moved fewer bytes.",
                  kFuse),
      of_bound(Bound::l2, {&kFractionOfRoof, &kL2Excess},
               "Request each byte from L2 once, in whole sectors; then increase the bytes in flight.",
               "Give it larger shapes or batches, for which the library uses larger tiles with more reuse, "
               "or fuse it with the work before or after it."),
      of_bound(Bound::l1, {}, "Keep values in registers, or reuse each loaded byte more often.",
               kOtherKernelOfLibrary),
      of_bound(Bound::shared, {&kWavefrontExcess},
               "Let consecutive lanes access consecutive words, and keep values in registers: the lanes of a "
               "warp can exchange them with shuffles.",
               kOtherKernelOfLibrary),
      of_bound(Bound::nvlink, {&kFractionOfRoof},
               "Send fewer bytes to other GPUs: combine values before they are sent, or use a narrower type. "
               "Overlap it with traffic in the other direction and with other work.",
               "Use fewer and larger transfers of a narrower type, and overlap them with work that does not "
               "need their results."),
      of_bound(Bound::fp64, {&kRedundancy},
               "Reduce the number of operations: remove redundant ones, use multiply-adds, or use a narrower "
               "type.",
               "Use a narrower type where its precision suffices, or shapes for which the library uses FP64 "
               "Tensor Cores."),
      of_bound(
          Bound::fp32, {&kRedundancy},
          "Reduce the number of operations: remove redundant ones, use multiply-adds, or use a narrower "
          "type.",
          "Let Tensor Cores do the work: allow TF32 in the library's settings where its precision suffices "
          "(torch.set_float32_matmul_precision, CUBLAS_COMPUTE_32F_FAST_TF32), or use BF16 or FP16."),
      of_bound(Bound::fp16, {&kRedundancy},
               "Reduce the number of operations: remove redundant ones, use packed multiply-adds, or use "
               "Tensor Cores.",
               "Let Tensor Cores do the work: use shapes that are multiples of 8, and library settings that "
               "allow them."),
      of_bound(Bound::int32, {}, "Reduce the number of operations, or use a narrower type.",
               kOtherKernelOfLibrary),
      of_bound(Bound::tensor, {&kTensorShareAtClock, &kTensorShareSustained, &kRedundancy},
               "Reduce the number of operations, or use a narrower type.",
               "Use a narrower type, or shapes that are multiples of the library's tiles, so that it "
               "computes less padding."),
      of_programs(of_bound(Bound::alu, {&kIssueUtilisation}, kFewerInstructions, kAlignedInputs)),
      of_programs(
          of_bound(Bound::xu, {&kIssueUtilisation},
                   "Use fewer or cheaper special functions: exp2f and __expf instead of expf, a product with "
                   "a reciprocal that is computed once instead of divisions, polynomials on the FP32 pipe "
                   "for a part of them; and convert fewer values between types.",
                   kOtherKernelOfLibrary)),
      of_bound(Bound::issue_slots, {&kInstructionsPer32Elements}, kFewerInstructions, kAlignedInputs),
      of_bound(Bound::atomics, {&kAtomicsPerResult, &kAtomicsPerLaunch}, kFewerAtomics, kSpreadIndices),
      of_bound(Bound::bytes_in_flight, {&kBytesInFlight, &kMemoryLatency, &kOccupancy}, kMoreLoadsInFlight,
               kMoreWorkPerCall),
      of_launches_in_a_graph(),
      of_short_launches("short-kernels", true),
      of_short_launches("launch-overhead", false),
      of_bound(Bound::barriers, {}, kFewerBarriers, kOtherKernelOfLibrary),
      {.id = "idle-sms",
       .importance = Importance::bound,
       .bound = Bound::tail,
       .is_for_programs = true,
       .when = {{&kBlocksPerSm, less_than, kFewBlocksPerSm}},
       .also = {&kWaves},
       .text = "The grid has fewer blocks than the device has SMs: those without a block do nothing.",
       .next_step = kMoreBlocks,
       .step_for_library = kSplitFurther,
       .step_for_products = kSplitProduct},
      {.id = "tail-of-last-wave",
       .importance = Importance::bound,
       .bound = Bound::tail,
       .when = {{&kWaves, at_least, 1}},
       .also = {&kTailLoss, &kBlocksPerSm},
       .text = kLastWave,
       .next_step = kWholeWaves,
       .step_for_library = kMoreWorkPerCall,
       .step_for_products = kWholeWavesOfTiles},
      of_bound(Bound::tail, {&kWaves, &kBlocksPerSm},
               "Choose the number of blocks so that they fill the SMs in whole waves: use more or smaller "
               "blocks, or exactly as many as can be resident at once.",
               kMoreWorkPerCall, kWholeWavesOfTiles),
      {.id = "memory-latency-of-scalars",
       .importance = Importance::bound,
       .bound = Bound::memory_latency,
       .is_for_programs = true,
       .only_if = {{&kUnvectorised, at_least, 1}},
       .when = {kInstructionsMatter},
       .also = {&kMemoryStallShare, &kOccupancy, &kDramShare},
       .text = "No resource is near its limit: warps wait for data more than for anything else, and each of "
               "their accesses is of one element.",
       .step_for_library = kAlignedInputs},
      {.id = "instruction-latency-of-products-and-exponentials",
       .importance = Importance::bound,
       .bound = Bound::instruction_latency,
       .is_for_programs = true,
       .when = {{&kTensorShare, at_least, 1.0 / 3}, {&kXuShare, at_least, 1.0 / 3}},
       .also = {&kOccupancy, &kIssueUtilisation},
       .text = "No resource is near its limit: matrix products on the Tensor Cores and special functions, "
               "such as the exponentials of attention, each take at least a third of the time, but do not "
               "overlap enough.",
       .next_step =
           "Overlap them: let two groups of warps take turns with products and special functions, or "
           "start the next product before the special functions of the one before.",
       .step_for_library = kOtherKernelOfLibrary},
      of_stalls(Bound::memory_latency, "memory-latency-of-loads", kMemoryStallShare,
                "Latency: most of the time, warps wait for data from L1, L2 or DRAM (long scoreboard), and "
                "no resource that was counted is near its limit.",
                kMoreLoadsInFlight, kMoreWorkPerCall),
      of_stalls(Bound::instruction_latency, "instruction-latency-of-shared-memory", kSharedStallShare,
                "Latency: most of the time, warps wait for shared memory, special functions or conversions "
                "(short scoreboard), and no resource that was counted is near its limit.",
                "Use fewer of them: exchange values with shuffles, use cheaper functions (exp2f, __expf, "
                "rsqrtf), or give each thread independent work to do meanwhile.",
                kOtherKernelOfLibrary),
      of_stalls(Bound::instruction_latency, "instruction-latency-of-results", kDependencyStallShare,
                "Latency: most of the time, warps wait for the result of the instruction before (wait), and "
                "no resource that was counted is near its limit.",
                "Give each thread several independent chains of instructions: process several elements at "
                "once, and unroll; or keep more warps resident.",
                kMoreWorkPerCall),
      of_stalls(Bound::memory_latency, "memory-latency-of-queue", kMemoryQueueStallShare,
                "Latency: most of the time, warps wait for room in the queue of global memory instructions "
                "(LG throttle).",
                "Execute fewer memory instructions: 16-byte accesses, and consecutive lanes that access "
                "consecutive elements.",
                kAlignedInputs),
      of_stalls(Bound::instruction_latency, "instruction-latency-of-shared-queue", kSharedQueueStallShare,
                "Latency: most of the time, warps wait for room in the queue of shared memory instructions "
                "and special functions (MIO throttle).",
                "Use fewer and wider accesses to shared memory, and fewer special functions.",
                kOtherKernelOfLibrary),
      of_stalls(Bound::instruction_latency, "instruction-latency-of-pipe", kPipeStallShare,
                "Latency: most of the time, warps wait for an arithmetic pipe that is busy with others (math "
                "pipe throttle).",
                "Spread the work over several pipes, or use fewer instructions of its kind.",
                kOtherKernelOfLibrary),
      of_stalls(Bound::memory_latency, "memory-latency-of-fences", kFenceStallShare,
                "Latency: most of the time, warps wait at memory fences (membar).",
                "Use fewer fences, or fences of the block (__threadfence_block()) instead of the device.",
                kOtherKernelOfLibrary),
      of_stalls(
          Bound::instruction_latency, "instruction-latency-of-wgmma", kWgmmaStallShare,
          "Latency: most of the time, warps wait for the results of wgmma.",
          "Keep more wgmma in flight: larger tiles, more stages, or two consumer warpgroups that take turns.",
          kOtherKernelOfLibrary),
      of_stalls(Bound::instruction_latency, "instruction-latency-of-fetching", kFetchStallShare,
                "Latency: most of the time, warps wait for instructions to be fetched.",
                "Make the code that runs smaller: unroll less, and avoid long loop bodies and jumps.",
                kOtherKernelOfLibrary),
      {.id = "instruction-latency-of-many",
       .importance = Importance::bound,
       .bound = Bound::instruction_latency,
       .is_for_programs = true,
       .when = {{&kIssueUtilisation, at_least, kManyInstructions}},
       .also = {&kFractionOfRoof, &kDramShare},
       .text = "No resource is near its limit, but the schedulers issue an instruction in much of the time, "
               "each of which waits for others: fewer would take less.",
       .next_step = kFewerInstructions,
       .step_for_library = kAlignedInputs},
      of_bound(Bound::memory_latency,
               {&kMemoryStallShare, &kOccupancy, &kIssueUtilisation, &kL2Share, &kDramShare},
               kMoreLoadsInFlight, kMoreWorkPerCall),
      of_bound(Bound::instruction_latency, {&kOccupancy, &kIssueUtilisation},
               "Give each thread several independent chains of instructions, keep more warps resident, or "
               "execute fewer instructions.",
               kOtherKernelOfLibrary),
      of_bound(Bound::latency, {&kFractionOfRoof, &kIssueUtilisation, &kDramShare, &kLaunchShare},
               "Shorten the chain: use fewer dependent steps and kernels, and start loads before the values "
               "of earlier ones are needed.",
               kMoreWorkPerCall),
      of_programs(of_bound(Bound::other_kernels, {&kFractionOfRoof}, kLeaveRoom, kLeaveRoom)),
      of_collectives(),
      {.id = "library-kernel",
       .importance = Importance::note,
       .bound = Bound::unknown,
       .only_if = {{&kOverlappedShare, less_than, kMostlyBesideOthers}},
       .when = {kBelowTheRoof},
       .text = "The cause is unknown: this is a library's kernel, and no resource that was counted is near "
               "its limit.",
       .step_for_library = kOtherKernelOfLibrary},
      {.id = "beside-others",
       .restates = Bound::other_kernels,
       .is_for_programs = true,
       .when = {{&kOverlappedShare, at_least, kMostlyBesideOthers}, kBelowTheRoof},
       .text = words_for(Bound::other_kernels).meaning,
       .next_step = kLeaveRoom,
       .step_for_library = kLeaveRoom},
      {.id = "unvectorised",
       .is_for_programs = true,
       .only_if = {kBelowTheRoof, kLongerThanALaunch, {&kUnvectorised, at_least, 1}},
       .when = {kInstructionsMatter},
       .text =
           "PyTorch runs this operation without vectorised accesses, as it does for inputs that are not "
           "contiguous, not aligned or of different types: index arithmetic and conversions take its time.",
       .step_for_library = "Keep its inputs contiguous and of one type, or let torch.compile fuse the copy "
                           "or conversion into the work before or after it."},
      {.id = "few-blocks",
       .restates = Bound::tail,
       .only_if = {kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kBlocksPerSm, less_than, 1}, kManyLoadsPerThread},
       .also = {&kOccupancy},
       .text = "The grid has fewer blocks than the device has SMs, and each thread does many loads one after "
               "another.",
       .next_step = kMoreBlocks,
       .step_for_library = kMoreWorkPerCall,
       .step_for_products = kWholeWavesOfTiles},
      {.id = "half-a-wave",
       .restates = Bound::tail,
       .only_if = {kBelowTheRoof, kDramNotBusy, kLongerThanALaunch},
       .when = {{&kBlocksPerSm, at_least, 1}, {&kWaves, less_than, 0.75}, kManyLoadsPerThread},
       .also = {&kOccupancy},
       .text = "The blocks fill only part of the block slots on the SMs, and each thread does many loads one "
               "after another.",
       .next_step = "Launch as many blocks as can be resident at once, each with fewer elements.",
       .step_for_library = kMoreWorkPerCall,
       .step_for_products = kWholeWavesOfTiles},
      {.id = "small-input",
       .importance = Importance::note,
       .only_if = {kLongerThanALaunch},
       .when = {{&kBlocksPerSm, less_than, 1}, {&kLoadRounds, less_than, kManyLoadRounds}},
       .text = "The input is too small for more blocks to pay off.",
       .next_step =
           "Do more work per launch. In measurements, more blocks made such sums slower, not faster."},
      {.id = "barrier-stalls",
       .restates = Bound::barriers,
       .only_if = {kDramNotBusy, kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kBarrierStallShare, at_least, 0.2}},
       .text = "Warps spend much of their lifetime waiting at __syncthreads().",
       .next_step = kFewerBarriers},
      {.id = "serial-atomics",
       .restates = Bound::atomics,
       .only_if = {kDramNotBusy, kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kAtomicTimeShare, at_least, 0.4}},
       .also = {&kAtomicsPerResult},
       .text = "Atomic operations on one address are serialised, which takes a large part of the time.",
       .next_step = kFewerAtomics,
       .step_for_library = kSpreadIndices},
      {.id = "last-wave",
       .restates = Bound::tail,
       .only_if = {kDramNotBusy, kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kTailLoss, at_least, 0.1}, {&kWaves, at_least, 1}},
       .also = {&kBlocksPerSm},
       .text = kLastWave,
       .next_step = kWholeWaves,
       .step_for_library = kMoreWorkPerCall,
       .step_for_products = kWholeWavesOfTiles},
      {.id = "register-limited",
       .only_if = {kDramNotBusy, kBelowTheRoof, kLongerThanALaunch, {&kWaves, at_least, 1}},
       .when = {{&kTheoreticalOccupancy, less_than, 0.75}, {&kRegisterSlack, at_most, 1}},
       .also = {&kRegistersPerThread, &kOccupancy},
       .text = "Register usage limits the number of blocks per SM.",
       .next_step = "Use fewer registers (__launch_bounds__, less unrolling), or let each thread keep more "
                    "loads in flight so that fewer warps suffice."},
      {.id = "register-spills",
       .only_if = {kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kSpilledBytes, at_least, 1}},
       .also = {&kRegistersPerThread},
       .text = "Registers do not suffice: the compiler spills some to memory, and loads them again.",
       .next_step = "Keep fewer values alive at once (smaller tiles, less unrolling), or allow more "
                    "registers per thread: smaller blocks, __launch_bounds__ or --maxrregcount."},
      {.id = "branch-divergence",
       .only_if = {kDramNotBusy, kBelowTheRoof, kLongerThanALaunch, kInstructionsMatter},
       .when = {{&kWarpEfficiency, less_than, 0.9}},
       .also = {&kBranchDivergence},
       .text = "Branches diverge: lanes that do not take the branch being executed sit idle.",
       .next_step = "Let all lanes of a warp take the same branch: map work to consecutive threads."},
      {.id = "predication",
       .only_if = {kDramNotBusy, kBelowTheRoof, kLongerThanALaunch, kInstructionsMatter},
       .when = {{&kPredicatedOff, at_least, 0.15}},
       .also = {&kWarpEfficiency},
       .text = "Many lanes are predicated off by a short “if”: they issue its instructions without effect.",
       .next_step = "Keep the active threads contiguous, so that whole warps exit, or give every lane work: "
                    "add while loading, and finish with one warp."},
      {.id = "bank-conflicts",
       .only_if = {kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kWavefrontExcess, at_least, 1.25}, {&kSharedShare, at_least, 0.1}},
       .also = {&kSharedWavefronts},
       .text = "Lanes of a warp access different words in the same bank of shared memory, and are served one "
               "after another.",
       .next_step = "Let consecutive lanes access consecutive words; for columns of a tile, pad its rows by "
                    "one word."},
      {.id = "uncoalesced-loads",
       .only_if = {kBelowTheRoof, kLongerThanALaunch},
       // The efficiency does not cover asynchronous and bulk copies: only sectors that L2 had to deliver in
       // excess show that some were wasted.
       .when = {{&kLoadSectorEfficiency, less_than, 0.5}, {&kL2Excess, at_least, 1.5}},
       .also = {&kL2Share},
       .text = "Loads use less than half of each 32-byte sector that they fetch.",
       .next_step = "Let consecutive lanes load consecutive elements."},
      {.id = "scattered-loads",
       .is_for_programs = true,
       .only_if = {kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kLoadSectorEfficiency, less_than, 0.5}, {&kL2Share, at_least, 0.25}},
       .text = "Loads of this program's kernel use less than half of each 32-byte sector that they fetch, "
               "and L2 is busy with them.",
       .next_step = "Let consecutive lanes load consecutive elements.",
       .step_for_library = "Call it on contiguous inputs: copy a transposed or strided one once, or keep it "
                           "in the layout in which it is read."},
      {.id = "uncoalesced-stores",
       .only_if = {kBelowTheRoof, kLongerThanALaunch},
       .when = {{&kStoreSectorEfficiency, less_than, 0.5}, {&kDramWriteShare, at_least, 0.1}},
       .text = "Stores write less than half of each 32-byte sector that they touch.",
       .next_step =
           "Let consecutive lanes store consecutive elements, or collect them in shared memory first."},
      {.id = "excess-traffic",
       .only_if = {kLongerThanALaunch},
       .when = {{&kTrafficExcess, at_least, 1.2}},
       .also = {&kDramWriteShare},
       .text = "DRAM moves more bytes than the algorithm needs.",
       .next_step = "Keep intermediate results in registers or shared memory; read each input once."},
      {.id = "cache-resident",
       .importance = Importance::note,
       .when = {{&kColdShortfall, less_than, 0.9}},
       .also = {&kL2Share},
       .text = "Part of the input came from a cache although caches were cold, so the DRAM ceiling does not "
               "apply.",
       .next_step = "Measure with a larger input, or with a warm cache against the L2 ceiling."},
      {.id = "redundant-operations",
       .importance = Importance::note,
       .when = {{&kRedundancy, at_least, 1.2}},
       .also = {&kUsefulIntensity, &kExecutedIntensity},
       .text = "The kernel executes more operations than the algorithm needs: its higher executed intensity "
               "is redundant work, not better performance.",
       .next_step =
           "Compare useful intensities; spread steps that all lanes repeat over more elements per thread."},
      {.id = "throttled",
       .importance = Importance::note,
       .when = {{&kThrottledSamples, at_least, 1}},
       .also = {&kSamples},
       .text =
           "The clock dropped while this point was timed; the affected samples are excluded from the median.",
       .next_step = kCoolDown,
       .step_for_library = kCoolDown},
  };
  return all;
}

}  // namespace rooflinectl
