// SPDX-License-Identifier: Apache-2.0
// Writes the manual pages and the shells' completions of rooflinectl into a folder that is laid out as
// /usr/share: `rooflinectl-write-manuals FOLDER`. Run by the build.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/manual/command_manual.h"
#include "core/files/files.h"
#include "runner/built_in.h"

namespace rooflinectl {

namespace {

/// Text that roff prints as it stands: no escapes, no requests at the beginning of a line, `-` as one types
/// it.
std::string roff_escaped(const std::string& text) {
  std::string result;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) result += "\\&";
    begins_line = c == '\n';
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

std::string bold(const std::string& text) {
  return fmt::format("\\fB{}\\fR", roff_escaped(text));
}

std::string italic(const std::string& text) {
  return fmt::format("\\fI{}\\fR", roff_escaped(text));
}

std::string first_paragraph(const std::string& text) {
  std::string paragraph = text.substr(0, text.find("\n\n"));
  std::ranges::replace(paragraph, '\n', ' ');
  return paragraph;
}

/// Short enough for a list: what stands before details.
std::string summary_of(const CLI::App& command) {
  const std::string paragraph = first_paragraph(command.get_description());
  return paragraph.substr(0, paragraph.find_first_of(":;."));
}

/// Words in capitals stand for something else.
std::string synopsis(const CLI::App& command) {
  std::string text;
  std::istringstream words(usage_of(command));
  for (std::string word; words >> word;) {
    const bool is_placeholder =
        word != "[OPTIONS]" && word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string::npos;
    text += (text.empty() ? "" : " ") + (is_placeholder ? italic(word) : bold(word));
  }
  return text;
}

std::string heading_of(const CLI::Option& argument) {
  const std::string value = value_name(argument);
  std::vector<std::string> names = names_of(argument);
  if (names.empty()) return italic(value);
  std::ranges::transform(names, names.begin(), bold);
  const std::string heading = fmt::format("{}", fmt::join(names, ", "));
  if (value.empty()) return heading;
  return heading + fmt::format(fmt::runtime(is_value_optional(argument) ? "[={}]" : " {}"), italic(value));
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// A line `Examples:` begins a section; lines are kept as they are.
std::string sections(const std::string& notes) {
  std::string result;
  std::string section = "NOTES";
  std::string body;
  const auto close = [&] {
    while (body.ends_with("\n\n")) body.pop_back();
    if (!body.empty() && body != "\n")
      result += fmt::format(".SH {}\n.nf\n{}.fi\n", section, roff_escaped(body));
    body.clear();
  };
  std::istringstream lines(notes);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == ':' && line.front() != ' ') {
      close();
      section = upper(line.substr(0, line.size() - 1));
    } else if (!body.empty() || !line.empty()) {
      body += line + "\n";
    }
  }
  close();
  return result;
}

/// `rooflinectl-report`, or `rooflinectl`.
std::string man_page_name(const CLI::App& command) {
  const std::string name = command_name(command);
  return name.empty() ? "rooflinectl" : "rooflinectl-" + name;
}

std::string list_of_commands(const CommandList& all) {
  std::string list = ".SH COMMANDS\n";
  for (const CLI::App* command : all) {
    if (command == all.front()) continue;
    list +=
        fmt::format(".TP\n{}(1)\n{}\n", bold(man_page_name(*command)), roff_escaped(summary_of(*command)));
  }
  return list;
}

/// The page of one command for man(1), as man(7) describes its macros. `all`: rooflinectl itself and every
/// command, which the first one's page lists.
std::string man_page(const CLI::App& command, const CommandList& all) {
  const bool is_of_all = &command == all.front();
  const std::string name = man_page_name(command);
  const std::string description = command.get_description();
  std::string page = fmt::format(".TH {} 1 \"\" \"rooflinectl {}\" \"rooflinectl\"\n",
                                 roff_escaped(upper(name)), roff_escaped(std::string(tool_version())));
  page += fmt::format(".SH NAME\n{} \\- {}\n", roff_escaped(name), roff_escaped(summary_of(command)));
  page += fmt::format(".SH SYNOPSIS\n{}\n", synopsis(command));
  const std::string paragraph = first_paragraph(description);
  page += fmt::format(".SH DESCRIPTION\n{}\n", roff_escaped(paragraph));
  page += sections(description.substr(paragraph.size()));
  if (is_of_all) page += list_of_commands(all);
  page += ".SH OPTIONS\n";
  for (const CLI::Option* argument : command.get_options())
    page += fmt::format(".TP\n{}\n{}\n", heading_of(*argument), roff_escaped(full_description(*argument)));
  page += sections(command.get_footer());
  if (!is_of_all) page += ".SH SEE ALSO\n.BR rooflinectl (1)\n";
  return page;
}

void write_manuals(const std::filesystem::path& folder) {
  CLI::App app;
  Action action;
  char name[] = "rooflinectl";
  char* arguments[] = {name};
  add_commands(app, action, 1, arguments);
  const CommandList commands = with_commands(app);

  const auto write = [&](const std::filesystem::path& file, const std::string& text) {
    make_folder((folder / file).parent_path());
    write_file(folder / file, text);
  };
  for (const CLI::App* command : commands) {
    write(fmt::format("man/man1/{}.1", man_page_name(*command)), man_page(*command, commands));
  }
  write("bash-completion/completions/rooflinectl", bash_completion(commands));
  write("zsh/vendor-completions/_rooflinectl", zsh_completion(commands));
  write("fish/vendor_completions.d/rooflinectl.fish", fish_completion(commands));
}

}  // namespace

}  // namespace rooflinectl

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: rooflinectl-write-manuals FOLDER\n", stderr);
    return 2;
  }
  try {
    rooflinectl::write_manuals(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
