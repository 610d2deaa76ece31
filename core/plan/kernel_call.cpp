// SPDX-License-Identifier: Apache-2.0
#include "core/plan/kernel_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/files/files.h"
#include "core/text/expression.h"
#include "core/text/mistakes.h"
#include "core/text/written_number.h"

namespace rooflinectl {

namespace {

constexpr double kMaxGridX = std::numeric_limits<std::int32_t>::max();
constexpr double kMaxGridYZ = 65'535;
constexpr std::uint64_t kMaxThreads = 1024;
constexpr std::uint64_t kMaxClusterBlocks = 16;
constexpr double kMaxSharedBytes = 1 << 20;

std::uint64_t volume(const Dimensions& size) {
  return std::uint64_t{size[0]} * size[1] * size[2];
}

/// Resolves the texts of one kernel for one point.
class CallResolver {
 public:
  CallResolver(const FileKernel& kernel, const Axes& axes) : kernel_(kernel), axes_(kernel.first) {
    for (const auto& [name, value] : axes) axes_.set_value(name, value);
  }

  KernelCall call() {
    KernelCall call;
    call.function = with_values("function", kernel_.function);
    for (std::size_t i = 0; i < kernel_.options.size(); ++i) {
      call.options.push_back(with_values(fmt::format("options.{}", i), kernel_.options[i]));
    }
    call.grid = dimensions("launch.grid", kernel_.launch.grid, {kMaxGridX, kMaxGridYZ, kMaxGridYZ});
    call.block = dimensions("launch.block", kernel_.launch.block, {kMaxThreads, kMaxThreads, kMaxThreads});
    if (volume(call.block) > kMaxThreads) {
      fail("launch.block",
           fmt::format("a block has at most {} threads, not {}", kMaxThreads, volume(call.block)));
    }
    call.cluster = cluster(call.grid);
    if (!kernel_.launch.shared_bytes.empty()) {
      call.shared_bytes = static_cast<std::uint32_t>(
          integer("launch.shared", kernel_.launch.shared_bytes, 0, kMaxSharedBytes));
    }
    for (const FileKernelArgument& argument : kernel_.arguments) call.arguments.push_back(resolved(argument));
    call.work = work();
    if (!kernel_.reference.cpp.empty()) {
      call.reference = with_values("reference.function", kernel_.reference.function);
    }
    return call;
  }

 private:
  [[noreturn]] static void fail(std::string field, const std::string& what, std::size_t place = 0) {
    throw KernelMistake(std::move(field), place, what);
  }

  /// The names that can stand in the place of an axis.
  std::vector<std::string> axis_names() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : axes_) names.push_back(name);
    return names;
  }

  // ---- expressions ----

  std::optional<double> lookup(std::string_view name) const {
    constexpr std::string_view kSizeOf = "sizeof ";
    if (name.starts_with(kSizeOf)) {
      const auto type = type_named(name.substr(kSizeOf.size()));
      return type ? std::optional(static_cast<double>(size_bytes(*type))) : std::nullopt;
    }
    const auto number = axes_.number(name);
    return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
  }

  double value(const std::string& field, const std::string& text) const {
    try {
      return Expression(text).value([this](std::string_view name) { return lookup(name); });
    } catch (const ExpressionError& error) {
      fail(
          field,
          error.what() + (error.unknown_name().empty() ? "" : suggestion(error.unknown_name(), axis_names())),
          error.place());
    }
  }

  double integer(const std::string& field, const std::string& text, double least, double most) const {
    const double number = value(field, text);
    if (number != std::floor(number) || number < least || number > most) {
      fail(field,
           fmt::format("{} is {}, not an integer from {} to {}", in_quotes(text), number, least, most));
    }
    return number;
  }

  /// A value that the type has, or can round.
  double value_of_type(const std::string& field, const std::string& text, ArgumentType type) const {
    const double number = value(field, text);
    const auto [least, most] = range_of(type);
    if (number < least || number > most || (is_integer(type) && number != std::floor(number))) {
      fail(field, fmt::format("{} is {}, which {} does not have: {} to {}", in_quotes(text), number,
                              to_string(type), least, most));
    }
    return number;
  }

  double amount(const std::string& field, const std::string& text) const {
    if (text.empty()) return 0;
    const double number = value(field, text);
    if (number < 0) fail(field, fmt::format("{} is {}: less than nothing", in_quotes(text), number));
    return number;
  }

  Dimensions dimensions(const std::string& field, const std::vector<std::string>& texts,
                        const std::array<double, 3>& most) const {
    Dimensions size = {1, 1, 1};
    for (std::size_t i = 0; i < texts.size() && i < size.size(); ++i) {
      size.at(i) =
          static_cast<std::uint32_t>(integer(fmt::format("{}.{}", field, i), texts[i], 1, most.at(i)));
    }
    return size;
  }

  Dimensions cluster(const Dimensions& grid) const {
    constexpr double kMost = kMaxClusterBlocks;
    const Dimensions size = dimensions("launch.cluster", kernel_.launch.cluster, {kMost, kMost, kMost});
    if (volume(size) > kMaxClusterBlocks) {
      fail("launch.cluster", fmt::format("a cluster has at most {} blocks", kMaxClusterBlocks));
    }
    for (std::size_t i = 0; i < size.size(); ++i) {
      if (grid.at(i) % size.at(i) == 0) continue;
      fail("launch.cluster",
           fmt::format("a grid of {} blocks cannot be divided into clusters of {}", grid.at(i), size.at(i)));
    }
    return size;
  }

  // ---- types and other texts ----

  std::optional<ArgumentType> type_named(std::string_view name) const {
    return enumerator_from<ArgumentType>(axes_.text(name).value_or(name));
  }

  ArgumentType type(const std::string& field, const std::string& name) const {
    if (const auto known = type_named(name)) return *known;
    std::vector<std::string> names;
    for (const ArgumentType known : kArgumentTypes) names.emplace_back(to_string(known));
    if (const auto text = axes_.text(name)) {
      fail(field, fmt::format("the axis '{}' has the value {}, which is no type{}", name, in_quotes(*text),
                              suggestion(*text, names)));
    }
    for (const auto& [axis, axis_value] : axes_) {
      if (std::holds_alternative<std::string>(axis_value)) names.push_back(axis);
    }
    fail(field, fmt::format("unknown type {}{}", in_quotes(name), suggestion(name, names)));
  }

  /// `text` with the values of axes in place of their names in braces.
  std::string with_values(const std::string& field, const std::string& text) const {
    std::string result;
    for (std::size_t place = 0; place < text.size();) {
      const std::size_t open = text.find('{', place);
      result += text.substr(place, open - place);
      if (open == std::string::npos) break;
      const std::size_t close = text.find('}', open);
      if (close == std::string::npos) fail(field, "a '}' is missing", open);
      const std::string name = text.substr(open + 1, close - open - 1);
      const Axes::Value* const value = axes_.find(name);
      if (value == nullptr) {
        fail(field, fmt::format("unknown axis {}{}", in_quotes(name), suggestion(name, axis_names())),
             open + 1);
      }
      result += text_of(*value);
      place = close + 1;
    }
    return result;
  }

  static std::string text_of(const Axes::Value& value) {
    if (const auto* const number = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *number);
    const auto& text = std::get<std::string>(value);
    const auto type = enumerator_from<ArgumentType>(text);
    return std::string(type ? cpp_name(*type) : text);
  }

  // ---- arguments and work ----

  CallArgument resolved(const FileKernelArgument& argument) const {
    const std::string field = fmt::format("arguments.{}", argument.name);
    CallArgument call;
    call.name = argument.name;
    call.kind = argument.kind;
    call.type = type(field + ".type", argument.type);
    if (argument.kind != ArgumentKind::scalar) {
      constexpr double kMost = kMaxElements;
      call.count = static_cast<std::uint64_t>(integer(field + ".count", argument.count, 1, kMost));
    }
    call.fill.seed = argument.seed;
    if (argument.kind == ArgumentKind::out) return call;
    call.fill.kind = fill_kind(argument, call.type);
    if (argument.kind == ArgumentKind::scalar) {
      call.fill.value = value_of_type(field + ".fill", argument.fill, call.type);
    } else if (call.fill.kind == FillKind::value) {
      call.fill.value = value(field + ".fill", argument.fill);
    }
    if (call.fill.kind == FillKind::uniform && is_integer(call.type)) {
      fail(field + ".fill", fmt::format("'uniform' are fractions, which {} does not have; use 'integers'",
                                        to_string(call.type)));
    }
    return call;
  }

  static FillKind fill_kind(const FileKernelArgument& argument, ArgumentType type) {
    if (argument.fill.empty()) return is_integer(type) ? FillKind::integers : FillKind::uniform;
    for (const FillKind kind : {FillKind::uniform, FillKind::integers, FillKind::index}) {
      if (argument.fill == to_string(kind)) return kind;
    }
    return FillKind::value;
  }

  Work work() const {
    Work work;
    work.read_bytes = amount("work.read", kernel_.work.read_bytes);
    work.written_bytes = amount("work.written", kernel_.work.written_bytes);
    const Operations operations = {amount("work.flops", kernel_.work.flops),
                                   amount("work.fma_flops", kernel_.work.fma_flops)};
    if (operations.fma_flops > operations.flops) {
      fail("work.fma_flops", "more than 'flops', of which they are a part");
    }
    if (operations.flops > 0) work.operations[precision()] = operations;
    return work;
  }

  Dtype precision() const {
    const std::string name =
        kernel_.work.type.empty() ? std::string(axes_.text(axis::kDtype).value_or("f32")) : kernel_.work.type;
    const auto known = enumerator_from<Dtype>(axes_.text(name).value_or(name));
    if (known) return *known;
    std::vector<std::string> names;
    for (const Dtype dtype : kAllDtypes) names.emplace_back(to_string(dtype));
    fail("work.type",
         fmt::format("operations are not counted in {}{}", in_quotes(name), suggestion(name, names)));
  }

  const FileKernel& kernel_;
  Axes axes_;
};

}  // namespace

bool changes_inputs(const KernelCall& call) {
  return std::ranges::any_of(
      call.arguments, [](const CallArgument& argument) { return argument.kind == ArgumentKind::inout; });
}

std::string reference_file(const PointId& point, const std::string& argument) {
  PointId data = {{}, point.subject, point.axes};
  data.axes.erase(axis::kCache);
  data.axes.erase(axis::kMode);
  return fmt::format("{}.{}.npy", sha256(range_name(data)), argument);
}

std::set<std::string> identifiers_in(std::string_view code) {
  std::set<std::string> names;
  std::string name;
  for (const char letter : code) {
    if (is_of_identifier(letter)) {
      name += letter;
    } else if (!name.empty()) {
      names.insert(std::exchange(name, {}));
    }
  }
  if (!name.empty()) names.insert(name);
  return names;
}

std::string reference_cause_file(const PointId& point) {
  return reference_file(point, "") + ".failed";
}

KernelCall call_of(const FileKernel& kernel, const Axes& axes) {
  return CallResolver(kernel, axes).call();
}

}  // namespace rooflinectl
