// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/reduction/element.cuh"
#include "kernels/reduction/operation.cuh"

/// Input in packs of 16 bytes, the most that one load instruction of a thread brings.
namespace rooflinectl::kernels {

template <typename T>
inline constexpr unsigned kPackElements = 16 / sizeof(T);

template <typename T>
struct alignas(16) Pack {
  T values[kPackElements<T>];
};

/// An input cut where its alignment changes: up to 15 bytes before the first pack, and after the last.
template <typename T>
struct Packs {
  const T* d_head;
  const Pack<T>* d_packs;
  const T* d_tail;
  std::uint64_t count;
  unsigned head;  ///< elements
  unsigned tail;

  __device__ Packs(const T* d_input, std::uint64_t n) {
    const auto misaligned = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(d_input) % 16);
    const unsigned before = (16 - misaligned) % 16 / sizeof(T);
    head = before < n ? before : static_cast<unsigned>(n);
    count = (n - head) / kPackElements<T>;
    tail = static_cast<unsigned>(n - head) % kPackElements<T>;
    d_head = d_input;
    d_packs = reinterpret_cast<const Pack<T>*>(d_input + head);
    d_tail = d_input + (n - tail);
  }
};

/// A pack that is read once: through the read-only path, without a place in L1.
template <typename T>
__device__ inline Pack<T> load_pack(const Pack<T>* d_pack) {
  uint4 words;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "l"(d_pack));
  Pack<T> pack;
  memcpy(&pack, &words, sizeof(pack));
  return pack;
}

/// Loads every pack alike.
struct PlainLoader {
  template <typename T>
  __device__ Pack<T> operator()(const Pack<T>* d_pack) const {
    return load_pack(d_pack);
  }
};

/// Loads packs so that those before `d_kept_end` are the last to leave L2 and are there for the next reader
/// of the same input. Otherwise, with an input larger than L2, each of its parts would evict another, and
/// none would be left. Chips before sm_80 load every pack alike.
template <typename T>
class KeepingLoader {
 public:
  __device__ explicit KeepingLoader(const Pack<T>* d_kept_end) : d_kept_end_(d_kept_end) {
#if __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_normal.b64 %0;" : "=l"(keep_));
    asm("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(let_go_));
#endif
  }

  __device__ Pack<T> operator()(const Pack<T>* d_pack) const {
#if __CUDA_ARCH__ >= 800
    uint4 words;
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "l"(d_pack), "l"(d_pack < d_kept_end_ ? keep_ : let_go_));
    Pack<T> pack;
    memcpy(&pack, &words, sizeof(pack));
    return pack;
#else
    return load_pack(d_pack);
#endif
  }

 private:
  const Pack<T>* d_kept_end_;
  std::uint64_t keep_ = 0;
  std::uint64_t let_go_ = 0;
};

/// What a thread has gathered so far: one value for each place in a pack, so that the elements of one pack do
/// not wait for each other.
template <typename Combine, typename T>
class PackTotal {
 public:
  using Value = Accumulator<T>;

  __device__ PackTotal() {
#pragma unroll
    for (Value& value : values_) value = Combine::template none<Value>();
  }

  __device__ void add(const Pack<T>& pack) {
#pragma unroll
    for (unsigned i = 0; i < kPackElements<T>; ++i) {
      values_[i] = Combine{}(values_[i], static_cast<Value>(to_accumulator(pack.values[i])));
    }
  }

  /// All of them combined, as a tree.
  __device__ Value value() const {
    Value values[kPackElements<T>];
#pragma unroll
    for (unsigned i = 0; i < kPackElements<T>; ++i) values[i] = values_[i];
#pragma unroll
    for (unsigned stride = kPackElements<T> / 2; stride > 0; stride /= 2) {
#pragma unroll
      for (unsigned i = 0; i < stride; ++i) values[i] = Combine{}(values[i], values[i + stride]);
    }
    return values[0];
  }

 private:
  Value values_[kPackElements<T>];
};

/// The elements outside of the packs, at most one of the head and one of the tail per thread; `thread` counts
/// the threads of the grid.
template <typename Combine, typename T>
__device__ inline Accumulator<T> with_ends(Accumulator<T> value, const Packs<T>& packs,
                                           std::uint64_t thread) {
  if (thread < packs.head) value = Combine{}(value, to_accumulator(packs.d_head[thread]));
  if (thread < packs.tail) value = Combine{}(value, to_accumulator(packs.d_tail[thread]));
  return value;
}

/// A pack that changes nothing.
template <typename Combine, typename T>
__device__ inline Pack<T> empty_pack() {
  Pack<T> pack;
#pragma unroll
  for (T& value : pack.values) value = static_cast<T>(Combine::template none<Accumulator<T>>());
  return pack;
}

/// Adds a tile of which only the first `count` packs are there. Additions do not check whether they are: the
/// loads, which do, can then all be in flight together.
template <int kBlock, int kUnroll, typename Combine, typename T>
__device__ void add_tile(PackTotal<Combine, T>& total, const Pack<T>* d_tile, unsigned count) {
  Pack<T> loaded[kUnroll];
#pragma unroll
  for (int i = 0; i < kUnroll; ++i) {
    loaded[i] = empty_pack<Combine, T>();
    if (threadIdx.x + i * kBlock < count) loaded[i] = load_pack(d_tile + threadIdx.x + i * kBlock);
  }
#pragma unroll
  for (int i = 0; i < kUnroll; ++i) total.add(loaded[i]);
}

/// What this thread's share of the input adds up to. A block takes tiles of `kUnroll` packs per thread, the
/// grid's width apart; all loads of a tile are in flight before the first one is waited for.
template <typename Combine, typename T, int kBlock, int kUnroll, typename Load = PlainLoader>
__device__ Accumulator<T> thread_total(const T* d_input, std::uint64_t n, const Load& load = {}) {
  constexpr unsigned kTile = kBlock * kUnroll;
  const Packs<T> packs(d_input, n);
  PackTotal<Combine, T> total;
  std::uint64_t tile = std::uint64_t{blockIdx.x} * kTile;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * kTile;
  for (; tile + kTile <= packs.count; tile += stride) {
    const Pack<T>* d_tile = packs.d_packs + tile + threadIdx.x;
    Pack<T> loaded[kUnroll];
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) loaded[i] = load(d_tile + i * kBlock);
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) total.add(loaded[i]);
  }
  // The last tile, perhaps in part.
  if (tile < packs.count) {
    add_tile<kBlock, kUnroll>(total, packs.d_packs + tile, static_cast<unsigned>(packs.count - tile));
  }
  return with_ends<Combine>(total.value(), packs, global_thread());
}

}  // namespace rooflinectl::kernels
