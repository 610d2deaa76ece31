// SPDX-License-Identifier: Apache-2.0
// Reads a run.json from each line of standard input, and prints a line for each: empty, or why it is refused.
#include <cstdio>
#include <iostream>
#include <string>

#include "core/error.h"
#include "core/model/run.h"

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    try {
      rooflinectl::run_from_json(line, "run.json");
      std::puts("");
    } catch (const rooflinectl::Error& error) {
      std::puts(error.what());
    }
  }
}
