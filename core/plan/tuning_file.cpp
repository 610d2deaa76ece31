// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/plan/kernels_section.h"
#include "core/plan/plan_yaml.h"
#include "core/plan/settings_section.h"
#include "core/plan/tuning_expressions.h"
#include "core/plan/yaml_reader.h"
#include "core/text/expression.h"
#include "core/text/names.h"
#include "core/text/written_number.h"

namespace rooflinectl {

namespace {

using yaml::Field;
using yaml::Fields;
using yaml::position_of;
using yaml::text_position;

constexpr std::array kDimensionNames = {"X", "Y", "Z"};
constexpr std::array kBlockSizeNames = {"block_size_x", "block_size_y", "block_size_z"};
constexpr int kMaxBlockThreads = 1024;

/// What a name of the schema stands for: elements, several of which may be one.
struct TuningType {
  std::string_view name;
  std::string_view element;
  int elements = 1;
};

constexpr std::array kTuningTypes = {
    TuningType{"bool", "u8"},         TuningType{"int8", "i8"},        TuningType{"uint8", "u8"},
    TuningType{"int16", "i16"},       TuningType{"uint16", "u16"},     TuningType{"int32", "i32"},
    TuningType{"uint32", "u32"},      TuningType{"int64", "i64"},      TuningType{"uint64", "u64"},
    TuningType{"half", "f16"},        TuningType{"half2", "f16", 2},   TuningType{"half4", "f16", 4},
    TuningType{"half8", "f16", 8},    TuningType{"half16", "f16", 16}, TuningType{"float", "f32"},
    TuningType{"float2", "f32", 2},   TuningType{"float4", "f32", 4},  TuningType{"float8", "f32", 8},
    TuningType{"float16", "f32", 16}, TuningType{"double", "f64"},     TuningType{"double2", "f64", 2},
    TuningType{"double4", "f64", 4},  TuningType{"double8", "f64", 8}, TuningType{"double16", "f64", 16}};

/// The oldest standard in which what is compiled beside the kernel is valid.
bool is_too_old_standard(std::string_view option) {
  constexpr std::string_view kStandard = "-std=c++";
  if (option.starts_with("--")) option.remove_prefix(1);
  if (!option.starts_with(kStandard)) return false;
  const std::string_view year = option.substr(kStandard.size());
  return year == "03" || year == "11" || year == "14";
}

/// Reads the only kernel of a file.
class TuningReader {
 public:
  TuningReader(Mistakes& mistakes, const KernelFile& file, const ReadSource& read_source)
      : reader_(mistakes), file_(file), read_source_(read_source) {}

  yaml::KernelEntry read(const YAML::Node& root) {
    const Fields fields = reader_.settings(
        root, position_of(root), "a tuning file",
        {"ConfigurationSpace", "KernelSpecification", "BenchmarkConfig", "General", "Search", "Budget"});
    reader_.require(root, "ConfigurationSpace", position_of(root), "the tuning file");
    reader_.require(root, "KernelSpecification", position_of(root), "the tuning file");
    if (const Field* constants = find(fields, "BenchmarkConfig")) read_constants(*constants);
    const Field* const space = find(fields, "ConfigurationSpace");
    const Field* const kernel = find(fields, "KernelSpecification");
    if (space == nullptr || kernel == nullptr) return std::move(entry_);
    entry_.position = space->position;
    // Keys that Kernel Tuner and BAT write beside those of the schema change nothing here, or are read.
    const Fields specification = settings(
        *kernel, {"Language",    "KernelName",      "KernelFile",    "CompilerOptions", "GlobalSizeType",
                  "GlobalSize",  "LocalSize",       "SharedMemory",  "Arguments",       "ReferenceArguments",
                  "ProblemSize", "GridDivX",        "GridDivY",      "GridDivZ",        "Device",
                  "Profiling",   "SimulationInput", "BenchmarkName", "Stream",          "Misc"});
    for (const char* const key : {"Language", "KernelName", "KernelFile", "GlobalSize", "LocalSize"}) {
      reader_.require(kernel->value, key, kernel->position, "'KernelSpecification'");
    }
    const Fields of_space = settings(*space, {"TuningParameters", "Conditions"});
    if (const Field* parameters = find(of_space, "TuningParameters")) read_parameters(*parameters);
    if (const Field* size = find(specification, "ProblemSize")) read_problem_size(*size);
    if (const Field* conditions = find(of_space, "Conditions")) read_conditions(*conditions);
    read_kernel(specification);
    read_launch(specification);
    if (const Field* arguments = find(specification, "Arguments")) read_arguments(*arguments);
    if (const Field* references = find(specification, "ReferenceArguments")) read_references(*references);
    return std::move(entry_);
  }

  yaml::Reader& reader() { return reader_; }

 private:
  /// Null counts as no value: Kernel Tuner writes `"Stream": null`.
  Fields settings(const Field& field, const std::vector<std::string>& valid) {
    return settings(field.value, fmt::format("'{}'", field.key), valid);
  }

  Fields settings(const YAML::Node& node, const std::string& what, const std::vector<std::string>& valid) {
    Fields known;
    for (Field& field : reader_.fields(node, position_of(node), what)) {
      if (!contains(valid, field.key)) {
        reader_.fail(field.position, fmt::format("rooflinectl does not know the key {}{}",
                                                 in_quotes(field.key), suggestion(field.key, valid)));
      } else if (!field.value.IsNull()) {
        known.emplace(field.key, field);
      }
    }
    return known;
  }

  std::string text(const Field& field) { return reader_.single_value(field.value).value_or(""); }

  void fail(const Field& field, std::string what) {
    reader_.fail(text_position(field.value), std::move(what));
  }

  void fail(const YAML::Node& node, const ExpressionError& error) {
    Position position = text_position(node);
    position.column += static_cast<int>(error.place());
    reader_.fail(position, error.what());
  }

  std::vector<YAML::Node> items(const Field& field) {
    if (!field.value.IsSequence()) {
      fail(field, fmt::format("'{}' must be a list", field.key));
      return {};
    }
    return {field.value.begin(), field.value.end()};
  }

  /// What must be one of a few words.
  void require_one_of(const Fields& fields, const std::string& key, const std::vector<std::string>& valid,
                      const std::string& why) {
    const Field* const field = find(fields, key);
    if (field == nullptr || contains(valid, text(*field))) return;
    fail(*field, fmt::format("{}: {}", in_quotes(text(*field)), why));
  }

  // ---- names in expressions ----

  void read_constants(const Field& field) {
    for (const Field& constant : reader_.fields(field)) {
      if (!constant.value.IsScalar()) continue;
      try {
        Expression(constant.value.Scalar()).value([](std::string_view) { return std::nullopt; });
        names_.constants[constant.key] = constant.value.Scalar();
      } catch (const ExpressionError&) {
        // Not a number: nothing that an expression could use.
      }
    }
  }

  void read_problem_size(const Field& field) {
    if (!field.value.IsSequence()) {
      names_.problem_size.push_back(expression(field.value, "launch.grid.0"));
      return;
    }
    for (const YAML::Node& size : items(field)) {
      names_.problem_size.push_back(
          expression(size, fmt::format("launch.grid.{}", names_.problem_size.size())));
    }
    if (names_.problem_size.empty() || names_.problem_size.size() > kDimensionNames.size()) {
      fail(field, "'ProblemSize' has one to three dimensions");
    }
  }

  /// The text of a node as an expression over the axes, whose place is kept under `place`.
  std::string expression(const YAML::Node& node, const std::string& place) {
    entry_.places[place] = text_position(node);
    const auto written = reader_.single_value(node);
    if (!written) return "1";
    try {
      std::string over_axes = names_.translated(*written, entry_.axes);
      for (const std::string& name : Expression(over_axes).names()) {
        if (entry_.kernel.first.find(name) != nullptr) continue;
        reader_.fail(text_position(node),
                     fmt::format("unknown parameter {}{}", in_quotes(name),
                                 suggestion(name, texts_of(entry_.axes, &yaml::KernelAxis::name))));
        return "1";
      }
      return over_axes;
    } catch (const ExpressionError& error) {
      fail(node, error);
      return "1";
    }
  }

  // ---- parameters ----

  void read_parameters(const Field& field) {
    for (const YAML::Node& node : items(field)) {
      const Fields parameter = settings(node, "a tuning parameter", {"Name", "Type", "Values", "Default"});
      for (const char* const key : {"Name", "Values"}) {
        reader_.require(node, key, position_of(node), "the tuning parameter");
      }
      const Field* const name = find(parameter, "Name");
      const Field* const values = find(parameter, "Values");
      if (name != nullptr && values != nullptr && is_name_of_axis(*name))
        read_parameter(text(*name), *values);
    }
  }

  bool is_name_of_axis(const Field& name) {
    const std::string axis = text(name);
    if (axis.empty() || identifier_at(axis, 0) != axis) {
      fail(name, fmt::format("the name of a parameter, {}, must consist of letters, digits and '_'",
                             in_quotes(axis)));
      return false;
    }
    if (std::ranges::find(axis::kKnown, axis) != axis::kKnown.end()) {
      fail(name,
           fmt::format("'{}' has a meaning of its own in reports: give the parameter another name", axis));
      return false;
    }
    const bool is_known =
        std::ranges::any_of(entry_.axes, [&](const yaml::KernelAxis& other) { return other.name == axis; });
    if (is_known) fail(name, fmt::format("another parameter is called '{}' already", axis));
    return !is_known;
  }

  void read_parameter(const std::string& name, const Field& values) {
    yaml::KernelAxis axis{name, values_of(name, values)};
    // What is wrong with its values is no reason to call it unknown.
    if (axis.values.empty()) axis.values = {std::uint64_t{1}};
    entry_.kernel.first.set_value(name, axis.values.front());
    entry_.kernel.options.push_back(fmt::format("-D{0}={{{0}}}", name));
    entry_.axes.push_back(std::move(axis));
  }

  /// Nothing if that is a mistake.
  std::vector<Axes::Value> values_of(const std::string& name, const Field& field) {
    std::vector<Axes::Value> values;
    std::set<Axes::Value> seen;
    try {
      for (const ListValue& listed : python_list(text(field))) {
        const auto value = axis_value(listed);
        if (!value) {
          fail(field, fmt::format("{} cannot be a value of an axis: whole numbers from 0 to 2^40 can, and "
                                  "names of letters, digits, '_' and '-'",
                                  text_of(listed)));
          return {};
        }
        if (seen.insert(*value).second) values.push_back(*value);
      }
      if (values.empty()) fail(field, fmt::format("'{}' has no values", name));
    } catch (const ExpressionError& error) {
      fail(field.value, error);
    }
    return values;
  }

  static std::optional<Axes::Value> axis_value(const ListValue& value) {
    if (const auto* const name = std::get_if<std::string>(&value)) {
      return is_plain_name(*name) ? std::optional(Axes::Value(*name)) : std::nullopt;
    }
    const double number = std::get<double>(value);
    const bool is_whole =
        number >= 0 && number <= static_cast<double>(kMaxElements) && number == std::floor(number);
    return is_whole ? std::optional(Axes::Value(static_cast<std::uint64_t>(number))) : std::nullopt;
  }

  static std::string text_of(const ListValue& value) {
    const auto* const name = std::get_if<std::string>(&value);
    return name != nullptr ? in_quotes(*name) : fmt::format("{}", std::get<double>(value));
  }

  void read_conditions(const Field& field) {
    for (const YAML::Node& node : items(field)) {
      const Fields condition = settings(node, "a condition", {"Parameters", "Expression"});
      reader_.require(node, "Expression", position_of(node), "the condition");
      const Field* const written = find(condition, "Expression");
      if (written == nullptr) continue;
      entry_.conditions.push_back({expression(written->value, "conditions"), text_position(written->value)});
    }
  }

  // ---- the kernel and its launch ----

  void read_kernel(const Fields& fields) {
    FileKernel& kernel = entry_.kernel;
    require_one_of(fields, "Language", {"CUDA"}, "rooflinectl compiles CUDA only");
    if (const Field* name = find(fields, "KernelName")) {
      kernel.function = text(*name);
      entry_.places["function"] = text_position(name->value);
      kernel.places["function"] = reader_.place(entry_.places["function"]);
      kernel.title = kernel.function.substr(0, kernel.function.find('<'));
      kernel.id = kernel.title.substr(kernel.title.rfind(':') + 1);
      reader_.check_name(kernel.id, entry_.places["function"], "name of the kernel");
    }
    if (const Field* source = find(fields, "KernelFile")) read_source(*source);
    if (const Field* options = find(fields, "CompilerOptions")) {
      for (const YAML::Node& option : items(*options)) {
        const std::string written = reader_.single_value(option).value_or("");
        if (is_too_old_standard(written)) continue;
        entry_.places[fmt::format("options.{}", kernel.options.size())] = text_position(option);
        kernel.options.push_back(written);
      }
    }
    kernel.options.emplace_back("-Dkernel_tuner=1");
  }

  void read_source(const Field& field) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(file_.path).parent_path();
    const fs::path name = text(field);
    entry_.kernel.source = (folder / name).lexically_normal().string();
    if (!read_source_) return;
    try {
      const std::string above = (folder / ".." / name).lexically_normal().string();
      std::error_code error;
      const bool is_above = !fs::exists(entry_.kernel.source, error) && fs::exists(above, error);
      if (is_above) entry_.kernel.source = above;
      entry_.kernel.text = read_source_(entry_.kernel.source);
    } catch (const Error& error) {
      fail(field, error.what());
    }
  }

  void read_launch(const Fields& fields) {
    FileKernelLaunch& launch = entry_.kernel.launch;
    if (const Field* block = find(fields, "LocalSize")) launch.block = sizes(*block, "launch.block");
    for (std::size_t i = 0; i < launch.block.size(); ++i) define_block_size(i);
    require_one_of(fields, "GlobalSizeType", {"CUDA", "OpenCL", "Vulkan"}, "no such type");
    if (!names_.problem_size.empty()) {
      launch.grid = divided_problem(fields);
    } else if (const Field* grid = find(fields, "GlobalSize")) {
      launch.grid = sizes(*grid, "launch.grid");
      // Of OpenCL it is the number of threads.
      const bool are_threads = reader_.text(fields, "GlobalSizeType") == "OpenCL";
      for (std::size_t i = 0; are_threads && i < launch.grid.size() && i < launch.block.size(); ++i) {
        launch.grid[i] = fmt::format("ceil_div({}, {})", launch.grid[i], launch.block[i]);
      }
    }
    const Field* const shared = find(fields, "SharedMemory");
    if (shared != nullptr && text(*shared) != "0") {
      launch.shared_bytes = expression(shared->value, "launch.shared");
    }
    // Auto-tuners leave out what no GPU can launch.
    const Field* const block = find(fields, "LocalSize");
    if (block == nullptr || launch.block.empty()) return;
    entry_.conditions.push_back(
        {fmt::format("({}) <= {}", fmt::join(launch.block, ") * ("), kMaxBlockThreads),
         position_of(block->value)});
  }

  /// `{"X": "block_size_x", "Y": "4"}`
  std::vector<std::string> sizes(const Field& field, const std::string& place) {
    const Fields dimensions = settings(field, {"X", "Y", "Z"});
    reader_.require(field.value, "X", field.position, fmt::format("'{}'", field.key));
    std::vector<std::string> sizes;
    for (const char* const name : kDimensionNames) {
      const Field* const size = find(dimensions, name);
      const std::string of_size = fmt::format("{}.{}", place, sizes.size());
      sizes.push_back(size == nullptr ? "1" : expression(size->value, of_size));
    }
    return sizes;
  }

  /// Kernel Tuner tells the source the block size, a parameter or not.
  void define_block_size(std::size_t dimension) {
    const std::string name = kBlockSizeNames.at(dimension);
    const std::string& size = entry_.kernel.launch.block[dimension];
    const bool is_number = std::ranges::all_of(size, is_digit);
    if (entry_.kernel.first.find(name) == nullptr && is_number) {
      entry_.kernel.options.push_back(fmt::format("-D{}={}", name, size));
    }
  }

  /// As many blocks as Kernel Tuner launches: without divisors, blocks cover the problem.
  std::vector<std::string> divided_problem(const Fields& fields) {
    std::vector<std::string> grid;
    for (std::size_t i = 0; i < names_.problem_size.size() && i < kDimensionNames.size(); ++i) {
      std::vector<std::string> divisors;
      const std::string block = kBlockSizeNames.at(i);
      if (const Field* field = find(fields, fmt::format("GridDiv{}", kDimensionNames.at(i)))) {
        const auto nodes = field->value.IsSequence() ? items(*field) : std::vector<YAML::Node>{field->value};
        for (const YAML::Node& node : nodes) {
          divisors.push_back(fmt::format("({})", expression(node, fmt::format("launch.grid.{}", i))));
        }
      } else if (entry_.kernel.first.find(block) != nullptr) {
        divisors.push_back(block);
      }
      grid.push_back(divisors.empty() ? names_.problem_size[i]
                                      : fmt::format("ceil_div({}, {})", names_.problem_size[i],
                                                    fmt::join(divisors, " * ")));
    }
    return grid;
  }

  // ---- arguments ----

  void read_arguments(const Field& field) {
    const std::vector<YAML::Node> nodes = items(field);
    if (nodes.size() > kMaxArguments) {
      fail(field, fmt::format("more than {} arguments", kMaxArguments));
      return;
    }
    for (const YAML::Node& node : nodes) read_argument(node);
  }

  void read_argument(const YAML::Node& node) {
    const Fields fields = settings(node, "an argument",
                                   {"Name", "Type", "Size", "TypeSize", "FillType", "FillValue", "DataSource",
                                    "RandomSeed", "AccessType", "MemoryType", "MemType", "Output"});
    for (const char* const key : {"Type", "MemoryType"}) {
      reader_.require(node, key, position_of(node), "the argument");
    }
    FileKernelArgument argument;
    argument.name = reader_.text(fields, "Name");
    if (argument.name.empty()) argument.name = fmt::format("argument{}", entry_.kernel.arguments.size());
    if (identifier_at(argument.name, 0) != argument.name) {
      fail(fields.at("Name"), fmt::format("the name of an argument, {}, must consist of letters, digits and "
                                          "'_'",
                                          in_quotes(argument.name)));
      return;
    }
    const std::string place = fmt::format("arguments.{}", argument.name);
    entry_.places[place] = position_of(node);
    entry_.kernel.places[place] = reader_.place(entry_.places[place]);
    require_one_of(fields, "MemoryType", {"Scalar", "Vector"},
                   "rooflinectl passes scalars and memory (Vector) only");
    require_one_of(fields, "MemType", {"Global"}, "rooflinectl fills global memory only");
    require_one_of(fields, "AccessType", {"ReadOnly", "WriteOnly", "ReadWrite"}, "no such access");
    const TuningType* const type = type_of(fields);
    if (type == nullptr) return;
    argument.type = type->element;
    if (reader_.text(fields, "MemoryType") == "Scalar") {
      read_scalar(node, fields, *type, argument);
    } else {
      read_memory(node, fields, *type, argument);
    }
    entry_.kernel.arguments.push_back(argument);
  }

  const TuningType* type_of(const Fields& fields) {
    const Field* const field = find(fields, "Type");
    if (field == nullptr) return nullptr;
    const std::string name = text(*field);
    std::vector<std::string> names;
    for (const TuningType& type : kTuningTypes) {
      if (type.name == name) return &type;
      names.emplace_back(type.name);
    }
    fail(*field, name == "custom"
                     ? "rooflinectl cannot fill arguments of other types than numbers"
                     : fmt::format("unknown type {}{}", in_quotes(name), suggestion(name, names)));
    return nullptr;
  }

  void read_scalar(const YAML::Node& node, const Fields& fields, const TuningType& type,
                   FileKernelArgument& argument) {
    argument.kind = ArgumentKind::scalar;
    if (type.elements > 1) fail(fields.at("Type"), "a scalar of several numbers");
    reader_.require(node, "FillValue", position_of(node), "the scalar");
    const Field* const value = find(fields, "FillValue");
    argument.fill =
        value == nullptr ? "0" : expression(value->value, fmt::format("arguments.{}.fill", argument.name));
  }

  void read_memory(const YAML::Node& node, const Fields& fields, const TuningType& type,
                   FileKernelArgument& argument) {
    const std::string place = fmt::format("arguments.{}", argument.name);
    const std::string access = reader_.text(fields, "AccessType");
    argument.kind = access == "ReadOnly"    ? ArgumentKind::in
                    : access == "WriteOnly" ? ArgumentKind::out
                                            : ArgumentKind::inout;
    reader_.require(node, "Size", position_of(node), "the memory");
    const Field* const size = find(fields, "Size");
    const std::string count = size == nullptr ? "1" : expression(size->value, place + ".count");
    argument.count = type.elements == 1 ? count : fmt::format("{} * ({})", type.elements, count);
    if (argument.kind == ArgumentKind::out) return;
    require_one_of(fields, "FillType", {"Constant", "Random"},
                   "rooflinectl fills arguments with a constant or with random numbers only");
    if (reader_.text(fields, "FillType") == "Constant") {
      const Field* const value = find(fields, "FillValue");
      argument.fill = value == nullptr ? "0" : expression(value->value, place + ".fill");
    }
    if (const Field* seed = find(fields, "RandomSeed")) read_seed(*seed, argument);
  }

  void read_seed(const Field& field, FileKernelArgument& argument) {
    const std::string written = text(field);
    const auto seed = parse_number<std::uint64_t>(written);
    argument.seed = seed.value_or(0);
    if (!seed) fail(field, fmt::format("{} is not a whole number", in_quotes(written)));
  }

  // ---- references ----

  void read_references(const Field& field) {
    for (const YAML::Node& node : items(field)) {
      const Fields fields = settings(node, "a reference",
                                     {"Name", "TargetName", "FillType", "FillValue", "DataSource",
                                      "RandomSeed", "ValidationMethod", "ValidationThreshold"});
      for (const char* const key : {"TargetName", "FillType", "DataSource"}) {
        reader_.require(node, key, position_of(node), "the reference");
      }
      require_one_of(fields, "FillType", {"BinaryRaw"},
                     "rooflinectl reads expected results of raw files only");
      require_one_of(fields, "ValidationMethod", {"SideBySideComparison", "SideBySideRelativeComparison"},
                     "rooflinectl compares element by element");
      const Field* const target = find(fields, "TargetName");
      const Field* const source = find(fields, "DataSource");
      if (target == nullptr || source == nullptr) continue;
      entry_.places["reference." + text(*target)] = text_position(target->value);
      const auto file = std::filesystem::path(file_.path).parent_path() / text(*source);
      entry_.kernel.reference.files[text(*target)] = std::filesystem::absolute(file).lexically_normal();
      if (const Field* threshold = find(fields, "ValidationThreshold")) read_threshold(fields, *threshold);
    }
  }

  void read_threshold(const Fields& fields, const Field& field) {
    const std::string written = text(field);
    const auto threshold = parse_number<double>(written);
    if (!threshold || !(*threshold >= 0)) {
      fail(field, fmt::format("{} is not a number from 0 on", in_quotes(written)));
      return;
    }
    const bool is_relative = reader_.text(fields, "ValidationMethod") == "SideBySideRelativeComparison";
    entry_.kernel.reference.relative = is_relative ? *threshold : 0;
    entry_.kernel.reference.absolute = is_relative ? 0 : *threshold;
  }

  yaml::Reader reader_;
  const KernelFile& file_;
  const ReadSource& read_source_;
  yaml::KernelEntry entry_;
  TuningNames names_;
};

}  // namespace

bool is_tuning_file(std::string_view text) {
  return text.find("\"KernelSpecification\"") != std::string_view::npos;
}

Plan parse_tuning_file(const std::string& name, const KernelFile& file, const Catalogue& catalogue,
                       const ReadSource& read_source) {
  Mistakes mistakes(file.path, file.text);
  TuningReader reader(mistakes, file, read_source);
  yaml::KernelEntry entry = reader.read(yaml::load(file.text, mistakes));
  mistakes.throw_if_any();
  if (catalogue.find_variant(entry.kernel.id) != nullptr) {
    reader.reader().fail(entry.places["function"],
                         fmt::format("'{}' is the name of a built-in variant", entry.kernel.id));
  }
  check_reference(reader.reader(), entry, {});
  const yaml::Settings settings;
  Plan plan;
  plan.name = name;
  plan.text = file.text;
  plan.ceilings = catalogue.ceilings;
  plan.experiments = {yaml::experiment_of({{&entry, &settings, &reader.reader()}}, kMaxPoints)};
  mistakes.throw_if_any();
  if (plan.experiments.front().points.size() > kMaxPoints) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: more than {} combinations of parameters", file.path, kMaxPoints),
                "every combination is measured: list fewer values");
  }
  plan.kernels = {std::move(entry.kernel)};
  return plan;
}

}  // namespace rooflinectl
