// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_file.h"

#include <fmt/format.h>

#include <string_view>

#include "core/error.h"
#include "core/files/files.h"
#include "core/plan/plan_yaml.h"
#include "core/text/printable.h"
#include "runner/machine/catalogue.h"

namespace rooflinectl {

namespace {

/// An executable of Linux, or a script that names its interpreter.
bool is_program(std::string_view content) {
  return content.starts_with(
             "\x7f"
             "ELF") ||
         content.starts_with("#!");
}

}  // namespace

Plan load_plan(const std::string& file) {
  const std::string content = read_file(file);
  if (is_program(content)) {
    throw Error(ErrorKind::usage, fmt::format("{}: this is a program, not a plan", file),
                fmt::format("`rooflinectl profile -- {}` measures its kernels; a plan is a YAML file that "
                            "names kernels of `rooflinectl list`, such as experiments.yaml",
                            printable(file)));
  }
  return parse_plan(content, file, load_catalogue());
}

}  // namespace rooflinectl
