// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include "analysis/program/operators.h"

namespace rooflinectl {
namespace {

/// Begins the name of the span in which autograd's engine runs an operator, before the operator's own name.
constexpr std::string_view kEngine = "autograd::engine::evaluate_function: ";
/// What `torch.profiler` itself annotates: steps of its schedule.
constexpr std::string_view kStep = "ProfilerStep#";
/// The deepest nesting that is looked at.
constexpr std::size_t kDeepest = 256;

/// A moment on a thread, to find what was open then.
struct Moment {
  std::size_t thread = 0;
  double at_us = 0;
  std::size_t asker = 0;
};

using Open = std::vector<const TorchSpan*>;  // from the outermost on

/// Calls `answer(asker, open)` for each moment.
template <typename Answer>
void for_each_open(const TorchTrace& trace, std::vector<Moment> moments, Answer answer) {
  std::vector<const TorchSpan*> spans;
  spans.reserve(trace.spans.size());
  for (const TorchSpan& span : trace.spans) spans.push_back(&span);
  // An outer span before those that begin with it.
  std::ranges::stable_sort(spans, [](const TorchSpan* a, const TorchSpan* b) {
    if (a->thread != b->thread) return a->thread < b->thread;
    return a->start_us != b->start_us ? a->start_us < b->start_us : a->end_us > b->end_us;
  });
  std::stable_sort(moments.begin(), moments.end(), [](const Moment& a, const Moment& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.at_us < b.at_us;
  });
  Open stack;
  Open open;
  std::size_t next = 0;
  std::size_t thread = 0;
  for (const Moment& moment : moments) {
    if (moment.thread != thread) stack.clear();
    thread = moment.thread;
    while (next < spans.size() && spans[next]->thread < thread) ++next;
    for (; next < spans.size() && spans[next]->thread == thread && spans[next]->start_us <= moment.at_us;
         ++next) {
      while (!stack.empty() && stack.back()->end_us < spans[next]->start_us) stack.pop_back();
      stack.push_back(spans[next]);
    }
    while (!stack.empty() && stack.back()->end_us < moment.at_us) stack.pop_back();
    open.clear();
    const std::size_t from = stack.size() - std::min(stack.size(), kDeepest);
    for (std::size_t i = from; i < stack.size(); ++i) {
      // Some overlap because times are rounded.
      if (stack[i]->end_us >= moment.at_us) open.push_back(stack[i]);
    }
    answer(moment.asker, open);
  }
}

/// Forward operators by their sequence numbers. Those that ran just before the one that autograd recorded may
/// have its number, too: the recorded one began last.
class ForwardOperators {
 public:
  explicit ForwardOperators(const TorchTrace& trace) {
    for (const TorchSpan& span : trace.spans) {
      if (span.kind == TorchSpanKind::operation && span.sequence && !span.is_backward) {
        of_sequence_[*span.sequence].push_back(&span);
      }
    }
    // Where several threads have the number, it is not known which of them it belongs to.
    std::erase_if(of_sequence_, [](const auto& entry) {
      const auto& spans = entry.second;
      return std::ranges::any_of(spans,
                                 [&](const TorchSpan* span) { return span->thread != spans[0]->thread; });
    });
    for (auto& [sequence, spans] : of_sequence_) {
      std::ranges::stable_sort(spans, {}, &TorchSpan::start_us);
    }
  }

  /// Null where there is none, or several threads have its number.
  const TorchSpan* of(const TorchSpan& backward) const {
    if (!backward.is_backward || !backward.sequence) return nullptr;
    const auto found = of_sequence_.find(*backward.sequence);
    if (found == of_sequence_.end()) return nullptr;
    const auto& spans = found->second;
    const auto after = std::ranges::partition_point(
        spans, [&](const TorchSpan* span) { return span->start_us < backward.start_us; });
    return after == spans.begin() ? nullptr : *(after - 1);
  }

 private:
  std::unordered_map<std::uint64_t, std::vector<const TorchSpan*>> of_sequence_;
};

/// For each forward operator with a backward operator, the modules that were open when it began.
using ModulesOf = std::unordered_map<const TorchSpan*, std::vector<std::string>>;

std::vector<std::string> names_of(const TorchTrace& trace, const Open& open, TorchSpanKind kind) {
  std::vector<std::string> names;
  for (const TorchSpan* span : open) {
    if (span->kind == kind) names.push_back(trace.names[span->name]);
  }
  return names;
}

ModulesOf modules_of_forward(const TorchTrace& trace, const ForwardOperators& forward) {
  std::vector<Moment> moments;
  std::vector<const TorchSpan*> operators;
  ModulesOf modules;
  for (const TorchSpan& span : trace.spans) {
    const TorchSpan* found = forward.of(span);
    if (found == nullptr || !modules.try_emplace(found).second) continue;
    moments.push_back({.thread = found->thread, .at_us = found->start_us, .asker = operators.size()});
    operators.push_back(found);
  }
  for_each_open(trace, std::move(moments), [&](std::size_t asker, const Open& open) {
    modules[operators[asker]] = names_of(trace, open, TorchSpanKind::module);
  });
  return modules;
}

/// Those of the innermost backward operator that has a forward operator.
std::vector<std::string> modules_of(const TorchTrace& trace, const Open& open,
                                    const ForwardOperators& forward, const ModulesOf& of_forward) {
  for (auto span = open.rbegin(); span != open.rend(); ++span) {
    const TorchSpan* found = forward.of(**span);
    if (found != nullptr) return of_forward.at(found);
  }
  return names_of(trace, open, TorchSpanKind::module);
}

std::vector<std::string> operators_of(const TorchTrace& trace, const Open& open) {
  std::vector<std::string> names;
  for (std::string& name : names_of(trace, open, TorchSpanKind::operation)) {
    if (name.starts_with(kEngine)) name.erase(0, kEngine.size());
    // The engine's span has the name of the one in it.
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> annotations_of(const TorchTrace& trace, const Open& open) {
  std::vector<std::string> names = names_of(trace, open, TorchSpanKind::annotation);
  std::erase_if(names, [](const std::string& name) { return name.starts_with(kStep); });
  return names;
}

using Correlations = std::unordered_map<std::uint64_t, const TorchCall*>;
using Operators = std::unordered_map<std::uint64_t, const TorchSpan*>;

template <typename Map>
auto find(const Map& map, const std::optional<std::uint64_t>& key) {
  const auto found = key ? map.find(*key) : map.end();
  return found == map.end() ? nullptr : found->second;
}

/// One for each kernel, or for all kernels of a launch of a graph; where each was launched goes to `moments`.
std::vector<TorchLaunch> launches_of(const TorchTrace& trace, std::vector<Moment>& moments) {
  Correlations calls;
  for (const TorchCall& call : trace.calls) calls.try_emplace(call.correlation, &call);
  Operators operators;
  for (const TorchSpan& span : trace.spans) {
    if (span.kind == TorchSpanKind::operation && span.id) operators.try_emplace(*span.id, &span);
  }
  std::vector<TorchLaunch> launches;
  std::unordered_map<const TorchCall*, std::size_t> graphs;
  for (const TorchKernel& kernel : trace.kernels) {
    const TorchCall* call = find(calls, kernel.correlation);
    if (call != nullptr && call->is_graph) {
      const auto [entry, is_new] = graphs.try_emplace(call, launches.size());
      if (!is_new) {
        TorchLaunch& graph = launches[entry->second];
        graph.kernels.push_back(&kernel);
        graph.duration_us += kernel.duration_us;
        continue;
      }
    }
    TorchLaunch launch = {.kernels = {&kernel},
                          .is_graph = call != nullptr && call->is_graph,
                          .start_us = kernel.start_us,
                          .duration_us = kernel.duration_us};
    if (call != nullptr) {
      launch.start_us = call->start_us;
      moments.push_back({.thread = call->thread, .at_us = call->start_us, .asker = launches.size()});
    } else if (const TorchSpan* span = find(operators, kernel.id)) {
      launch.start_us = span->start_us;
      moments.push_back({.thread = span->thread, .at_us = span->start_us, .asker = launches.size()});
    }
    launches.push_back(std::move(launch));
  }
  return launches;
}

}  // namespace

TorchLaunches torch_launches(const TorchTrace& trace) {
  TorchLaunches result;
  std::vector<Moment> moments;
  result.launches = launches_of(trace, moments);
  const ForwardOperators forward(trace);
  const ModulesOf of_forward = modules_of_forward(trace, forward);
  std::map<TorchScope, std::size_t> places;
  const auto place_of = [&](TorchScope scope) {
    const auto [entry, is_new] = places.try_emplace(std::move(scope), result.scopes.size());
    if (is_new) result.scopes.push_back(entry->first);
    return entry->second;
  };
  for (TorchLaunch& launch : result.launches) launch.scope = place_of({});
  for_each_open(trace, std::move(moments), [&](std::size_t asker, const Open& open) {
    TorchScope scope;
    scope.path = modules_of(trace, open, forward, of_forward);
    scope.modules = scope.path.size();
    result.has_modules = result.has_modules || scope.modules > 0;
    if (scope.path.empty()) scope.path = annotations_of(trace, open);
    std::vector<std::string> operators = operators_of(trace, open);
    if (!operators.empty()) scope.op = operators.back();
    for (std::string& name : operators) scope.path.push_back(std::move(name));
    result.launches[asker].scope = place_of(std::move(scope));
  });
  std::ranges::stable_sort(result.launches, {}, &TorchLaunch::start_us);
  return result;
}

}  // namespace rooflinectl
