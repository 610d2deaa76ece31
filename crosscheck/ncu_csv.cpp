// SPDX-License-Identifier: Apache-2.0
#include "crosscheck/ncu_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.h"
#include "crosscheck/csv.h"

namespace rooflinectl {

namespace {

constexpr std::string_view kHeading = "\"ID\",";
constexpr const char* kHowToExport =
    "export it with: ncu --import REPORT.ncu-rep --csv --page raw --nvtx --print-units base";

// ---- units and numbers ----

/// A unit without its prefix, and the factor of the prefix.
struct Unit {
  std::string_view name;
  double factor;
};

/// Seconds, bytes and hertz of any size; nothing of every other unit.
std::optional<double> factor_of(std::string_view unit) {
  static constexpr Unit kUnits[] = {{"ns", 1e-9},
                                    {"nsecond", 1e-9},
                                    {"us", 1e-6},
                                    {"usecond", 1e-6},
                                    {"ms", 1e-3},
                                    {"msecond", 1e-3},
                                    {"s", 1},
                                    {"second", 1},
                                    {"byte", 1},
                                    {"Kbyte", 1e3},
                                    {"Mbyte", 1e6},
                                    {"Gbyte", 1e9},
                                    {"Tbyte", 1e12},
                                    {"hz", 1},
                                    {"Khz", 1e3},
                                    {"Mhz", 1e6},
                                    {"Ghz", 1e9},
                                    {"cycle/nsecond", 1e9},
                                    {"cycle/usecond", 1e6},
                                    {"cycle/second", 1}};
  const auto found = std::find_if(std::begin(kUnits), std::end(kUnits),
                                  [unit](const Unit& known) { return known.name == unit; });
  return found == std::end(kUnits) ? std::nullopt : std::optional(found->factor);
}

/// `1,073,838,336` and `70.12`.
NcuValue value_from(std::string_view printed, std::string_view unit) {
  std::string digits(printed);
  std::erase(digits, ',');
  double number = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, number);
  if (digits.empty() || error != std::errc() || end != last || !std::isfinite(number)) {
    return {CounterValue::unavailable(fmt::format("ncu gives '{}'", printed))};
  }
  const double factor = factor_of(unit).value_or(1);
  const std::size_t point = digits.find('.');
  const double decimals = point == std::string::npos ? 0 : static_cast<double>(digits.size() - point - 1);
  // A whole number of the smallest unit is the count itself.
  const bool exact = decimals == 0 && factor <= 1;
  return {CounterValue::measured(number * factor), exact ? 0 : 0.5 * std::pow(10, -decimals) * factor};
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
      throw Error(ErrorKind::usage, "this table of Nsight Compute has no column 'Kernel Name'", kHowToExport);
    }
  }

  void add(const std::vector<std::string>& record) {
    if (record.size() != headings_.size()) {
      throw Error(ErrorKind::usage,
                  fmt::format("a row of the table of Nsight Compute has {} columns, its heading {}",
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
      kernel.metrics[headings_[i]] = value_from(record[i], units_.empty() ? "" : units_[i]);
    }
  }

  /// A row of the details page; those of one kernel follow each other and share their ID.
  void add_metric(const std::vector<std::string>& record) {
    if (kernels_.empty() || record.front() != last_id_) new_kernel(record);
    last_id_ = record.front();
    const std::string& name = record[*column("Metric Name")];
    if (name.empty()) return;  // the row of a rule
    kernels_.back().metrics[name] =
        value_from(record[*column("Metric Value")], record[*column("Metric Unit")]);
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
                no_permission
                    ? "let users count: set NVreg_RestrictProfilingToAdminUsers=0 for the nvidia kernel "
                      "module and reload it, or run as root"
                    : "");
  }
}

std::vector<NcuKernel> read_ncu_csv(std::string_view text) {
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
    throw Error(ErrorKind::usage, "no table of Nsight Compute found", kHowToExport);
  }
  return kernels;
}

}  // namespace rooflinectl
