// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "collector/device/instruments.h"
#include "collector/timing/timing.h"
#include "core/model/run.h"
#include "kernels/primitive.h"

namespace rooflinectl {

/// Measures primitives; `docs/internals/method.md` (Primitives) describes how. Needs 2 GiB of device memory
/// for primitives of the whole device.
class PrimitiveBench {
 public:
  PrimitiveBench(const DeviceInfo& device, Timer& timer, const Stream& stream);

  /// The result; if it is wrong or could not be measured, with the cause.
  PrimitiveResult measure(const std::string& id);

 private:
  void measure(const kernels::LanePrimitive& primitive, PrimitiveResult& result);
  void measure(const kernels::DevicePrimitive& primitive, PrimitiveResult& result);

  const DeviceInfo& device_;
  Timer& timer_;
  const Stream& stream_;
};

/// What `primitive` leaves in one form, launched on `blocks` blocks for `trips` trips, compared with its
/// reference: empty if all is right, else the first wrong value.
std::string wrong_value(const kernels::LanePrimitive& primitive, kernels::Form form, int blocks, int trips,
                        const Stream& stream);

/// The same for a scan of `n` elements.
std::string wrong_value(const kernels::DevicePrimitive& primitive, std::uint64_t n, const Stream& stream);

/// Cycles of an SM per operation: on each SM those from the first start to the last stop over the operations
/// of its blocks, `operations_per_block` each; the median over the SMs.
double cycles_of(const std::vector<kernels::BlockInterval>& blocks, double operations_per_block);

/// Every primitive that is linked in, as the rest of the tool knows them, sorted by id.
std::vector<PrimitiveInfo> linked_primitives();

}  // namespace rooflinectl
