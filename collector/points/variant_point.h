// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/points/prepared_point.h"
#include "kernels/variant.h"

namespace rooflinectl {

/// The launch plan of a built-in variant, which depends on type, size and device alone, so that points that
/// are compared with each other at one size are timed alike, every variant and block size. Variants that wait
/// for the device cannot be captured, and are launched plainly. Throws Error if the variant is not known.
LaunchPlan launch_plan(const PointId& id, const DeviceInfo& device);

/// Of `copies` inputs of a built-in variant.
std::size_t variant_input_bytes(const PointId& id, int copies);

/// A built-in variant on one GPU.
class VariantPoint final : public PreparedPoint {
 public:
  /// Makes room for `copies` inputs. Throws Error if the variant is not known or memory does not suffice.
  VariantPoint(const PointId& id, Workbench& bench, const Stream& stream, int copies);

  const kernels::Variant& variant() const { return *variant_; }
  const kernels::Problem& problem() const { return problem_; }
  /// The memory to verify, with the first input.
  VerificationMemory memory() const;

  LaunchShape shape() const override { return kernels::launch_shape(*variant_, problem_); }
  Work work() const override { return variant_->work(problem_); }
  int minimum_sm() const override { return variant_->info.minimum_sm; }
  std::optional<KernelResources> resources() override;
  bool changes_inputs() const override { return variant_->info.destroys_input; }

  /// Also zeros the workspace.
  void fill_inputs() override;
  void launch(int copy) override;
  std::optional<Verification> verify() override;
  TimedWork timed_work(const LaunchPlan& plan) override;
  void poison_output() override;
  ResultCheck check_output() override;

 private:
  kernels::Buffers buffers(int copy) const;

  Reduction reduction_;
  const kernels::Variant* variant_;
  kernels::Problem problem_;
  Workbench& bench_;
  const Stream& stream_;
  int copies_;
  std::size_t input_stride_bytes_;
  std::size_t output_bytes_;
  std::size_t workspace_bytes_;
};

}  // namespace rooflinectl
