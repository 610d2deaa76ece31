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
  if (!wait_until_idle(limit_s)) return false;
  calls_.close();
  is_open_ = false;
  return true;
}

void CountedRange::close_if_idle() {
  if (is_open_ && calls_.idle()) {
    calls_.close();
    is_open_ = false;
  }
}

bool CountedRange::wait_until_idle(double limit_s) const {
  const double end = calls_.now_s() + limit_s;
  while (!calls_.idle()) {
    if (calls_.now_s() >= end) return false;
    calls_.pause();
  }
  return true;
}

}  // namespace rooflinectl::injection
