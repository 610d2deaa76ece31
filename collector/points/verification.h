// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "core/model/run.h"
#include "kernels/data.h"
#include "kernels/reference.h"
#include "kernels/variant.h"

/// Whether a variant gives the right result, before anybody asks how fast.
namespace rooflinectl {

/// A stretch of device memory.
struct DeviceMemory {
  void* d_data = nullptr;
  std::size_t bytes = 0;
};

/// Where a variant is verified. `input` holds at least the elements of the problem, `output` at least its
/// results; whatever they hold beyond that is used to catch accesses out of bounds, so some slack at either
/// end is useful.
struct VerificationMemory {
  DeviceMemory input;
  DeviceMemory output;
  DeviceMemory workspace;  ///< as much as the variant asks for
};

/// Enough for most purposes: `integers`, which must come out exactly, and `uniform`, which must stay within
/// the bound.
inline constexpr std::array kUsualDataSets = {kernels::DataSet::integers, kernels::DataSet::uniform};

/// Launches `variant` once per data set, and compares every result (each partial with the sum of its own
/// elements) with the reference. The output is NaN before the launch, and so is the input memory after the
/// last element.
///
/// A data set that the type cannot hold (a NaN in integers) is left out. So is one without a useful bound for
/// the variant's longest chain of additions, which `detail` then names. Stops at the first failure. Leaves
/// data of the last data set tried in the input (or what the variant made of them): refill it before timing.
///
/// Throws Error(usage) if the memory is too small or the data cannot be made, Error(measurement) if a launch
/// fails.
Verification verify(const kernels::Variant& variant, const kernels::Problem& problem,
                    const VerificationMemory& memory, kernels::ReferenceSums& references, cudaStream_t stream,
                    std::span<const kernels::DataSet> data_sets = kUsualDataSets);

/// The same, where `launch` does all that a launch takes: it enqueues filling the input with a data set, NaN
/// for the output, and the launch. Of `memory`, only the output is used.
Verification verify_launches(const kernels::Variant& variant, const kernels::Problem& problem,
                             const VerificationMemory& memory, kernels::ReferenceSums& references,
                             cudaStream_t stream, std::span<const kernels::DataSet> data_sets,
                             const std::function<void(kernels::DataSet)>& launch);

/// How the results of one launch compare with the reference.
struct ResultCheck {
  bool passed = true;
  double worst_error_over_bound = 0;  ///< 0 for exact data
  std::string mismatch;  ///< the first wrong result: its index, its elements, what it is and should be
};

/// The part of `verify` that needs no device: `results` are what a launch left behind.
ResultCheck compare(const kernels::Variant& variant, const kernels::Problem& problem,
                    kernels::DataSet data_set, std::span<const kernels::Exact> results,
                    kernels::ReferenceSums& references);

/// The same for what the last launch on `stream` left in the output. Waits for it. Throws Error(measurement)
/// if it has failed.
ResultCheck compare_output(const kernels::Variant& variant, const kernels::Problem& problem,
                           kernels::DataSet data_set, const VerificationMemory& memory,
                           kernels::ReferenceSums& references, cudaStream_t stream);

}  // namespace rooflinectl
