// SPDX-License-Identifier: Apache-2.0
// Writes the manual pages and the shells' completions of rooflinectl into a folder that is laid out as
// /usr/share: `rooflinectl-write-manuals FOLDER`. Run by the build.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/manual/command_manual.h"
#include "core/files/files.h"

namespace {

void write_manuals(const std::filesystem::path& folder) {
  const std::vector<rooflinectl::CommandManual> manuals = rooflinectl::command_manuals();

  const auto write = [&](const std::filesystem::path& file, const std::string& text) {
    rooflinectl::make_folder((folder / file).parent_path());
    rooflinectl::write_file(folder / file, text);
  };
  for (const rooflinectl::CommandManual& command : manuals) {
    write(fmt::format("man/man1/{}.1", rooflinectl::man_page_name(command)),
          rooflinectl::man_page(command, manuals));
  }
  write("bash-completion/completions/rooflinectl", rooflinectl::bash_completion(manuals));
  write("zsh/vendor-completions/_rooflinectl", rooflinectl::zsh_completion(manuals));
  write("fish/vendor_completions.d/rooflinectl.fish", rooflinectl::fish_completion(manuals));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: rooflinectl-write-manuals FOLDER\n", stderr);
    return 2;
  }
  try {
    write_manuals(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
