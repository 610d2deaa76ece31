// SPDX-License-Identifier: Apache-2.0
#include "crosscheck/ncu_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/text/mistakes.h"
#include "crosscheck/csv.h"

namespace rooflinectl {

namespace {

constexpr std::string_view kHeading = "\"ID\",";
constexpr const char* kHowToExport =
    "export it with: ncu --import REPORT.ncu-rep --csv --page raw --nvtx --print-units base";

// ---- units and numbers ----

/// What a number counts, and how many of that it stands for.
struct Unit {
  std::string base;
  double factor = 1;
};

struct Spelling {
  std::string_view text;
  std::string_view base;
};

/// `Mbyte`, `MB`, `usecond`, `µs`, `Ghz`. ncu has spelled units in more than one way, from version to version
/// and by its option --print-units.
std::optional<Unit> simple_unit(std::string_view text) {
  static constexpr Spelling kBases[] = {{"byte", "byte"},
                                        {"bytes", "byte"},
                                        {"B", "byte"},
                                        {"second", "s"},
                                        {"seconds", "s"},
                                        {"sec", "s"},
                                        {"s", "s"},
                                        {"hz", "hz"},
                                        {"Hz", "hz"},
                                        {"cycle", "cycle"},
                                        {"cycles", "cycle"},
                                        {"inst", "inst"},
                                        {"instruction", "inst"},
                                        {"instructions", "inst"},
                                        {"sector", "sector"},
                                        {"sectors", "sector"},
                                        {"request", "request"},
                                        {"requests", "request"},
                                        {"branch", "branch"},
                                        {"branches", "branch"},
                                        {"wavefront", "wavefront"},
                                        {"wavefronts", "wavefront"},
                                        {"thread", "thread"},
                                        {"threads", "thread"},
                                        {"warp", "warp"},
                                        {"warps", "warp"},
                                        {"block", "block"},
                                        {"blocks", "block"},
                                        {"%", "%"},
                                        {"", ""}};
  struct Prefix {
    std::string_view text;
    double factor;
  };
  static constexpr Prefix kPrefixes[] = {{"", 1},          {"n", 1e-9},   {"u", 1e-6}, {"\u00b5", 1e-6},
                                         {"\u03bc", 1e-6}, {"m", 1e-3},   {"K", 1e3},  {"k", 1e3},
                                         {"M", 1e6},       {"G", 1e9},    {"T", 1e12}, {"Ki", 0x1p10},
                                         {"Mi", 0x1p20},   {"Gi", 0x1p30}};
  for (const Spelling& spelling : kBases) {
    if (!text.ends_with(spelling.text)) continue;
    const std::string_view before = text.substr(0, text.size() - spelling.text.size());
    if (!before.empty() && (spelling.base == "%" || spelling.base.empty())) continue;
    for (const Prefix& prefix : kPrefixes) {
      if (before == prefix.text) return Unit{std::string(spelling.base), prefix.factor};
    }
  }
  return std::nullopt;
}

/// The same and ratios of them: `Gbyte/s`, `cycle/nsecond`, which are hertz. Nothing of a unit that is not
/// known.
std::optional<Unit> unit_from(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto above = simple_unit(text.substr(0, slash));
  if (slash == std::string_view::npos || !above) return above;
  const auto below = simple_unit(text.substr(slash + 1));
  if (!below || below->base.empty()) return std::nullopt;
  const bool is_clock = above->base == "cycle" && below->base == "s";
  return Unit{is_clock ? "hz" : above->base + "/" + below->base, above->factor / below->factor};
}

/// The unit that a metric must have according to its name; nothing if the name does not tell.
std::optional<std::string_view> base_of_metric(std::string_view metric) {
  if (metric.find("__time_duration") != std::string_view::npos) return "s";
  if (metric.find("bytes") != std::string_view::npos && metric.ends_with(".sum")) return "byte";
  return std::nullopt;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Whether the commas of `whole`, the digits before the point, separate thousands: `1,073,838,336`.
bool has_thousands(std::string_view whole) {
  const std::size_t first = whole.find(',');
  if (first == std::string_view::npos) return true;
  if (first == 0 || first > 3 || whole.front() == '0' || whole.size() % 4 != first % 4) return false;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const bool separates = i >= first && (i - first) % 4 == 0;
    if (separates != (whole[i] == ',')) return false;
  }
  return true;
}

/// `1,073,838,336` and `70.12`. Nothing of what can be read in two ways, such as `1.234,5` or `1,2`.
std::optional<double> number_from(std::string_view printed) {
  const std::string_view whole = printed.substr(0, printed.find_first_not_of("0123456789,"));
  if (whole.empty() || !is_digit(whole.back()) || !has_thousands(whole)) return std::nullopt;
  std::string digits(printed);
  std::erase(digits, ',');
  if (digits.size() !=
      printed.size() - static_cast<std::size_t>(std::count(whole.begin(), whole.end(), ','))) {
    return std::nullopt;  // a comma after the point
  }
  double number = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, number);
  if (error != std::errc() || end != last) return std::nullopt;
  return number;
}

NcuValue unavailable(std::string reason) {
  return {CounterValue::unavailable(std::move(reason))};
}

NcuValue value_from(std::string_view metric, std::string_view printed, std::string_view unit_text) {
  constexpr double kMost = 1e24;  // more than a kernel counts in a century
  const auto number = number_from(printed);
  if (!number) {
    const bool has_digits = std::any_of(printed.begin(), printed.end(), is_digit);
    return unavailable(fmt::format("ncu reports {}{}", in_quotes(printed),
                                   has_digits ? ", which is not a number in English notation" : ""));
  }
  const auto unit = unit_from(unit_text);
  if (!unit) return unavailable(fmt::format("ncu reports it in {}, an unknown unit", in_quotes(unit_text)));
  const auto base = base_of_metric(metric);
  if (base && unit->base != *base) {
    return unavailable(unit_text.empty() ? fmt::format("ncu reports {} without a unit", in_quotes(printed))
                                         : fmt::format("ncu reports it in {}", in_quotes(unit_text)));
  }
  const double value = *number * unit->factor;
  if (value > kMost || (value > 0 && value < 1 / kMost)) {
    return unavailable(fmt::format("ncu reports {}, which cannot be a counted value", in_quotes(printed)));
  }
  const std::size_t point = printed.find('.');
  const double decimals = point == std::string::npos ? 0 : static_cast<double>(printed.size() - point - 1);
  // A whole number of the smallest unit is the count itself.
  const bool exact = decimals == 0 && unit->factor <= 1;
  return {CounterValue::measured(value), exact ? 0 : 0.5 * std::pow(10, -decimals) * unit->factor};
}

// ---- NVTX ----

/// The range in `7  "rooflinectl:ladder.reduce_v3.f32:none:none"`: what follows the domain.
std::string range_in(std::string_view cell) {
  constexpr std::string_view kDomain = "\"rooflinectl:";
  const std::size_t start = cell.rfind(kDomain);
  if (start == std::string_view::npos) return {};
  cell.remove_prefix(start + kDomain.size());
  return std::string(cell.substr(0, cell.find_first_of(":\"")));
}

bool is_range_column(std::string_view heading) {
  return heading.find("Push/Pop_Range") != std::string_view::npos;
}

// ---- launches ----

/// `16x16` of `(16, 16, 1)`, as axes have it.
std::string extent_in(std::string cell) {
  std::erase_if(cell, [](char c) { return !is_digit(c) && c != ','; });
  std::replace(cell.begin(), cell.end(), ',', 'x');
  while (cell.ends_with("x1")) cell.resize(cell.size() - 2);
  return cell;
}

// ---- tables ----

/// `dram__bytes_read.sum`. Nobody names a metric by hundreds of characters.
bool is_metric(std::string_view heading) {
  constexpr std::size_t kLongestName = 200;
  return heading.find("__") != std::string_view::npos && heading.size() <= kLongestName;
}

/// One table, read record by record.
class Table {
 public:
  explicit Table(std::vector<std::string> headings) : headings_(std::move(headings)) {
    const auto has = [this](std::string_view heading) { return column(heading).has_value(); };
    is_long_ = has("Metric Name") && has("Metric Unit") && has("Metric Value");
    if (!has("Kernel Name")) {
      throw Error(ErrorKind::usage, "this Nsight Compute table has no column 'Kernel Name'", kHowToExport);
    }
  }

  void add(const std::vector<std::string>& record) {
    if (record.size() != headings_.size()) {
      throw Error(ErrorKind::usage,
                  fmt::format("a row of the Nsight Compute table has {} columns, but its header has {}",
                              record.size(), headings_.size()),
                  kHowToExport);
    }
    if (is_long_) {
      add_metric(record);
    } else if (record.front().empty()) {
      units_ = record;
    } else {
      add_kernel(record);
    }
  }

  const std::vector<NcuKernel>& kernels() const { return kernels_; }

 private:
  std::optional<std::size_t> column(std::string_view heading) const {
    const auto found = std::find(headings_.begin(), headings_.end(), heading);
    if (found == headings_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - headings_.begin());
  }

  NcuKernel& new_kernel(const std::vector<std::string>& record) {
    NcuKernel& kernel = kernels_.emplace_back();
    kernel.kernel = record[*column("Kernel Name")];
    const auto cell = [&](std::string_view heading) {
      const auto place = column(heading);
      return place ? record[*place] : std::string();
    };
    kernel.process = cell("Process ID");
    kernel.grid = extent_in(cell("Grid Size"));
    kernel.block = extent_in(cell("Block Size"));
    for (std::size_t i = 0; i < headings_.size(); ++i) {
      if (is_range_column(headings_[i]) && kernel.range.empty()) kernel.range = range_in(record[i]);
    }
    return kernel;
  }

  /// A row of the raw page.
  void add_kernel(const std::vector<std::string>& record) {
    NcuKernel& kernel = new_kernel(record);
    for (std::size_t i = 0; i < headings_.size(); ++i) {
      if (!is_metric(headings_[i])) continue;
      kernel.metrics[headings_[i]] = value_from(headings_[i], record[i], units_.empty() ? "" : units_[i]);
    }
  }

  /// A row of the details page; those of one kernel follow each other and share their ID.
  void add_metric(const std::vector<std::string>& record) {
    if (kernels_.empty() || record.front() != last_id_) new_kernel(record);
    last_id_ = record.front();
    const std::string& name = record[*column("Metric Name")];
    if (name.empty()) return;  // the row of a rule
    kernels_.back().metrics[name] =
        value_from(name, record[*column("Metric Value")], record[*column("Metric Unit")]);
  }

  std::vector<std::string> headings_;
  std::vector<std::string> units_;
  bool is_long_ = false;
  std::string last_id_;
  std::vector<NcuKernel> kernels_;
};

void append(std::vector<NcuKernel>& kernels, const std::optional<Table>& table) {
  if (table) kernels.insert(kernels.end(), table->kernels().begin(), table->kernels().end());
}

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

}  // namespace

void check_ncu_messages(std::string_view text) {
  constexpr std::string_view kErrorMark = "==ERROR== ";
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (!line.starts_with(kErrorMark)) continue;
    const std::string message(line.substr(kErrorMark.size()));
    const bool no_permission = message.find("ERR_NVGPUCTRPERM") != std::string::npos;
    throw Error(ErrorKind::environment, fmt::format("ncu: {}", message),
                no_permission ? "allow all users to count: set NVreg_RestrictProfilingToAdminUsers=0 for the "
                                "nvidia kernel module and reload it; or run as root"
                              : "");
  }
}

std::vector<NcuKernel> read_ncu_csv(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::string_view whole = text;
  std::vector<NcuKernel> kernels;
  std::optional<Table> table;
  while (!text.empty()) {
    if (text.starts_with(kHeading)) {
      append(kernels, table);
      table.emplace(take_csv_record(text));
    } else if (table && text.starts_with('"')) {
      table->add(take_csv_record(text));
    } else {
      take_line(text);
    }
  }
  append(kernels, table);
  if (!table) {
    check_ncu_messages(whole);
    throw Error(ErrorKind::usage, "found no Nsight Compute table", kHowToExport);
  }
  return kernels;
}

}  // namespace rooflinectl
