// SPDX-License-Identifier: Apache-2.0
// NVTX ranges: deep, unbalanced, of several threads and domains, with a million names.

#include <nvtx3/nvToolsExt.h>

#include <thread>

#include "tests/gpu/stress/scenarios.h"

namespace stress {

namespace {

nvtxEventAttributes_t attributes_of(const char* name) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  return attributes;
}

/// Opens ranges on the calling thread and, often, closes them; returns how many it opened.
int nested(Random& random, Lane& lane, cudaStream_t stream, int depth) {
  int opened = 1;
  nvtxRangePushA(text("level %d of %d", depth, random.below(10)).c_str());
  lane.launch(random.below(kKernels), 4, stream);
  if (depth < 12 && !random.one_in(3)) opened += nested(random, lane, stream, depth + 1);
  if (random.one_in(2)) lane.launch(random.below(8), 4, stream);
  if (!random.one_in(40)) nvtxRangePop();
  if (random.one_in(60)) nvtxRangePop();  // once too often
  return opened;
}

}  // namespace

std::string ranges(Random random, int rounds) {
  Lane lane;
  Stream stream(random);
  nvtxDomainHandle_t const domain = nvtxDomainCreateA(text("domain %d", random.below(3)).c_str());
  nvtxStringHandle_t const registered = nvtxDomainRegisterStringA(domain, "registered");
  int opened = 0;
  for (int i = 0; i < rounds; ++i) {
    opened += nested(random, lane, stream, 0);
    nvtxEventAttributes_t attributes = attributes_of("in a domain");
    if (random.one_in(2)) {
      attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
      attributes.message.registered = registered;
    }
    nvtxDomainRangePushEx(domain, &attributes);
    const nvtxRangeId_t started = nvtxDomainRangeStartEx(domain, &attributes);
    const nvtxRangeId_t plain = nvtxRangeStartA(text("started %d", i).c_str());
    lane.launch(random.below(8), 2, stream);
    nvtxDomainMarkEx(domain, &attributes);
    opened += 3;
    // Ends in another thread; that thread also leaves a range open.
    if (random.one_in(8)) {
      std::thread([&] {
        nvtxRangePushA("left open by a thread that ends");
        nvtxRangeEnd(plain);
        nvtxDomainRangeEnd(domain, started);
      }).join();
      ++opened;
    } else if (!random.one_in(20)) {
      nvtxRangeEnd(plain);
      nvtxDomainRangeEnd(domain, started);
    }
    nvtxDomainRangePop(domain);
    if (i % 64 == 0) stream.wait();
  }
  const std::uint64_t checksum = lane.check(stream);
  if (random.one_in(2)) nvtxDomainDestroy(domain);
  return text("%d ranges, checksum %016llx", opened, static_cast<unsigned long long>(checksum));
}

int ranges_in_threads(const Plan& plan) {
  Random random(plan.seed);
  std::vector<Part> parts;
  for (int i = random.between(2, 6); i > 0; --i) {
    parts.push_back(
        {"ranges", [part = random.split(), rounds = plan.times(2000)] { return ranges(part, rounds); }});
  }
  run_parts(parts);
  return 0;
}

/// Ten thousand steps of a few launches, each step with its number.
int numbered_ranges(const Plan& plan) {
  Random random(plan.seed);
  run_parts({{"numbered ranges", [&] {
                Lane lane;
                Stream stream(random);
                const int steps = plan.times(10000);
                for (int step = 0; step < steps; ++step) {
                  nvtxRangePushA(text("step %d", step).c_str());
                  nvtxRangePushA("forward");
                  for (int i = 0; i < 3; ++i) lane.launch(i, 8, stream);
                  nvtxRangePop();
                  lane.launch(3, 8, stream);
                  nvtxRangePop();
                  if (step % 64 == 0) stream.wait();
                }
                return text("%d steps, checksum %016llx", steps,
                            static_cast<unsigned long long>(lane.check(stream)));
              }}});
  return 0;
}

/// A million names, in two threads: a few of the ranges have launches.
int distinct_ranges(const Plan& plan) {
  Random random(plan.seed);
  std::vector<Part> parts;
  for (int thread = 0; thread < 2; ++thread) {
    parts.push_back(
        {"distinct ranges", [part = random.split(), thread, count = plan.times(500'000)]() mutable {
           Lane lane;
           Stream stream(part);
           for (int i = 0; i < count; ++i) {
             nvtxRangePushA(text("aten::add, seq = %d, thread = %d", i, thread).c_str());
             if (i % 50 == 0) lane.launch(i / 50 % 4, 8, stream);
             nvtxRangePop();
             if (i % 5000 == 0) stream.wait();
           }
           return text("%d names, checksum %016llx", count,
                       static_cast<unsigned long long>(lane.check(stream)));
         }});
  }
  run_parts(parts);
  std::fprintf(stderr, "VmHWM %ld kB, VmRSS %ld kB\n", memory_kb("VmHWM"), memory_kb("VmRSS"));
  return 0;
}

}  // namespace stress
