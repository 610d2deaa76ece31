// SPDX-License-Identifier: Apache-2.0
#include "core/plan/kernels_section.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/plan/kernel_call.h"
#include "core/text/expression.h"
#include "core/text/names.h"
#include "core/text/written_number.h"

namespace rooflinectl::yaml {

const std::vector<std::string> kKernelKeys = {"title", "source",    "function",  "options",
                                              "axes",  "cases",     "arguments", "launch",
                                              "work",  "reference", "tolerance"};

namespace {

constexpr std::size_t kMaxDimensions = 3;

/// Reads one kernel.
class KernelReader {
 public:
  KernelReader(Reader& reader, KernelEntry& entry) : reader_(reader), entry_(entry), kernel_(entry.kernel) {}

  void read(const Fields& fields) {
    if (const Field* title = find(fields, "title")) kernel_.title = text(*title, "title");
    if (const Field* function = find(fields, "function")) {
      kernel_.function = text(*function, "function");
      kernel_.places["function"] = reader_.place(entry_.places["function"]);
    }
    if (kernel_.title.empty()) kernel_.title = kernel_.function.substr(0, kernel_.function.find('<'));
    if (const Field* options = find(fields, "options")) read_options(*options);
    if (const Field* axes = find(fields, "axes")) read_axes(reader_, entry_, *axes);
    if (const Field* cases = find(fields, "cases")) read_cases(reader_, entry_, *cases);
    if (const Field* arguments = find(fields, "arguments")) read_arguments(*arguments);
    if (const Field* launch = find(fields, "launch")) read_launch(*launch);
    if (const Field* work = find(fields, "work")) read_work(*work);
    if (const Field* reference = find(fields, "reference")) read_reference(*reference);
    if (const Field* tolerance = find(fields, "tolerance")) read_tolerance(*tolerance);
  }

 private:
  /// The text of a member, whose place is kept under `field`.
  std::string text(const Field& member, const std::string& field) {
    entry_.places[field] = text_position(member.value);
    return reader_.single_value(member.value).value_or("");
  }

  std::string text_if_any(const Fields& fields, const std::string& key, const std::string& field) {
    const Field* const member = find(fields, key);
    return member == nullptr ? std::string() : text(*member, field);
  }

  /// The texts of a list, or the only one.
  std::vector<std::string> texts(const Field& member, const std::string& field) {
    std::vector<std::string> texts;
    entry_.places[field] = text_position(member.value);
    const auto add = [&](const YAML::Node& node) {
      entry_.places[fmt::format("{}.{}", field, texts.size())] = text_position(node);
      texts.push_back(reader_.single_value(node).value_or(""));
    };
    if (!member.value.IsSequence()) {
      add(member.value);
    } else {
      for (const auto& node : member.value) add(node);
    }
    return texts;
  }

  void read_options(const Field& member) { kernel_.options = texts(member, "options"); }

  // ---- arguments ----

  void read_arguments(const Field& member) {
    const auto arguments = reader_.fields(member);
    if (arguments.size() > kMaxArguments) {
      reader_.fail(member.position, fmt::format("more than {} arguments", kMaxArguments));
      return;
    }
    for (const Field& argument : arguments) {
      if (is_identifier(argument.key)) {
        read_argument(argument);
      } else {
        reader_.fail(argument.position,
                     fmt::format("the name of an argument, {}, must consist of letters, digits and '_'",
                                 in_quotes(argument.key)));
      }
    }
  }

  void read_argument(const Field& member) {
    const std::string what = fmt::format("the argument '{}'", member.key);
    const std::string place = fmt::format("arguments.{}", member.key);
    const Fields fields =
        reader_.settings(member.value, value_position(member), what,
                         {"in", "out", "inout", "scalar", "count", "fill", "seed", "value"});
    FileKernelArgument argument;
    argument.name = member.key;
    entry_.places[place] = member.position;
    kernel_.places[place] = reader_.place(member.position);
    std::size_t kinds = 0;
    for (const ArgumentKind kind : kArgumentKinds) {
      const Field* const type = find(fields, std::string(to_string(kind)));
      if (type == nullptr) continue;
      ++kinds;
      argument.kind = kind;
      argument.type = text(*type, place + ".type");
    }
    if (member.value.IsMap() && kinds != 1) {
      reader_.fail(member.position,
                   fmt::format("{} needs one of 'in', 'out', 'inout' and 'scalar' with its type", what));
      return;
    }
    const bool is_scalar = argument.kind == ArgumentKind::scalar;
    reader_.require(member.value, is_scalar ? "value" : "count", member.position, what);
    for (const char* const key : {"count", "fill", "seed", "value"}) {
      const bool is_of_scalars = std::string_view(key) == "value";
      const Field* const field = find(fields, key);
      if (field != nullptr && is_of_scalars != is_scalar) {
        reader_.fail(field->position, is_scalar ? fmt::format("a scalar has no '{}'", key)
                                                : fmt::format("'{}' is for scalars; use 'fill'", key));
      }
    }
    if (argument.kind == ArgumentKind::out) {
      if (const Field* fill = find(fields, "fill")) {
        reader_.fail(fill->position, "an 'out' argument has no fill; one that is read first is 'inout'");
      }
    }
    argument.count = text_if_any(fields, "count", place + ".count");
    argument.fill = text_if_any(fields, is_scalar ? "value" : "fill", place + ".fill");
    if (const Field* seed = find(fields, "seed")) {
      argument.seed = reader_.parsed(*seed, parse_number<std::uint64_t>, "a whole number").value_or(0);
    }
    kernel_.arguments.push_back(argument);
  }

  // ---- launch and work ----

  void read_launch(const Field& member) {
    const Fields fields = reader_.settings(member, {"grid", "block", "shared", "cluster"});
    reader_.require(member.value, "grid", member.position, "'launch'");
    reader_.require(member.value, "block", member.position, "'launch'");
    kernel_.launch.grid = dimensions(fields, "grid");
    kernel_.launch.block = dimensions(fields, "block");
    kernel_.launch.cluster = dimensions(fields, "cluster");
    kernel_.launch.shared_bytes = text_if_any(fields, "shared", "launch.shared");
  }

  std::vector<std::string> dimensions(const Fields& fields, const std::string& key) {
    const Field* const member = find(fields, key);
    if (member == nullptr) return {};
    std::vector<std::string> sizes = texts(*member, fmt::format("launch.{}", key));
    if (sizes.empty() || sizes.size() > kMaxDimensions) {
      reader_.fail(position_of(member->value), fmt::format("'{}' has one to three dimensions", key));
    }
    return sizes;
  }

  void read_work(const Field& member) {
    const Fields fields = reader_.settings(member, {"read", "written", "flops", "fma_flops", "type"});
    kernel_.work.read_bytes = text_if_any(fields, "read", "work.read");
    kernel_.work.written_bytes = text_if_any(fields, "written", "work.written");
    kernel_.work.flops = text_if_any(fields, "flops", "work.flops");
    kernel_.work.fma_flops = text_if_any(fields, "fma_flops", "work.fma_flops");
    kernel_.work.type = text_if_any(fields, "type", "work.type");
  }

  // ---- reference ----

  /// Another kernel, a function in Python or C++, or a file for each argument.
  void read_reference(const Field& member) {
    if (!member.value.IsMap()) {
      kernel_.reference.kernel = text(member, "reference");
      return;
    }
    for (const std::string language : {"python", "cpp"}) {
      if (!member.value[language]) continue;
      const Fields fields = reader_.settings(member, {language, "function"});
      reader_.require(member.value, "function", member.position, "'reference'");
      std::string& file = language == "cpp" ? kernel_.reference.cpp : kernel_.reference.python;
      file = text_if_any(fields, language, "reference." + language);
      kernel_.reference.function = text_if_any(fields, "function", "reference.function");
      kernel_.places["reference.function"] = reader_.place(place_of_reference());
      return;
    }
    for (const Field& file : reader_.fields(member)) {
      entry_.places["reference." + file.key] = file.position;
      kernel_.reference.files[file.key] = reader_.single_value(file.value).value_or("");
    }
  }

  /// Of its function, or else of its file.
  Position place_of_reference() const {
    const auto function = entry_.places.find("reference.function");
    return function == entry_.places.end() ? entry_.position : function->second;
  }

  void read_tolerance(const Field& member) {
    const auto parse = [](const std::string& text) {
      constexpr double kMost = 1e30;
      const auto number = parse_number<double>(text);
      return number && *number >= 0 && *number <= kMost ? number : std::nullopt;
    };
    for (const auto& [key, field] : reader_.settings(member, {"relative", "absolute"})) {
      const auto number = reader_.parsed(field, parse, "a number from 0 to 1e30, such as 1e-5");
      if (!number) continue;
      if (key == "relative") {
        kernel_.reference.relative = *number;
      } else {
        kernel_.reference.absolute = *number;
      }
    }
  }

  Reader& reader_;
  KernelEntry& entry_;
  FileKernel& kernel_;
};

/// Where the text of a field stands: of the nearest one around it that the file has.
Position place_of(const KernelEntry& entry, std::string field) {
  while (true) {
    const auto found = entry.places.find(field);
    if (found != entry.places.end()) return found->second;
    const std::size_t dot = field.rfind('.');
    if (dot == std::string::npos) return entry.position;
    field.resize(dot);
  }
}

void report(Reader& reader, const KernelEntry& entry, const KernelMistake& mistake, const std::string& of) {
  Position position = place_of(entry, mistake.field());
  position.column += static_cast<int>(mistake.place());
  reader.fail(position, fmt::format("{}{}", mistake.what(), of));
}

/// Finds every combination of the values of the axes that meets the conditions, those of the first axis
/// changing slowest.
class Combinations {
 public:
  Combinations(Reader& reader, const KernelEntry& entry, std::size_t most)
      : reader_(reader),
        entry_(entry),
        most_(most),
        conditions_(std::max<std::size_t>(entry.axes.size(), 1)) {
    for (const KernelCondition& condition : entry.conditions) {
      Expression expression(condition.text);
      const std::set<std::string> names = expression.names();
      std::size_t last = 0;
      for (std::size_t i = 0; i < entry.axes.size(); ++i) {
        if (names.contains(entry.axes[i].name)) last = i;
      }
      conditions_[last].push_back({std::move(expression), condition.position});
    }
  }

  /// Stops soon after the first `most`; reports if there are none. Cases take the place of combinations.
  std::vector<Axes> find() {
    if (!entry_.cases.empty()) return entry_.cases;
    from(0);
    if (found_.empty() && !has_failed_) {
      reader_.fail(entry_.position, "no combination of values meets the conditions");
    }
    return std::move(found_);
  }

 private:
  struct Condition {
    Expression expression;
    Position position;
  };

  /// With a value for each axis before `axis`.
  void from(std::size_t axis) {
    if (axis == entry_.axes.size()) {
      found_.push_back(values_);
      return;
    }
    for (const Axes::Value& value : entry_.axes[axis].values) {
      if (found_.size() > most_ || has_failed_) return;
      values_.set_value(entry_.axes[axis].name, value);
      if (++tried_ > kMostTried) {
        fail(entry_.position,
             fmt::format("more than {} combinations of values to look at: list fewer", kMostTried));
      }
      const bool all_hold = std::ranges::all_of(
          conditions_[axis], [this](const Condition& condition) { return holds(condition); });
      if (all_hold) from(axis + 1);
    }
  }

  bool holds(const Condition& condition) {
    try {
      return condition.expression.value([this](std::string_view name) -> std::optional<double> {
        const auto number = values_.number(name);
        return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
      }) != 0;
    } catch (const ExpressionError& error) {
      Position position = condition.position;
      position.column += static_cast<int>(error.place());
      fail(position, error.what());
      return false;
    }
  }

  void fail(Position position, const std::string& what) {
    if (!has_failed_) reader_.fail(position, what);
    has_failed_ = true;
  }

  static constexpr std::size_t kMostTried = 1'000'000;

  Reader& reader_;
  const KernelEntry& entry_;
  std::size_t most_;
  std::vector<std::vector<Condition>> conditions_;  ///< by the last axis that each needs
  Axes values_;
  std::size_t tried_ = 0;
  bool has_failed_ = false;
  std::vector<Axes> found_;
};

const KernelEntry* find_kernel(const std::vector<KernelEntry>& all, const std::string& id) {
  const auto found = std::ranges::find_if(all, [&](const auto& entry) { return entry.kernel.id == id; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> ids_of(const std::vector<KernelEntry>& all) {
  return texts_of(all, [](const KernelEntry& entry) { return entry.kernel.id; });
}

bool has_result(const FileKernel& kernel, const std::string& name) {
  return std::ranges::any_of(kernel.arguments, [&](const FileKernelArgument& argument) {
    return argument.name == name && is_written(argument.kind);
  });
}

/// Reports a call, as a reference in C++ may be, that does not get a result.
void check_reference_call(Reader& reader, const KernelEntry& entry) {
  const std::string& function = entry.kernel.reference.function;
  const std::size_t open = function.find('(');
  if (entry.kernel.reference.cpp.empty() || open == std::string::npos) return;
  const Position position = place_of(entry, "reference.function");
  if (!function.ends_with(')')) {
    reader.fail(position, "the call does not end with ')'");
    return;
  }
  const std::set<std::string> names = identifiers_in(std::string_view(function).substr(open));
  for (const FileKernelArgument& result : results_of(entry.kernel)) {
    if (names.contains(result.name)) continue;
    reader.fail(position, fmt::format("the call has no '{}', a result of the kernel", result.name));
  }
}

/// Compiled kernels are launched; a function in Python launches what it likes.
void check_launch(Reader& reader, const KernelEntry& entry, const Fields& fields) {
  if (!is_python(entry.kernel)) {
    if (find(fields, "launch") != nullptr) return;
    reader.fail(entry.position, fmt::format("the kernel '{}' has no 'launch'", entry.kernel.id));
    return;
  }
  for (const char* const key : {"launch", "options"}) {
    if (const Field* const field = find(fields, key)) {
      reader.fail(field->position, fmt::format("a function in Python has no '{}'", key));
    }
  }
}

}  // namespace

KernelEntry read_kernel(Reader& reader, const std::string& id, Position position, const Fields& fields,
                        const std::string& folder, const std::string& source, const ReadSource& read_source) {
  KernelEntry entry;
  entry.position = position;
  entry.kernel.id = id;
  reader.check_name(id, position, "name of the kernel");
  KernelReader(reader, entry).read(fields);
  if (find(fields, "function") == nullptr) {
    reader.fail(position, fmt::format("the kernel '{}' has no 'function'", id));
  }
  const Field* const named = find(fields, "source");
  if (named == nullptr && source.empty()) {
    reader.fail(position, fmt::format("the kernel '{}' has no 'source'", id));
    check_launch(reader, entry, fields);
    return entry;
  }
  entry.kernel.source = source;
  if (named != nullptr) {
    const std::string path = reader.single_value(named->value).value_or("");
    entry.kernel.source = (std::filesystem::path(folder) / path).lexically_normal().string();
  }
  check_launch(reader, entry, fields);
  try {
    if (read_source) entry.kernel.text = read_source(entry.kernel.source);
  } catch (const Error& error) {
    reader.fail(named == nullptr ? position : position_of(named->value), error.what());
  }
  return entry;
}

std::vector<KernelEntry> read_kernels(Reader& reader, const Field& field, const std::string& folder,
                                      const std::string& source, const ReadSource& read_source) {
  std::vector<KernelEntry> entries;
  const auto members = reader.fields(field);
  if (field.value.IsMap() && members.empty()) reader.fail(field.position, "'kernels' is empty");
  for (const Field& member : members) {
    const std::string what = fmt::format("the kernel '{}'", member.key);
    const Fields fields = reader.settings(member.value, value_position(member), what, kKernelKeys);
    if (!member.value.IsMap()) continue;
    entries.push_back(read_kernel(reader, member.key, member.position, fields, folder, source, read_source));
  }
  return entries;
}

void check_reference(Reader& reader, const KernelEntry& entry, const std::vector<KernelEntry>& all) {
  const FileKernelReference& reference = entry.kernel.reference;
  for (const auto& [argument, file] : reference.files) {
    if (has_result(entry.kernel, argument)) continue;
    reader.fail(place_of(entry, "reference." + argument),
                fmt::format("{} is no 'out' or 'inout' argument of the kernel", in_quotes(argument)));
  }
  check_reference_call(reader, entry);
  if (reference.kernel.empty()) return;
  const Position position = place_of(entry, "reference");
  const KernelEntry* const other = find_kernel(all, reference.kernel);
  if (other == nullptr || other == &entry) {
    auto others = ids_of(all);
    std::erase(others, entry.kernel.id);
    reader.fail(position, fmt::format("the reference {} is no other kernel of the plan or folder{}",
                                      in_quotes(reference.kernel),
                                      others.empty() ? "" : suggestion(reference.kernel, others)));
    return;
  }
  if (is_python(entry.kernel) != is_python(other->kernel)) {
    reader.fail(position,
                fmt::format("the results of '{}' are in another process: compare both with a function in "
                            "Python or C++, `{{python: FILE, function: NAME}}`",
                            reference.kernel));
    return;
  }
  for (const FileKernelArgument& argument : results_of(entry.kernel)) {
    if (has_result(other->kernel, argument.name)) continue;
    reader.fail(position, fmt::format("the reference '{}' has no 'out' or 'inout' argument '{}'",
                                      reference.kernel, argument.name));
  }
}

std::vector<const KernelEntry*> chosen_kernels(Reader& reader, const Field& field,
                                               const std::vector<KernelEntry>& all) {
  return reader.chosen(field, "kernel", all, ids_of(all),
                       [](const std::string& pattern, const KernelEntry& entry) {
                         return pattern == "all" || matches_glob(pattern, entry.kernel.id);
                       });
}

std::vector<PointId> kernel_points(const std::vector<KernelPoints>& kernels, const std::string& experiment,
                                   std::size_t most) {
  // Points that differ in the kernel alone come one after the other.
  std::vector<Axes> order;
  std::map<Axes, std::vector<std::string>> subjects;
  for (const KernelPoints& kernel : kernels) {
    std::set<std::string> reported;
    const std::vector<Axes> combinations = Combinations(*kernel.reader, *kernel.entry, most).find();
    // A plan with too many is refused whatever else is wrong.
    if (combinations.size() > most) {
      std::vector<PointId> too_many;
      for (const Axes& values : combinations)
        too_many.push_back({experiment, kernel.entry->kernel.id, values});
      return too_many;
    }
    for (const Axes& values : combinations) {
      try {
        call_of(kernel.entry->kernel, values);
      } catch (const KernelMistake& mistake) {
        const PointId point = {experiment, kernel.entry->kernel.id, values};
        const bool is_first = reported.insert(mistake.field()).second;
        if (is_first)
          report(*kernel.reader, *kernel.entry, mistake,
                 values == Axes() ? "" : fmt::format(" (in {})", range_name(point)));
      }
      // Python launches one by one.
      const List<LaunchMode> plain = {{LaunchMode::plain, {}}};
      for (const auto& mode : is_python(kernel.entry->kernel) ? plain : kernel.settings->launch) {
        for (const auto& cache : kernel.settings->cache) {
          Axes axes = values;
          axes.set(axis::kCache, cache.value);
          axes.set(axis::kMode, mode.value);
          std::vector<std::string>& of_axes = subjects[axes];
          if (of_axes.empty()) order.push_back(axes);
          of_axes.push_back(kernel.entry->kernel.id);
        }
      }
    }
  }
  std::vector<PointId> points;
  for (const Axes& axes : order) {
    for (const std::string& subject : subjects[axes]) {
      if (points.size() <= most) points.push_back({experiment, subject, axes});
    }
  }
  return points;
}

Experiment experiment_of(const std::vector<KernelPoints>& kernels, std::size_t most) {
  Experiment experiment;
  experiment.name = "kernels";
  experiment.title = experiment.name;
  const Settings& settings = *kernels.front().settings;
  experiment.timing = settings.timing;
  experiment.counters = settings.counters;
  experiment.energy = settings.energy;
  experiment.points = kernel_points(kernels, experiment.name, most);
  return experiment;
}

}  // namespace rooflinectl::yaml
