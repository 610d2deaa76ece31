// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/file_kernels/argument_memory.h"
#include "collector/file_kernels/loaded_kernel.h"
#include "collector/points/prepared_point.h"
#include "core/model/file_kernel.h"
#include "core/model/plan.h"
#include "core/plan/kernel_call.h"
#include "core/serial/protocol.h"

namespace rooflinectl {

/// A loaded kernel with the arguments that it is launched with.
class BoundCall {
 public:
  /// `kernel` must outlive this. Throws Error(usage) if it cannot be launched like that.
  BoundCall(KernelCall call, LoadedKernel& kernel);

  const KernelCall& call() const { return call_; }
  const ArgumentLayout& layout() const { return layout_; }
  /// Whether it has an argument that it reads and writes.
  bool changes_inputs() const { return rooflinectl::changes_inputs(call_); }
  /// Nothing if there is no argument of this name.
  std::optional<std::size_t> find(const std::string& argument) const;

  /// Enqueues a launch on the set of arguments at `d_set`.
  void launch(std::byte* d_set, cudaStream_t stream) const;
  /// The same on arguments that lie anywhere; those of scalars are not used.
  void launch(const std::vector<std::byte*>& d_arguments, cudaStream_t stream) const;
  std::optional<KernelResources> resources() const { return kernel_->resources(call_); }

 private:
  KernelCall call_;
  LoadedKernel* kernel_;
  ArgumentLayout layout_;
  std::vector<StoredValue> scalars_;  // by argument
};

/// What a kernel's results are compared with: what another kernel makes of the same data, or what files hold.
struct PointReference {
  FileKernelReference described;
  std::optional<BoundCall> call;              ///< of the kernel, if it is one
  std::map<std::string, DeviceBuffer> files;  ///< their elements, by argument
  std::map<std::string, ArgumentType> types;  ///< of those
};

/// A kernel from a file of the user.
///
/// Each input is a set of all arguments; guard regions around each show what is written out of bounds. The
/// arguments of the reference kernel are a set behind them.
class FileKernelPoint final : public PreparedPoint {
 public:
  /// Makes room for `copies` sets. Throws Error if memory does not suffice, or if the reference has no result
  /// for one of the kernel's.
  FileKernelPoint(const PointId& id, BoundCall call, std::optional<PointReference> reference,
                  Workbench& bench, const Stream& stream, int copies);

  LaunchShape shape() const override;
  Work work() const override { return call_.call().work; }
  int minimum_sm() const override { return 0; }
  std::optional<KernelResources> resources() override { return call_.resources(); }
  bool changes_inputs() const override { return call_.changes_inputs(); }

  void fill_inputs() override;
  void launch(int copy) override;
  std::optional<Verification> verify() override;
  TimedWork timed_work(const LaunchPlan& plan) override;
  void poison_output() override;
  ResultCheck check_output() override;

 private:
  /// Which arguments to fill.
  enum class Filled { all, changed };

  std::byte* set(int copy) const;
  std::byte* reference_set() const { return set(copies_); }
  void fill_set(int copy, Filled filled) const;
  void fill_reference_set() const;
  /// What the reference kernel writes out of bounds.
  std::optional<std::string> launch_reference();
  /// Without data for what the reference does not have: a work space, or a result without a file.
  Elements expected(const CallArgument& result) const;
  ResultCheck compare_results() const;
  /// What the last launch on the first set did to an argument that it may only read.
  std::optional<std::string> change_of_inputs() const;

  BoundCall call_;
  std::optional<PointReference> reference_;
  Workbench& bench_;
  const Stream& stream_;
  int copies_;
  Guards guards_;
};

/// Of `copies` sets of arguments, and one for the reference kernel if there is one.
std::size_t argument_bytes(const ArgumentLayout& layout, int copies, const ArgumentLayout* reference);

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
