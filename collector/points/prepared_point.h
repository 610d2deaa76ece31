// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "collector/device/instruments.h"
#include "collector/points/verification.h"
#include "collector/timing/timing.h"
#include "core/model/run.h"
#include "kernels/data.h"
#include "kernels/reference.h"
#include "kernels/variant.h"

namespace rooflinectl {

/// What all points share: device memory, one after the other, and references that took long to compute.
struct Workbench {
  explicit Workbench(std::size_t output_bytes = 0) : output(output_bytes) {}

  DeviceBuffer inputs;
  DeviceBuffer output;
  DeviceBuffer workspace;
  kernels::ReferenceSums references;
};

/// How the launches of a point are timed.
struct LaunchPlan {
  LaunchMode mode = LaunchMode::graph;
  int launches_per_graph = 1;
  int inputs = 1;  ///< distinct inputs that the launches of a graph walk through

  bool operator==(const LaunchPlan&) const = default;
};

/// What a launch plan depends on besides the device.
struct LaunchNeeds {
  std::size_t input_bytes = 0;  ///< of memory for one input
  CacheState cache = CacheState::cold;
  bool changes_inputs = false;  ///< a launch finds its input as the one before left it
  bool must_be_plain = false;
};

/// Launches with the same needs are timed alike: cold like warm. The exceptions are those that must be plain,
/// and warm ones that change their input: a graph has no more of them than there are inputs that fit into
/// half of L2.
LaunchPlan launch_plan(const LaunchNeeds& needs, const DeviceInfo& device);

/// What is timed of a point, launched as `plan` says; `launch` enqueues a launch on input number `copy` of
/// `copies`. Points add what they need before each launch.
TimedWork timed_launches(const PointId& id, const LaunchPlan& plan, int copies,
                         std::function<void(int copy)> launch);

/// Makes room for the inputs of all points at once, so that all of them find theirs in the same place.
/// `bytes`: what each needs. Points that do not fit are left to fail alone.
void place_inputs(std::span<const std::size_t> bytes, Workbench& bench);

/// timing: its results are verified, which may take memory too. counting: it is only launched.
enum class PreparedFor { timing, counting };

/// A point whose kernel can be launched: its arguments have memory.
class PreparedPoint {
 public:
  explicit PreparedPoint(PointId id) : id_(std::move(id)), cache_(cache_of(id_).value_or(CacheState::cold)) {}
  virtual ~PreparedPoint() = default;
  PreparedPoint(const PreparedPoint&) = delete;
  PreparedPoint& operator=(const PreparedPoint&) = delete;

  const PointId& id() const { return id_; }
  CacheState cache() const { return cache_; }

  /// Of its main kernel.
  virtual LaunchShape shape() const = 0;
  /// As declared.
  virtual Work work() const = 0;
  /// The compute capability that it needs: 90 for 9.0; 0 for any.
  virtual int minimum_sm() const = 0;
  /// What the main kernel takes up on an SM; nothing where that cannot be determined.
  virtual std::optional<KernelResources> resources() = 0;
  /// Whether a launch finds its input as the one before left it.
  virtual bool changes_inputs() const = 0;

  /// Enqueues writing the data that are timed and counted to every input.
  virtual void fill_inputs() = 0;
  /// Enqueues a launch on input number `copy`.
  virtual void launch(int copy) = 0;

  /// Launches it, and checks what it does. Nothing where there is nothing to compare its results with and
  /// nothing else was wrong. Inputs have to be filled after it. Throws Error(measurement) if a launch fails.
  virtual std::optional<Verification> verify() = 0;
  /// Fills the inputs. `plan` is that of the same point.
  virtual TimedWork timed_work(const LaunchPlan& plan) = 0;
  /// Enqueues filling the output with NaN.
  virtual void poison_output() = 0;
  /// What the last launch on the filled inputs left behind, against the reference. Waits for the device.
  virtual ResultCheck check_output() = 0;

 private:
  PointId id_;
  CacheState cache_;
};

/// What the inputs of timed launches hold.
inline constexpr kernels::DataSet kTimedData = kernels::DataSet::integers;

/// Of inputs, outputs and workspaces, in bytes: that of what cudaMalloc returns.
inline constexpr std::size_t kAlignment = 256;

constexpr std::size_t align_up(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// What the main kernel of a launch takes up on an SM: the one with the most threads among those that
/// `launch` enqueues on `stream`, which are captured and not run. Nothing where the launch cannot be captured
/// (it allocates or synchronises) or starts no kernel. Leaves no CUDA error behind.
std::optional<KernelResources> kernel_resources(const std::function<void()>& launch, cudaStream_t stream);

/// What a kernel takes up with blocks of `block` threads and that much dynamic shared memory. `kernel`: a
/// function, or a `cudaKernel_t`. Nothing where CUDA cannot tell, and it leaves that error behind.
std::optional<KernelResources> resources_of_kernel(const void* kernel, int block, std::size_t shared_bytes);

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
