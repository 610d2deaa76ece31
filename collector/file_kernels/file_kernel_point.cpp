// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "collector/file_kernels/file_kernels.h"
#include "core/error.h"
#include "kernels/cuda_check.h"
#include "kernels/data.h"

namespace rooflinectl {

namespace {

Tolerance tolerance_of(const FileKernelReference& reference, ArgumentType type) {
  return {reference.relative.value_or(usual_tolerance(type)), reference.absolute};
}

std::string mismatch_text(const CallArgument& argument, const ElementsCheck::Mismatch& mismatch,
                          const Tolerance& tolerance) {
  std::string text = fmt::format("element {} of '{}' is {}, expected {}", mismatch.position, argument.name,
                                 mismatch.result, mismatch.expected);
  const double bound = tolerance.absolute + tolerance.relative * std::abs(mismatch.expected);
  if (bound > 0 && std::isfinite(bound)) text += fmt::format(" ± {:.3g}", bound);
  return text;
}

}  // namespace

// ---- BoundCall ----

BoundCall::BoundCall(KernelCall call, LoadedKernel& kernel)
    : call_(std::move(call)), kernel_(&kernel), layout_(call_.arguments) {
  for (const CallArgument& argument : call_.arguments) {
    scalars_.push_back(stored(argument.fill.value, argument.type));
  }
  kernel_->allow(call_);
}

std::optional<std::size_t> BoundCall::find(const std::string& argument) const {
  for (std::size_t i = 0; i < call_.arguments.size(); ++i) {
    if (call_.arguments[i].name == argument) return i;
  }
  return std::nullopt;
}

void BoundCall::launch(std::byte* d_set, cudaStream_t stream) const {
  std::vector<std::byte*> d_arguments;
  for (std::size_t i = 0; i < call_.arguments.size(); ++i) d_arguments.push_back(d_set + layout_.offset(i));
  launch(d_arguments, stream);
}

void BoundCall::launch(const std::vector<std::byte*>& d_arguments, cudaStream_t stream) const {
  const std::vector<CallArgument>& arguments = call_.arguments;
  std::array<void*, kMaxArguments> pointers{};
  std::array<void*, kMaxArguments> parameters{};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind == ArgumentKind::scalar) {
      parameters.at(i) = const_cast<std::byte*>(scalars_[i].data());  // CUDA only reads it
    } else {
      pointers.at(i) = d_arguments[i];
      parameters.at(i) = &pointers.at(i);
    }
  }
  kernel_->launch(call_, parameters, stream);
}

// ---- FileKernelPoint ----

std::size_t argument_bytes(const ArgumentLayout& layout, int copies, const ArgumentLayout* reference) {
  return layout.bytes() * static_cast<std::size_t>(copies) + (reference == nullptr ? 0 : reference->bytes());
}

FileKernelPoint::FileKernelPoint(const PointId& id, BoundCall call, std::optional<PointReference> reference,
                                 Workbench& bench, const Stream& stream, int copies)
    : PreparedPoint(id),
      call_(std::move(call)),
      reference_(std::move(reference)),
      bench_(bench),
      stream_(stream),
      copies_(copies),
      guards_(call_.layout().guards(), copies, call_.layout().bytes()) {
  const bool has_reference_call = reference_ && reference_->call;
  bench_.inputs.require(
      argument_bytes(call_.layout(), copies_, has_reference_call ? &reference_->call->layout() : nullptr));
}

std::byte* FileKernelPoint::set(int copy) const {
  return static_cast<std::byte*>(bench_.inputs.data()) +
         call_.layout().bytes() * static_cast<std::size_t>(copy);
}

LaunchShape FileKernelPoint::shape() const {
  const Dimensions& grid = call_.call().grid;
  const Dimensions& block = call_.call().block;
  return {.grid = std::uint64_t{grid[0]} * grid[1] * grid[2],
          .block = static_cast<int>(block[0] * block[1] * block[2]),
          .bytes_in_flight_per_block = std::nullopt};
}

void FileKernelPoint::fill_set(int copy, Filled filled) const {
  const std::vector<CallArgument>& arguments = call_.call().arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_wanted =
        filled == Filled::all ? is_read(arguments[i].kind) : arguments[i].kind == ArgumentKind::inout;
    if (is_wanted) fill(arguments[i], arguments[i].type, set(copy) + call_.layout().offset(i), stream_);
  }
}

void FileKernelPoint::fill_inputs() {
  for (int copy = 0; copy < copies_; ++copy) fill_set(copy, Filled::all);
}

void FileKernelPoint::launch(int copy) {
  call_.launch(set(copy), stream_);
}

TimedWork FileKernelPoint::timed_work(const LaunchPlan& plan) {
  fill_inputs();
  TimedWork work = timed_launches(id(), plan, copies_, [this](int copy) { launch(copy); });
  if (changes_inputs()) {
    work.prepare = [this] {
      for (int copy = 0; copy < copies_; ++copy) fill_set(copy, Filled::changed);
    };
  }
  return work;
}

void FileKernelPoint::poison_output() {
  const std::vector<CallArgument>& arguments = call_.call().arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind != ArgumentKind::out) continue;
    kernels::poison(set(0) + call_.layout().offset(i), arguments[i].bytes(), stream_);
  }
}

// ---- verification ----

/// The data of the kernel that is verified, wherever an argument of that has the same name.
void FileKernelPoint::fill_reference_set() const {
  const BoundCall& reference = *reference_->call;
  const std::vector<CallArgument>& arguments = reference.call().arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind == ArgumentKind::scalar) continue;
    std::byte* const d_data = reference_set() + reference.layout().offset(i);
    if (!is_read(arguments[i].kind)) {
      kernels::poison(d_data, arguments[i].bytes(), stream_);
      continue;
    }
    const auto same = call_.find(arguments[i].name);
    const CallArgument* const own = same ? &call_.call().arguments[*same] : nullptr;
    const bool is_shared = own != nullptr && is_read(own->kind) && own->count == arguments[i].count;
    fill(is_shared ? *own : arguments[i], arguments[i].type, d_data, stream_);
  }
}

std::optional<std::string> FileKernelPoint::launch_reference() {
  const BoundCall& reference = *reference_->call;
  const Guards guards(reference.layout().guards(), 1, reference.layout().bytes());
  guards.write(reference_set(), stream_);
  fill_reference_set();
  reference.launch(reference_set(), stream_);
  const auto damage = guards.damage(reference_set(), stream_);
  if (!damage) return std::nullopt;
  return fmt::format("the reference '{}' {}", reference_->described.kernel,
                     reference.layout().describe(*damage));
}

std::optional<Verification> FileKernelPoint::verify() {
  if (reference_ && reference_->call) {
    if (auto wrong = launch_reference()) return Verification{.passed = false, .detail = std::move(*wrong)};
  }
  guards_.write(set(0), stream_);
  fill_set(0, Filled::all);
  poison_output();
  launch(0);
  const ResultCheck check = check_output();
  if (check.passed && !reference_) return std::nullopt;
  Verification verification;
  verification.passed = check.passed;
  verification.worst_error_over_bound = check.worst_error_over_bound;
  verification.detail = check.mismatch;
  if (check.passed) {
    const FileKernelReference& described = reference_->described;
    const std::string& name = described.kernel.empty() ? described.function : described.kernel;
    verification.detail = fmt::format("as {}: worst error {:.2g} of the bound",
                                      name.empty() ? "the stored results" : fmt::format("'{}'", name),
                                      check.worst_error_over_bound);
  }
  return verification;
}

ResultCheck FileKernelPoint::check_output() {
  const auto damage = guards_.damage(set(0), stream_);
  if (damage) return {.passed = false, .mismatch = call_.layout().describe(*damage)};
  if (auto change = change_of_inputs()) return {.passed = false, .mismatch = std::move(*change)};
  return reference_ ? compare_results() : ResultCheck{};
}

std::optional<std::string> FileKernelPoint::change_of_inputs() const {
  const std::vector<CallArgument>& arguments = call_.call().arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind != ArgumentKind::in) continue;
    const auto element = first_change(arguments[i], set(0) + call_.layout().offset(i), stream_);
    if (!element) continue;
    return fmt::format(
        "changed element {} of '{}', which is described as 'in'; what is read and written is 'inout'",
        *element, arguments[i].name);
  }
  return std::nullopt;
}

Elements FileKernelPoint::expected(const CallArgument& result) const {
  const auto file = reference_->files.find(result.name);
  if (file != reference_->files.end()) return {reference_->types.at(result.name), file->second.data()};
  if (!reference_->call) return {};
  const BoundCall& reference = *reference_->call;
  const auto place = reference.find(result.name);
  if (!place || !is_written(reference.call().arguments[*place].kind)) return {};
  return {reference.call().arguments[*place].type, reference_set() + reference.layout().offset(*place)};
}

ResultCheck FileKernelPoint::compare_results() const {
  ResultCheck check;
  const std::vector<CallArgument>& arguments = call_.call().arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_written(arguments[i].kind)) continue;
    const Elements wanted = expected(arguments[i]);
    if (wanted.d_data == nullptr) continue;
    const Tolerance tolerance = tolerance_of(reference_->described, arguments[i].type);
    const ElementsCheck compared = compare({arguments[i].type, set(0) + call_.layout().offset(i)}, wanted,
                                           arguments[i].count, tolerance, stream_);
    check.worst_error_over_bound = std::max(check.worst_error_over_bound, compared.worst_error_over_bound);
    if (!compared.mismatch) continue;
    check.passed = false;
    check.mismatch = mismatch_text(arguments[i], *compared.mismatch, tolerance);
    break;
  }
  return check;
}

}  // namespace rooflinectl
