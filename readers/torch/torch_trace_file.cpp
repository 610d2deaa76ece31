// SPDX-License-Identifier: Apache-2.0
#include "readers/torch/torch_trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <istream>
#include <map>
#include <span>
#include <streambuf>
#include <unordered_map>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/files/compression.h"
#include "core/files/files.h"
#include "core/json/json.h"
#include "core/text/printable.h"
#include "core/text/written_number.h"

namespace rooflinectl {
namespace {

using serial::Json;

constexpr std::size_t kMostBytes = std::size_t{4} << 30;
constexpr std::string_view kModule = "nn.Module: ";
/// Traces have five levels, and texts of some kilobytes.
constexpr int kDeepestNesting = 1000;
constexpr std::size_t kLongestText = std::size_t{16} << 20;

/// Passes a text on, piece by piece, as long as no string in it is so long that the parser, which holds one
/// string at a time, would use up all memory. What is between two strings counts as well: a number may be
/// long.
class WithoutLongTexts : public std::streambuf {
 public:
  /// `name` is used in the error message.
  WithoutLongTexts(std::istream& text, std::string_view name) : text_(text), name_(name) {}

 protected:
  int_type underflow() override {
    const std::streamsize length = text_.rdbuf()->sgetn(piece_.data(), std::streamsize{kPiece});
    if (length <= 0) return traits_type::eof();
    std::for_each_n(piece_.data(), length, [this](char letter) { pass(letter); });
    setg(piece_.data(), piece_.data(), piece_.data() + length);
    return traits_type::to_int_type(piece_[0]);
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;

  void pass(char letter) {
    const bool is_quote = letter == '"' && !is_escaped_;
    is_escaped_ = letter == '\\' && !is_escaped_;
    length_ = is_quote ? 0 : length_ + 1;
    if (length_ <= kLongestText) return;
    throw Error(ErrorKind::usage, fmt::format("{}: a string in it is longer than 16 MiB", name_),
                "torch.profiler writes no such string: is the file damaged?");
  }

  std::istream& text_;
  std::string_view name_;
  std::array<char, kPiece> piece_{};
  std::size_t length_ = 0;  ///< since the last quote
  bool is_escaped_ = false;
};

/// Until PyTorch 1.12 some names began with another letter: `Kernel`, `external id`.
std::string lower(std::string text) {
  for (char& letter : text) letter = to_lower(letter);
  return text;
}

/// An event as far as it has been read.
struct Event {
  std::string phase;
  std::string category;
  std::string name;
  std::string process;  ///< a number, except in the profiler's own events
  std::string thread;
  std::optional<double> start_us;
  std::optional<double> duration_us;
  std::optional<std::uint64_t> correlation;
  std::optional<std::uint64_t> id;
  std::optional<std::uint64_t> sequence;
  std::optional<std::uint64_t> forward_thread;
  std::optional<std::uint64_t> device;
  std::optional<std::uint64_t> shared_bytes;
  std::vector<std::uint64_t> grid;
  std::vector<std::uint64_t> block;
};

using Member = std::variant<std::monostate, std::string Event::*, std::optional<double> Event::*,
                            std::optional<std::uint64_t> Event::*, std::vector<std::uint64_t> Event::*>;

/// What is kept of an event, by the names in the trace.
struct Field {
  std::string_view key;
  Member member;
};
constexpr std::array kEventFields = {Field{"ph", &Event::phase},       Field{"cat", &Event::category},
                                     Field{"name", &Event::name},      Field{"pid", &Event::process},
                                     Field{"tid", &Event::thread},     Field{"ts", &Event::start_us},
                                     Field{"dur", &Event::duration_us}};
constexpr std::array kArguments = {Field{"correlation", &Event::correlation},
                                   Field{"external id", &Event::id},
                                   Field{"sequence number", &Event::sequence},
                                   Field{"fwd thread id", &Event::forward_thread},
                                   Field{"device", &Event::device},
                                   Field{"shared memory", &Event::shared_bytes},
                                   Field{"grid", &Event::grid},
                                   Field{"block", &Event::block}};

Field field_of(std::span<const Field> fields, std::string_view key) {
  const auto found = std::ranges::find(fields, key, &Field::key);
  return found == fields.end() ? Field{} : *found;
}

Field argument_of(std::string_view written) {
  constexpr std::size_t kLongest = 16;
  return written.size() > kLongest ? Field{} : field_of(kArguments, lower(std::string(written)));
}

/// Receives the text as a series of values, and keeps those of the event that it is in.
class TraceReader : public nlohmann::json_sax<Json> {
 public:
  /// `text` is what is read, for error messages to show more of it; `name` is used there, too.
  TraceReader(std::istream& text, std::string_view name) : text_(text), name_(name) {}

  TorchTrace trace() && {
    if (!has_events_) fail("", "not a trace of torch.profiler: it has no list of traceEvents");
    return std::move(trace_);
  }

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t value) override {
    return take_number(static_cast<double>(value), std::nullopt);
  }
  bool number_unsigned(number_unsigned_t value) override {
    return take_number(static_cast<double>(value), value);
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return take_number(value, std::nullopt);
  }
  bool string(string_t& value) override {
    take_text(value);
    return true;
  }
  bool binary(binary_t& /*value*/) override { return true; }

  bool start_object(std::size_t /*elements*/) override {
    enter();
    if (is_at_event()) event_ = Event{};
    if (depth_ == kInArguments && in_events_ && are_arguments_next_) in_arguments_ = true;
    return true;
  }
  bool key(string_t& value) override {
    if (depth_ == 1) is_events_next_ = value == "traceEvents";
    if (is_at_event()) {
      field_ = field_of(kEventFields, value);
      are_arguments_next_ = value == "args";
    }
    if (is_at_argument()) argument_ = argument_of(value);
    return true;
  }
  bool end_object() override {
    if (is_at_event()) finish_event();
    if (depth_ == kInArguments) in_arguments_ = false;
    --depth_;
    return true;
  }
  bool start_array(std::size_t /*elements*/) override {
    if (depth_ == 1 && is_events_next_) {
      in_events_ = true;
      has_events_ = true;
    }
    enter();
    return true;
  }
  bool end_array() override {
    --depth_;
    if (depth_ == 1) in_events_ = false;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    constexpr int kOutOfRange = 400;  // nlohmann's ids of such errors begin here
    if (error.id >= kOutOfRange) fail("", "not valid JSON: a number is too large");
    if (position <= 1 && depth_ == 0) {
      fail("", "not valid JSON at its beginning", "torch.profiler writes one with export_chrome_trace");
    }
    serial::refuse_as_not_json(name_, error, position, token, rest_of_word());
  }

 private:
  static constexpr int kInEvent = 3;
  static constexpr int kInArguments = 4;
  static constexpr int kInExtent = 5;

  bool is_at_event() const { return in_events_ && depth_ == kInEvent; }
  bool is_at_argument() const { return in_arguments_ && depth_ == kInArguments; }

  /// What follows where the parser stopped; nothing at the end of the trace.
  std::optional<std::string> rest_of_word() {
    if (text_.eof()) return std::nullopt;
    std::string rest(serial::kLongestWord, ' ');
    text_.read(rest.data(), static_cast<std::streamsize>(rest.size()));
    return rest;
  }

  [[noreturn]] void fail(std::string_view place, std::string_view problem, const char* hint = "") const {
    const std::string where = place.empty() ? "" : fmt::format("/traceEvents/{}{}: ", count_, place);
    throw Error(ErrorKind::usage, fmt::format("{}: {}{}", name_, where, problem), hint);
  }

  void enter() {
    if (++depth_ > kDeepestNesting)
      fail("", fmt::format("lists and objects are nested deeper than {}", kDeepestNesting));
  }

  /// For the parser to go on.
  bool take_number(double value, std::optional<std::uint64_t> whole) {
    if (!is_at_event()) {
      if (whole) take_whole(*whole);
    } else if (const auto* const number = std::get_if<std::optional<double> Event::*>(&field_.member)) {
      if (field_.key == "dur" && value < 0) fail("/dur", "expected a non-negative number");
      event_.*(*number) = value;
    } else if (const auto* const text = std::get_if<std::string Event::*>(&field_.member)) {
      // Those of processes and threads are both.
      if (field_.key != "pid" && field_.key != "tid") fail_at_field("expected a string");
      event_.*(*text) = fmt::format("{}", value);
    }
    return true;
  }

  void take_text(std::string& value) {
    if (is_at_event()) {
      if (const auto* const text = std::get_if<std::string Event::*>(&field_.member)) {
        event_.*(*text) = std::move(value);
      } else if (std::holds_alternative<std::optional<double> Event::*>(field_.member)) {
        fail_at_field("expected a number");
      }
    } else if (is_at_argument()) {
      // Some versions write ids as text.
      if (const auto number = parse_number<std::uint64_t>(value)) take_whole(*number);
    }
  }

  [[noreturn]] void fail_at_field(std::string_view problem) const {
    fail(fmt::format("/{}", field_.key), problem);
  }

  void take_whole(std::uint64_t value) {
    constexpr std::size_t kDimensions = 3;
    const auto* const extent = std::get_if<std::vector<std::uint64_t> Event::*>(&argument_.member);
    if (extent != nullptr && in_arguments_ && depth_ == kInExtent) {
      std::vector<std::uint64_t>& lengths = event_.*(*extent);
      if (lengths.size() < kDimensions) lengths.push_back(value);
    }
    const auto* const number = std::get_if<std::optional<std::uint64_t> Event::*>(&argument_.member);
    if (number != nullptr && is_at_argument()) event_.*(*number) = value;
  }

  void finish_event() {
    field_ = {};
    are_arguments_next_ = false;
    if (event_.phase == "X") keep_event();
    ++count_;
  }

  void keep_event() {
    const std::string category = lower(event_.category);
    if (category == "kernel") {
      add_kernel();
    } else if (category == "cpu_op" || category == "operator") {
      add_span(TorchSpanKind::operation, event_.name);
    } else if (category == "user_annotation") {
      add_span(TorchSpanKind::annotation, event_.name);
    } else if (category == "python_function") {
      if (event_.name.starts_with(kModule))
        add_span(TorchSpanKind::module, event_.name.substr(kModule.size()));
    } else if (category == "cuda_runtime" || category == "cuda_driver" || category == "runtime") {
      add_call();
    }
  }

  double start_us() const {
    if (!event_.start_us || !std::isfinite(*event_.start_us)) fail("/ts", "expected a number");
    return *event_.start_us;
  }

  void check_room() const {
    if (trace_.kernels.size() + trace_.spans.size() + trace_.calls.size() < kMostTorchEvents) return;
    fail("", fmt::format("more than {} operators, modules, calls and kernels", kMostTorchEvents),
         "trace fewer steps, as with torch.profiler.schedule");
  }

  void add_kernel() {
    check_room();
    TorchKernel kernel = {.name = name_index(event_.name),
                          .start_us = start_us(),
                          .duration_us = event_.duration_us.value_or(0),
                          .grid = extent(event_.grid),
                          .block = extent(event_.block),
                          .shared_bytes = event_.shared_bytes,
                          .device = event_.device,
                          .correlation = event_.correlation,
                          .id = event_.id};
    trace_.kernels.push_back(kernel);
  }

  void add_span(TorchSpanKind kind, std::string_view name) {
    check_room();
    const double start = start_us();
    trace_.spans.push_back({.kind = kind,
                            .name = name_index(name),
                            .thread = thread_index(),
                            .start_us = start,
                            .end_us = start + event_.duration_us.value_or(0),
                            .id = event_.id,
                            .sequence = event_.sequence,
                            // Operators of the forward pass have 0.
                            .is_backward = event_.forward_thread.value_or(0) > 0});
  }

  void add_call() {
    if (!event_.correlation) return;
    check_room();
    trace_.calls.push_back({.correlation = *event_.correlation,
                            .thread = thread_index(),
                            .start_us = start_us(),
                            .is_graph = event_.name.find("GraphLaunch") != std::string::npos});
  }

  static std::optional<TorchKernel::Extent> extent(const std::vector<std::uint64_t>& numbers) {
    if (numbers.size() != TorchKernel::Extent().size()) return std::nullopt;
    return TorchKernel::Extent{numbers[0], numbers[1], numbers[2]};
  }

  /// Names of kernels are cut as in a run, so that they still match.
  std::size_t name_index(std::string_view name) {
    const auto [entry, is_new] = names_.try_emplace(cut_name(name, kMaxSubjectLength), trace_.names.size());
    if (is_new) trace_.names.push_back(printable(entry->first));
    return entry->second;
  }

  std::size_t thread_index() {
    return threads_.try_emplace({event_.process, event_.thread}, threads_.size()).first->second;
  }

  std::istream& text_;
  std::string name_;
  TorchTrace trace_;
  std::unordered_map<std::string, std::size_t> names_;
  std::map<std::pair<std::string, std::string>, std::size_t> threads_;

  int depth_ = 0;
  bool is_events_next_ = false;
  bool in_events_ = false;
  bool in_arguments_ = false;
  bool has_events_ = false;
  std::size_t count_ = 0;  ///< of events so far
  Event event_;
  Field field_;
  bool are_arguments_next_ = false;
  Field argument_;
};

}  // namespace

TorchTrace torch_trace_from_json(std::istream& text, std::string_view name) {
  WithoutLongTexts pieces(text, name);
  std::istream checked(&pieces);
  TraceReader reader(checked, name);
  Json::sax_parse(checked, &reader);
  return std::move(reader).trace();
}

TorchTrace read_torch_trace(const std::filesystem::path& file) {
  UnpackedStream unpacked(file, kMostBytes);
  std::istream text(&unpacked);
  return torch_trace_from_json(text, file.string());
}

}  // namespace rooflinectl
