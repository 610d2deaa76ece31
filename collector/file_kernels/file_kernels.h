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
#include "core/serial/protocol.h"

namespace rooflinectl {

/// The kernels of a plan from files, on one device. Each is loaded when a point first needs it.
class FileKernels {
 public:
  /// All must outlive this.
  FileKernels(const CollectRequest& request, const DeviceInfo& device);

  /// Whether the point is one of a compiled kernel.
  bool has(const PointId& point) const;

  // Points that it has. All throw Error(usage) for one that cannot be launched.

  LaunchPlan plan_of(const PointId& point) const;
  /// Of `copies` inputs, and of what they are compared with.
  std::size_t input_bytes(const PointId& point, int copies) const;
  /// Throws Error if memory does not suffice, or if the code, or a file of the reference, cannot be loaded.
  std::unique_ptr<PreparedPoint> prepare(const PointId& point, Workbench& bench, const Stream& stream,
                                         int copies, PreparedFor purpose);
  /// Launches it once, with each argument in memory of its own, and waits: compute-sanitizer then knows where
  /// each ends. Throws Error also if the launch fails.
  void launch_apart(const PointId& point, const Stream& stream);

 private:
  const FileKernel& kernel_of(const PointId& point) const { return *find_file_kernel(plan_, point.subject); }
  LoadedKernel& loaded(const FileKernel& kernel, const KernelCall& call);
  BoundCall bound(const FileKernel& kernel, const Axes& axes);
  std::optional<PointReference> reference_of(const FileKernel& kernel, const BoundCall& call,
                                             const Axes& axes);
  /// The file with what is expected as `argument`; empty if there is none.
  std::string expected_file(const FileKernel& kernel, const std::string& argument, const Axes& axes) const;

  const Plan& plan_;
  const std::string& references_;
  const std::vector<CompiledKernel>& compiled_;
  const DeviceInfo& device_;
  std::map<const CompiledKernel*, LoadedKernel> loaded_;
};

}  // namespace rooflinectl
