// SPDX-License-Identifier: Apache-2.0
//
// A matrix of 32 × 32 words, a column in the registers of each lane, becomes one with a row in each lane.
//
// - Butterfly: five stages exchange blocks of 16, 8, 4, 2 and 1 words with the lane that differs in that bit:
//   16 shuffles and 32 selections each.
// - Rotation: word r of lane l moves to register (r + l) mod 32, one shuffle per register takes it to its
//   lane, and another rotation to its register: 32 shuffles, and 2 × 5 × 32 selections, since registers
//   cannot be indexed. (B. Catanzaro, A. Keller, M. Garland, A decomposition for in-place matrix
//   transposition, PPoPP 2014.)
// - Shared memory, a tile per warp: 32 stores and 32 loads. Padded to 33 words per row, or with columns
//   exchanged by XOR of the row (swizzled), every access touches all 32 banks; plain, the stores of a warp,
//   with 16 bytes per lane since they are contiguous, meet in four banks.
// - In the loop: that alone.
#include "kernels/warp/measured.cuh"

namespace rooflinectl::kernels::warp::transpose {

/// The words of one lane.
struct Words {
  int word[32];
};

struct Transpose : WarpOperation {
  using Value = Words;
  static constexpr int kSteps = 1;
  static constexpr int kInstances = 1;
  using WarpOperation::WarpOperation;

  static Words initial(std::size_t thread) {
    Words words;
    for (std::size_t i = 0; i < 32; ++i) words.word[i] = static_cast<int>(hash(32 * thread + i));
    return words;
  }

  static void reference(std::span<Words> lanes) {
    for (int row = 0; row < 32; ++row) {
      for (int column = 0; column < row; ++column)
        std::swap(lanes[row].word[column], lanes[column].word[row]);
    }
  }
};

struct ButterflyTranspose : Transpose {
  using Transpose::Transpose;

  __device__ Words operator()(Words words) const {
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2) {
      const bool is_upper = (lane & distance) != 0;
#pragma unroll
      for (unsigned low = 0; low < 32; ++low) {
        if ((low & distance) != 0) continue;
        int& first = words.word[low];
        int& second = words.word[low + distance];
        const int received = __shfl_xor_sync(kFullMask, is_upper ? first : second, distance);
        first = is_upper ? received : first;
        second = is_upper ? second : received;
      }
    }
    return words;
  }
};

struct RotationTranspose : Transpose {
  using Transpose::Transpose;

  /// Word i moves to register (i + by) mod 32.
  __device__ static void rotate(Words& words, unsigned by) {
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
      const bool moves = (by & distance) != 0;
      const Words before = words;
#pragma unroll
      for (unsigned i = 0; i < 32; ++i) {
        words.word[i] = moves ? before.word[(i - distance) % 32] : before.word[i];
      }
    }
  }

  /// Lane l gives from register i the word i - l of its column, and needs word l of the column of lane i - l.
  __device__ Words operator()(Words words) const {
    rotate(words, lane);
    Words received;
#pragma unroll
    for (unsigned i = 0; i < 32; ++i) {
      received.word[i] = __shfl_sync(kFullMask, words.word[i], static_cast<int>(i - lane));
    }
    // Register i holds the word of lane i - l: register (i - l) is its place.
    rotate(received, 32 - lane);
    return received;
  }
};

/// `Layout::index(row, column)`: where a word lies in the tile of a warp.
template <typename Layout>
struct SharedTranspose : Transpose {
  struct Shared {
    int tiles[kPrimitiveBlock / 32][Layout::kWords];
  };
  __device__ explicit SharedTranspose(Shared& memory)
      : Transpose(nothing), tile(memory.tiles[threadIdx.x / 32]) {}

  __device__ Words operator()(const Words& words) const {
#pragma unroll
    for (unsigned i = 0; i < 32; ++i) tile[Layout::index(lane, i)] = words.word[i];
    __syncwarp();
    Words result;
#pragma unroll
    for (unsigned i = 0; i < 32; ++i) result.word[i] = tile[Layout::index(i, lane)];
    __syncwarp();
    return result;
  }

  NothingShared nothing;
  int* tile;
};

struct Padded {
  static constexpr unsigned kWords = 32 * 33;
  __device__ static unsigned index(unsigned row, unsigned column) { return 33 * row + column; }
};

struct Swizzled {
  static constexpr unsigned kWords = 32 * 32;
  __device__ static unsigned index(unsigned row, unsigned column) { return 32 * row + (column ^ row); }
};

struct Plain {
  static constexpr unsigned kWords = 32 * 32;
  __device__ static unsigned index(unsigned row, unsigned column) { return 32 * row + column; }
};

namespace {

template <typename Op>
LanePrimitive transpose(const std::string& name, const std::string& title, int instructions) {
  return primitive<Op>({.id = "transpose_" + name,
                        .family = "transpose",
                        .title = "32×32, " + title,
                        .instructions = instructions});
}

const PrimitiveRegistration registration(std::vector<LanePrimitive>{
    transpose<ButterflyTranspose>("butterfly", "registers, butterfly", 80),
    transpose<RotationTranspose>("rotation", "registers, rotation", 32),
    transpose<SharedTranspose<Padded>>("shared_padded", "shared memory, padded", 64),
    transpose<SharedTranspose<Swizzled>>("shared_swizzled", "shared memory, swizzled", 64),
    transpose<SharedTranspose<Plain>>("shared_plain", "shared memory, plain", 40),
});

}  // namespace

}  // namespace rooflinectl::kernels::warp::transpose
