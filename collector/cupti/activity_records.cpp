// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/activity_records.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace rooflinectl::cupti {

namespace {

constexpr double kNanosecondsPerSecond = 1e9;

}  // namespace

void ActivityRecords::add(std::uint64_t start_ns, std::uint64_t end_ns, std::string name) {
  const std::lock_guard lock(mutex_);
  if (start_ns == 0 || end_ns < start_ns) {
    is_incomplete_ = true;
    return;
  }
  records_.push_back({start_ns, end_ns, std::move(name)});
}

void ActivityRecords::add_dropped(std::size_t count) {
  const std::lock_guard lock(mutex_);
  if (count > 0) is_incomplete_ = true;
}

std::vector<TracedOperation> ActivityRecords::take() {
  const std::lock_guard lock(mutex_);
  std::vector<Record> records = std::exchange(records_, {});
  if (std::exchange(is_incomplete_, false)) {
    throw Error(ErrorKind::environment, "CUPTI dropped activity records", "run it again");
  }
  std::sort(records.begin(), records.end(),
            [](const Record& a, const Record& b) { return a.start_ns < b.start_ns; });
  std::vector<TracedOperation> operations;
  for (Record& record : records) {
    const double duration_s = static_cast<double>(record.end_ns - record.start_ns) / kNanosecondsPerSecond;
    operations.push_back({std::move(record.name), duration_s});
  }
  return operations;
}

void ActivityRecords::discard() {
  const std::lock_guard lock(mutex_);
  records_.clear();
  is_incomplete_ = false;
}

}  // namespace rooflinectl::cupti
