// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>

#include "kernels/variant.h"

namespace rooflinectl::kernels {

/// A sum over several GPUs: each adds up its share with the kernel of `sum_best`, then `gathering` combines
/// their sums into one number.
Variant multi_sum(std::string id, std::string label, std::string title, const Gathering& gathering);

/// Bytes that the others of `gpus` GPUs send to the first one, if each sends its sum.
inline double sums_of_others(Dtype dtype, int gpus) {
  return (gpus - 1) * static_cast<double>(size_bytes(accumulator(dtype)));
}

/// Peer stores and flags: the gathering of `sum_multi_store`.
Gathering store_gathering();

/// Makes the stream of the first member wait for the others.
void wait_for_members(const Team& team);

/// Enqueues, on the first member, the addition of these values in its own memory or that of peers, in their
/// order.
void enqueue_addition(const Team& team, Dtype dtype, std::span<const void* const> d_values);

}  // namespace rooflinectl::kernels
