// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/counted_range.h"

namespace rooflinectl::injection {

CountedRange::Opening CountedRange::open(double limit_s) {
  close_if_idle();
  if (is_open_) return Opening::blocked;
  if (!wait_until_idle(limit_s)) return Opening::busy;
  calls_.open();
  is_open_ = true;
  return Opening::opened;
}

bool CountedRange::close(double limit_s) {
  is_open_ = !comes_true(calls_.close_if_idle, limit_s);
  return !is_open_;
}

void CountedRange::close_if_idle() {
  if (is_open_ && calls_.close_if_idle()) is_open_ = false;
}

bool CountedRange::comes_true(const std::function<bool()>& condition, double limit_s) const {
  const double end = calls_.now_s() + limit_s;
  while (!condition()) {
    if (calls_.now_s() >= end) return false;
    calls_.pause();
  }
  return true;
}

}  // namespace rooflinectl::injection
