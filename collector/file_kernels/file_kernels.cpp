// SPDX-License-Identifier: Apache-2.0
#include "collector/file_kernels/file_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/files/files.h"
#include "core/plan/kernel_call.h"
#include "core/plan/stored_elements.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

/// Room for the largest reference: 2^30 doubles.
constexpr std::size_t kMaxReferenceBytes = std::size_t{9} << 30;

/// As `call_of`, for a plan that was checked when it was read.
KernelCall checked_call(const FileKernel& kernel, const Axes& axes) {
  try {
    return call_of(kernel, axes);
  } catch (const KernelMistake& mistake) {
    throw Error(ErrorKind::usage, fmt::format("{}: {}: {}", kernel.id, mistake.field(), mistake.what()));
  }
}

/// Of all arguments that are memory.
std::size_t data_bytes(const KernelCall& call) {
  std::size_t bytes = 0;
  for (const CallArgument& argument : call.arguments) {
    if (argument.kind != ArgumentKind::scalar) bytes += argument.bytes();
  }
  return bytes;
}

/// Throws Error(usage) unless the reference has as many results.
void require_count(const CallArgument& result, std::uint64_t expected, const std::string& of) {
  if (result.count == expected) return;
  throw Error(ErrorKind::usage,
              fmt::format("'{}' has {} elements, but {} in {}", result.name, result.count, expected, of));
}

}  // namespace

FileKernels::FileKernels(const CollectRequest& request, const DeviceInfo& device)
    : plan_(request.plan),
      references_(request.references),
      compiled_(request.compiled_kernels),
      device_(device) {}

bool FileKernels::has(const PointId& point) const {
  const FileKernel* const kernel = find_file_kernel(plan_, point.subject);
  return kernel != nullptr && !is_python(*kernel);
}

LaunchPlan FileKernels::plan_of(const PointId& point) const {
  const KernelCall call = checked_call(kernel_of(point), point.axes);
  return launch_plan({.input_bytes = std::max<std::size_t>(data_bytes(call), 1),
                      .cache = cache_of(point).value_or(CacheState::cold),
                      .changes_inputs = changes_inputs(call),
                      .must_be_plain = mode_of(point) == LaunchMode::plain},
                     device_);
}

std::size_t FileKernels::input_bytes(const PointId& point, int copies) const {
  const FileKernel& kernel = kernel_of(point);
  const ArgumentLayout layout(checked_call(kernel, point.axes).arguments);
  const FileKernel* const reference = find_file_kernel(plan_, kernel.reference.kernel);
  if (reference == nullptr) return argument_bytes(layout, copies, nullptr);
  const ArgumentLayout of_reference(checked_call(*reference, point.axes).arguments);
  return argument_bytes(layout, copies, &of_reference);
}

LoadedKernel& FileKernels::loaded(const FileKernel& kernel, const KernelCall& call) {
  const auto found = std::ranges::find_if(compiled_, [&](const CompiledKernel& compiled) {
    return compiled.kernel == kernel.id && compiled.function == call.function &&
           compiled.options == call.options && compiled.architecture == device_.compute_capability;
  });
  if (found == compiled_.end()) {
    throw Error(ErrorKind::usage, fmt::format("{} of '{}' was not compiled for sm_{}", call.function,
                                              kernel.id, device_.compute_capability));
  }
  const auto known = loaded_.find(&*found);
  return known != loaded_.end() ? known->second
                                : loaded_.emplace(&*found, LoadedKernel(*found)).first->second;
}

BoundCall FileKernels::bound(const FileKernel& kernel, const Axes& axes) {
  KernelCall call = checked_call(kernel, axes);
  LoadedKernel& code = loaded(kernel, call);
  return {std::move(call), code};
}

std::string FileKernels::expected_file(const FileKernel& kernel, const std::string& argument,
                                       const Axes& axes) const {
  const auto stored = kernel.reference.files.find(argument);
  if (stored != kernel.reference.files.end()) return stored->second;
  if (!is_computed(kernel.reference)) return "";
  const std::vector<FileKernelArgument> results = results_of(kernel);
  const bool is_result =
      std::ranges::any_of(results, [&](const auto& result) { return result.name == argument; });
  return is_result ? references_ + "/" + reference_file({{}, kernel.id, axes}, argument) : "";
}

std::optional<PointReference> FileKernels::reference_of(const FileKernel& kernel, const BoundCall& call,
                                                        const Axes& axes) {
  PointReference reference;
  reference.described = kernel.reference;
  if (const FileKernel* const other = find_file_kernel(plan_, kernel.reference.kernel)) {
    reference.call.emplace(bound(*other, axes));
  }
  if (is_computed(kernel.reference)) {
    const std::string cause = references_ + "/" + reference_cause_file({{}, kernel.id, axes});
    std::error_code error;
    if (std::filesystem::is_regular_file(cause, error)) throw Error(ErrorKind::usage, read_file(cause));
  }
  for (const CallArgument& argument : call.call().arguments) {
    if (!is_written(argument.kind)) continue;
    const std::string file = expected_file(kernel, argument.name, axes);
    if (!file.empty()) {
      const std::string content = read_file(file, kMaxReferenceBytes);
      const StoredElements elements = stored_elements(content, file, argument.type);
      require_count(argument, elements.count,
                    is_computed(kernel.reference)
                        ? fmt::format("the reference '{}'", kernel.reference.function)
                        : file);
      DeviceBuffer d_elements(elements.bytes.size());
      kernels::check(
          cudaMemcpy(d_elements.data(), elements.bytes.data(), elements.bytes.size(), cudaMemcpyHostToDevice),
          "cudaMemcpy");
      reference.files.emplace(argument.name, std::move(d_elements));
      reference.types.emplace(argument.name, elements.type);
    } else if (reference.call) {
      const auto place = reference.call->find(argument.name);
      if (!place) continue;  // a work space
      require_count(argument, reference.call->call().arguments[*place].count,
                    fmt::format("the reference '{}'", kernel.reference.kernel));
    }
  }
  if (!reference.call && reference.files.empty()) return std::nullopt;
  return reference;
}

std::unique_ptr<PreparedPoint> FileKernels::prepare(const PointId& point, Workbench& bench,
                                                    const Stream& stream, int copies, PreparedFor purpose) {
  const FileKernel& kernel = kernel_of(point);
  BoundCall call = bound(kernel, point.axes);
  std::optional<PointReference> reference;
  if (purpose == PreparedFor::timing) reference = reference_of(kernel, call, point.axes);
  return std::make_unique<FileKernelPoint>(point, std::move(call), std::move(reference), bench, stream,
                                           copies);
}

void FileKernels::launch_apart(const PointId& point, const Stream& stream) {
  const BoundCall call = bound(kernel_of(point), point.axes);
  std::vector<DeviceBuffer> memory;
  std::vector<std::byte*> places;
  for (const CallArgument& argument : call.call().arguments) {
    DeviceBuffer& added = memory.emplace_back();
    if (argument.kind != ArgumentKind::scalar) added.require(argument.bytes());
    places.push_back(static_cast<std::byte*>(added.data()));
    if (is_read(argument.kind)) fill(argument, argument.type, added.data(), stream);
  }
  call.launch(places, stream);
  kernels::check(cudaStreamSynchronize(stream), "the launch");
}

}  // namespace rooflinectl
