// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/file_kernel.h"
#include "core/model/plan.h"
#include "core/plan/plan_yaml.h"
#include "core/plan/settings_section.h"
#include "core/plan/yaml_reader.h"

namespace rooflinectl::yaml {

/// An axis of a kernel with all its values.
struct KernelAxis {
  std::string name;
  std::vector<Axes::Value> values;
};

/// An expression over axes.
struct KernelCondition {
  std::string text;
  Position position;
};

/// A kernel as a file describes it.
struct KernelEntry {
  FileKernel kernel;
  std::vector<KernelAxis> axes;
  std::vector<Axes> cases;                  ///< in place of all combinations of their values; empty for these
  std::vector<KernelCondition> conditions;  ///< that combinations of their values must meet
  Position position;
  std::map<std::string, Position> places;  ///< of the fields that `KernelMistake` names
};

/// The keys of a kernel.
extern const std::vector<std::string> kKernelKeys;

/// The kernel `id`, described by `fields`. `source` is its file unless they name one, relative to `folder`.
KernelEntry read_kernel(Reader& reader, const std::string& id, Position position, const Fields& fields,
                        const std::string& folder, const std::string& source, const ReadSource& read_source);

/// The member `kernels` of a plan; as `read_kernel`.
std::vector<KernelEntry> read_kernels(Reader& reader, const Field& field, const std::string& folder,
                                      const std::string& source, const ReadSource& read_source);

/// Reports references that are not among `all` kernels, or that do not compute what the kernel does.
void check_reference(Reader& reader, const KernelEntry& entry, const std::vector<KernelEntry>& all);

/// Those of `all` that a list of ids and globs names.
std::vector<const KernelEntry*> chosen_kernels(Reader& reader, const Field& field,
                                               const std::vector<KernelEntry>& all);

/// A kernel, and how its points are measured.
struct KernelPoints {
  const KernelEntry* entry = nullptr;
  const Settings* settings = nullptr;
  Reader* reader = nullptr;  ///< of the file that describes it
};

/// The points of an experiment: for each launch mode, cache state and set of values all kernels that have
/// it. Reports points that cannot be launched. Stops soon after the first `most`.
std::vector<PointId> kernel_points(const std::vector<KernelPoints>& kernels, const std::string& experiment,
                                   std::size_t most);

/// The experiment `kernels`, which has all of these: at least one. It is timed as the first one asks for.
Experiment experiment_of(const std::vector<KernelPoints>& kernels, std::size_t most);

// What the points of a kernel differ in.

/// Whether expressions can use the name.
bool is_identifier(std::string_view name);

/// Reads the member `axes` of a kernel: a map from a name to its values.
void read_axes(Reader& reader, KernelEntry& entry, const Field& member);

/// Reads the member `cases`, after the axes: sets of values that are measured in place of all combinations, a
/// list or a map from names, which are an axis of their own. All set the axes that the first one sets; an
/// axis with a value in `axes` has that where a case sets none.
void read_cases(Reader& reader, KernelEntry& entry, const Field& member);

}  // namespace rooflinectl::yaml
