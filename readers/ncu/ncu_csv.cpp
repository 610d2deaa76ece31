// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/text/mistakes.h"
#include "core/text/written_number.h"
#include "readers/ncu/ncu_kernel.h"

namespace rooflinectl {

namespace {

constexpr std::string_view kHeading = "\"ID\",";
constexpr std::string_view kSummaryHeading = "\"Process ID\",\"Process Name\",";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr const char* kHowToExport =
    "export it with: ncu --import REPORT.ncu-rep --csv --page raw --nvtx --print-units base";

// ---- NVTX ----

/// The range in `7  "rooflinectl:ladder.reduce_v3.f32:none:none"`: what follows the domain.
std::string range_in(std::string_view cell) {
  constexpr std::string_view kDomain = "\"rooflinectl:";
  const std::size_t start = cell.rfind(kDomain);
  if (start == std::string_view::npos) return {};
  cell.remove_prefix(start + kDomain.size());
  return std::string(cell.substr(0, cell.find_first_of(":\"")));
}

/// The names in `7  "<default domain>:step:none:none"  "<default domain>:forward:none:none"`, each of which
/// is followed by that many `attributes`: a name may have colons itself.
std::vector<std::string> path_in(std::string_view cell, std::size_t attributes) {
  std::vector<std::string> path;
  while (true) {
    const std::size_t open = cell.find('"');
    const std::size_t close = cell.find('"', open + 1);
    if (open == std::string_view::npos || close == std::string_view::npos) return path;
    std::string_view range = cell.substr(open + 1, close - open - 1);
    cell.remove_prefix(close + 1);
    range.remove_prefix(std::min(range.find(':') + 1, range.size()));  // the domain
    for (std::size_t i = 0; i < attributes; ++i) range = range.substr(0, range.rfind(':'));
    if (!range.empty()) path.emplace_back(range);
  }
}

// ---- launches ----

/// `16x16` of `(16, 16, 1)`, as axes have it.
std::string extent_in(std::string cell) {
  std::erase_if(cell, [](char c) { return !is_digit(c) && c != ','; });
  std::ranges::replace(cell, ',', 'x');
  while (cell.ends_with("x1")) cell.resize(cell.size() - 2);
  return cell;
}

// ---- metrics ----

/// `dram__bytes_read.sum`. Nobody names a metric by hundreds of characters.
bool is_metric(std::string_view heading) {
  constexpr std::size_t kLongestName = 200;
  return heading.find("__") != std::string_view::npos && heading.size() <= kLongestName;
}

/// What the details page calls a metric. Percentages of a peak have the same labels.
struct Label {
  std::string_view text;
  std::string_view metric;
  bool is_percentage = false;
};
constexpr std::array kLabels = {
    Label{"Duration", kDurationMetric},
    Label{"SM Frequency", "gpc__cycles_elapsed.avg.per_second"},
    Label{"DRAM Frequency", "dram__cycles_elapsed.avg.per_second"},
    Label{"Memory Throughput", "dram__bytes.sum.per_second"},
    Label{"Executed Instructions", "smsp__inst_executed.sum"},
    Label{"Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", true},
    Label{"Registers Per Thread", "launch__registers_per_thread"}};

/// The metric that a row of the details page is of.
std::string_view metric_named(std::string_view name, std::string_view unit) {
  const auto label = std::ranges::find_if(kLabels, [&](const Label& known) {
    return known.text == name && known.is_percentage == (unit == "%");
  });
  return label == kLabels.end() ? name : label->metric;
}

/// A value as it is printed.
struct Cell {
  std::string metric;
  std::string printed;
  std::string unit;
};

struct Row {
  NcuKernel kernel;
  std::vector<Cell> cells;
};

/// The notation of most numbers with a decimal point; English if none of them shows it.
NumberNotation notation_in(const std::vector<Row>& rows) {
  std::size_t english = 0;
  std::size_t continental = 0;
  for (const Row& row : rows) {
    for (const Cell& cell : row.cells) {
      const auto notation = notation_of(cell.printed);
      if (notation) ++(*notation == NumberNotation::english ? english : continental);
    }
  }
  return continental > english ? NumberNotation::continental : NumberNotation::english;
}

// ---- tables ----

/// One table, read record by record.
class Table {
 public:
  Table(std::vector<std::string> headings, const MetricFilter& is_wanted)
      : headings_(std::move(headings)), is_wanted_(is_wanted) {
    const auto has = [this](std::string_view heading) { return column(heading).has_value(); };
    is_long_ = has("Metric Name") && has("Metric Unit") && has("Metric Value");
    if (!has("Kernel Name")) {
      throw Error(ErrorKind::usage, "this Nsight Compute table has no column 'Kernel Name'", kHowToExport);
    }
    for (std::size_t i = 0; i < headings_.size(); ++i) {
      if (is_metric(headings_[i]) && (is_wanted(headings_[i]) || headings_[i] == kDeviceName))
        metric_columns_.push_back(i);
    }
  }

  void add(std::vector<std::string> record) {
    // Rows of metrics end before the columns of rules.
    if (is_long_ && record.size() > *column("Metric Value") && record.size() < headings_.size()) {
      record.resize(headings_.size());
    }
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

  std::vector<NcuKernel> kernels() && {
    const NumberNotation notation = notation_in(rows_);
    std::vector<NcuKernel> kernels;
    for (Row& row : rows_) {
      for (Cell& cell : row.cells) {
        NcuValue value = ncu_value(cell.metric, cell.printed, cell.unit, notation);
        row.kernel.metrics.insert_or_assign(std::move(cell.metric), std::move(value));
      }
      kernels.push_back(std::move(row.kernel));
    }
    return kernels;
  }

 private:
  static constexpr std::string_view kDeviceName = "device__attribute_display_name";

  std::optional<std::size_t> column(std::string_view heading) const {
    const auto found = std::ranges::find(headings_, heading);
    if (found == headings_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - headings_.begin());
  }

  Row& new_row(const std::vector<std::string>& record) {
    Row& row = rows_.emplace_back();
    NcuKernel& kernel = row.kernel;
    kernel.kernel = record[*column("Kernel Name")];
    const auto cell = [&](std::string_view heading) {
      const auto place = column(heading);
      return place ? record[*place] : std::string();
    };
    kernel.process = cell("Process ID");
    kernel.program = cell("Process Name");
    kernel.host = cell("Host Name");
    kernel.device = cell("Device");
    kernel.grid = extent_in(cell("Grid Size"));
    kernel.block = extent_in(cell("Block Size"));
    for (std::size_t i = 0; i < headings_.size(); ++i) {
      if (headings_[i].find("Push/Pop_Range") == std::string::npos) continue;
      if (kernel.range.empty()) kernel.range = range_in(record[i]);
      const auto colons = std::ranges::count(headings_[i], ':');
      kernel.path = path_in(record[i], static_cast<std::size_t>(std::max<std::ptrdiff_t>(colons - 1, 0)));
    }
    return row;
  }

  static void add_cell(Row& row, std::string_view metric, const std::string& printed,
                       const std::string& unit) {
    if (metric == kDeviceName) {
      row.kernel.device_name = printed;
    } else {
      row.cells.push_back({std::string(metric), printed, unit});
    }
  }

  /// A row of the raw page.
  void add_kernel(const std::vector<std::string>& record) {
    Row& row = new_row(record);
    for (const std::size_t i : metric_columns_) {
      add_cell(row, headings_[i], record[i], units_.empty() ? "" : units_[i]);
    }
  }

  /// A row of the details page; those of one kernel follow each other and share their ID.
  void add_metric(const std::vector<std::string>& record) {
    if (rows_.empty() || record.front() != last_id_) new_row(record);
    last_id_ = record.front();
    const std::string& unit = record[*column("Metric Unit")];
    const std::string_view metric = metric_named(record[*column("Metric Name")], unit);
    if (!is_wanted_(metric) && metric != kDeviceName) return;
    if (metric.empty()) return;  // the row of a rule
    add_cell(rows_.back(), metric, record[*column("Metric Value")], unit);
  }

  std::vector<std::string> headings_;
  const MetricFilter& is_wanted_;
  std::vector<std::size_t> metric_columns_;  ///< those that are wanted
  std::vector<std::string> units_;
  bool is_long_ = false;
  std::string last_id_;
  std::vector<Row> rows_;
};

void append(std::vector<NcuKernel>& kernels, std::optional<Table>& table) {
  if (!table) return;
  for (NcuKernel& kernel : std::move(*table).kernels()) kernels.push_back(std::move(kernel));
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

std::vector<NcuKernel> read_ncu_csv(std::string_view text, const MetricFilter& is_wanted) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::string_view whole = text;
  std::vector<NcuKernel> kernels;
  std::optional<Table> table;
  while (!text.empty()) {
    if (text.starts_with(kHeading)) {
      append(kernels, table);
      table.emplace(take_csv_record(text), is_wanted);
    } else if (text.starts_with(kSummaryHeading)) {
      throw Error(ErrorKind::usage,
                  "this is Nsight Compute's summary page, which has no numbers of single launches",
                  kHowToExport);
    } else if (table && text.starts_with('"')) {
      table->add(take_csv_record(text));
    } else {
      take_line(text);
    }
  }
  if (!table) {
    check_ncu_messages(whole);
    throw Error(ErrorKind::usage, "found no Nsight Compute table", kHowToExport);
  }
  append(kernels, table);
  return kernels;
}

bool may_be_ncu_csv(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    if (text.starts_with(kHeading) || text.starts_with(kSummaryHeading) || text.starts_with("=="))
      return true;
    take_line(text);
  }
  return false;
}

namespace {

/// Takes a field that begins with a quote off the front of `text`.
std::string take_quoted(std::string_view& text) {
  std::string field;
  text.remove_prefix(1);
  while (!text.empty()) {
    const std::size_t quote = std::min(text.find('"'), text.size());
    field += text.substr(0, quote);
    text.remove_prefix(std::min(quote + 1, text.size()));
    if (!text.starts_with('"')) break;
    field += '"';
    text.remove_prefix(1);
  }
  return field;
}

std::string take_plain(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of(",\n"), text.size());
  std::string field(text.substr(0, end));
  text.remove_prefix(end);
  if (field.ends_with('\r')) field.pop_back();
  return field;
}

}  // namespace

std::vector<std::string> take_csv_record(std::string_view& text) {
  std::vector<std::string> fields;
  while (true) {
    std::string field;
    if (text.starts_with('"')) field = take_quoted(text);
    field += take_plain(text);  // of a quoted field, what stands between its quote and the comma: nothing
    fields.push_back(std::move(field));
    if (!text.starts_with(',')) break;
    text.remove_prefix(1);
  }
  if (text.starts_with('\n')) text.remove_prefix(1);
  return fields;
}

}  // namespace rooflinectl
