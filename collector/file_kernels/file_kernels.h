// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/file_kernels/file_kernel_point.h"
#include "collector/file_kernels/loaded_kernel.h"
#include "collector/points/prepared_point.h"
#include "core/model/file_kernel.h"
#include "core/model/plan.h"

namespace rooflinectl {

/// The kernels of a plan from files, on one device. Each is loaded when a point first needs it.
class FileKernels {
 public:
  /// All must outlive this.
  FileKernels(const Plan& plan, const std::vector<CompiledKernel>& compiled, const DeviceInfo& device);

  bool has(const PointId& point) const { return find_file_kernel(plan_, point.subject) != nullptr; }

  // Points that it has. All throw Error(usage) for one that cannot be launched.

  LaunchPlan plan_of(const PointId& point) const;
  /// Of `copies` inputs, and of what they are compared with.
  std::size_t input_bytes(const PointId& point, int copies) const;
  /// Throws Error if memory does not suffice, or if the code, or a file of the reference, cannot be loaded.
  std::unique_ptr<PreparedPoint> prepare(const PointId& point, Workbench& bench, const Stream& stream,
                                         int copies, PreparedFor purpose);

 private:
  const FileKernel& kernel_of(const PointId& point) const { return *find_file_kernel(plan_, point.subject); }
  LoadedKernel& loaded(const FileKernel& kernel, const KernelCall& call);
  BoundCall bound(const FileKernel& kernel, const Axes& axes);
  std::optional<PointReference> reference_of(const FileKernel& kernel, const BoundCall& call,
                                             const Axes& axes);

  const Plan& plan_;
  const std::vector<CompiledKernel>& compiled_;
  const DeviceInfo& device_;
  std::map<const CompiledKernel*, LoadedKernel> loaded_;
};

}  // namespace rooflinectl
