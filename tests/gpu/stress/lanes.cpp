// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/stress/lanes.h"

#include <array>
#include <memory>

namespace stress {

namespace {

using Tallies = std::array<std::unique_ptr<Tally>, kKernels>;

Tallies& tallies() {
  static auto* const all = [] {
    auto* const made = new Tallies;
    for (int number = 0; number < kKernels; ++number) {
      (*made)[static_cast<std::size_t>(number)] = std::make_unique<Tally>(text("work<%d>", number));
    }
    return made;
  }();
  return *all;
}

}  // namespace

void launched(int number) {
  tallies()[static_cast<std::size_t>(number)]->add();
}

Lane::Lane(unsigned count) : initial_(count) {
  data_.count = count;
  for (unsigned i = 0; i < count; ++i) initial_[i] = i * 2654435761U;
  stress::check(cudaMalloc(&data_.d_elements, count * sizeof(unsigned)), "cudaMalloc");
  stress::check(cudaMalloc(&data_.d_sum, sizeof *data_.d_sum), "cudaMalloc");
  // On a stream of its own, which waits for no other: the legacy stream would.
  cudaStream_t stream = nullptr;
  stress::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  stress::check(cudaMemcpyAsync(data_.d_elements, initial_.data(), count * sizeof(unsigned),
                                cudaMemcpyHostToDevice, stream));
  stress::check(cudaMemsetAsync(data_.d_sum, 0, sizeof *data_.d_sum, stream));
  stress::check(cudaStreamSynchronize(stream));
  stress::check(cudaStreamDestroy(stream));
}

Lane::~Lane() {
  cudaFree(data_.d_elements);
  cudaFree(data_.d_sum);
}

void Lane::launch(int number, unsigned grid, cudaStream_t stream) {
  stress::check(stress::launch(number, grid, data_, stream), "launch");
  launched(number);
  expect(effect_of(number, grid));
}

void Lane::launch_apart(int number, unsigned grid, cudaStream_t stream) {
  Data data = data_;
  data.count = 0;
  stress::check(stress::launch(number, grid, data, stream), "launch");
  launched(number);
  expect({.sum = effect_of(number, grid).sum});
}

void Lane::set(unsigned char byte, cudaStream_t stream) {
  stress::check(cudaMemsetAsync(data_.d_elements, byte, data_.count * sizeof(unsigned), stream),
                "cudaMemsetAsync");
  expect({.factor = 0, .summand = byte * 0x01010101U});
}

std::uint64_t Lane::check(cudaStream_t stream) {
  std::vector<unsigned> elements(data_.count);
  unsigned long long sum = 0;
  stress::check(cudaMemcpyAsync(elements.data(), data_.d_elements, data_.count * sizeof(unsigned),
                                cudaMemcpyDeviceToHost, stream),
                "cudaMemcpyAsync");
  stress::check(cudaMemcpyAsync(&sum, data_.d_sum, sizeof sum, cudaMemcpyDeviceToHost, stream),
                "cudaMemcpyAsync");
  stress::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  if (sum != expected_.sum) {
    wrong("the sum is %llu instead of %llu", sum, static_cast<unsigned long long>(expected_.sum));
  }
  std::uint64_t checksum = sum;
  for (unsigned i = 0; i < data_.count; ++i) {
    const unsigned expected = expected_.factor * initial_[i] + expected_.summand;
    if (elements[i] != expected) {
      wrong("element %u is %u instead of %u", i, elements[i], expected);
      break;
    }
    checksum = checksum * 31 + elements[i];
  }
  return checksum;
}

Stream::Stream(Random& random, bool can_be_default) {
  switch (random.below(can_be_default ? 6 : 4)) {
    case 0:
      check(cudaStreamCreate(&stream_), "cudaStreamCreate");
      break;
    case 1: {
      int least = 0;
      int greatest = 0;
      check(cudaDeviceGetStreamPriorityRange(&least, &greatest));
      check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest), "cudaStreamCreate");
      break;
    }
    case 4:
      is_own_ = false;  // legacy
      break;
    case 5:
      is_own_ = false;
      stream_ = cudaStreamPerThread;
      break;
    default:
      check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
}

Stream::~Stream() {
  if (is_own_) check(cudaStreamDestroy(stream_), "cudaStreamDestroy");
}

void Stream::wait() const {
  check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

}  // namespace stress
