// SPDX-License-Identifier: Apache-2.0
// Prints a run.json in which every field occurs.
#include <cstdio>

#include "tests/support/full_run.h"

int main() {
  std::fputs(rooflinectl::run_to_json(rooflinectl::testing::full_run()).c_str(), stdout);
}
