// SPDX-License-Identifier: Apache-2.0
#include "core/plan/application_section.h"

#include <fmt/format.h>

#include <charconv>

#include "core/error.h"
#include "core/program/profile_settings.h"
#include "core/text/launch_filter.h"

namespace rooflinectl::yaml {

namespace {

std::string text_of(Reader& reader, const Fields& fields, const std::string& key) {
  const Field* const field = find(fields, key);
  return field == nullptr ? "" : reader.single_value(field->value).value_or("");
}

/// A list of words, or a program without arguments.
std::vector<std::string> read_command(Reader& reader, const Field& field) {
  std::vector<std::string> words;
  const auto add = [&](const YAML::Node& node) { words.push_back(reader.single_value(node).value_or("")); };
  if (field.value.IsSequence()) {
    for (const auto& entry : field.value) add(entry);
  } else {
    add(field.value);
    if (words.front().find(' ') != std::string::npos) {
      reader.fail(position_of(field.value), "'command' is a list of words: [python3, train.py]");
    }
  }
  if (words.empty() || words.front().empty()) reader.fail(field.position, "'command' names no program");
  return words;
}

void read_variables(Reader& reader, const Field& field, PlannedApplication& application) {
  for (const Field& variable : reader.fields(field.value, position_of(field.value), "'env'")) {
    if (variable.key.empty() || variable.key.find('=') != std::string::npos) {
      reader.fail(variable.position, fmt::format("{} is not a variable name", in_quotes(variable.key)));
    }
    application.environment[variable.key] = reader.single_value(variable.value).value_or("");
  }
}

int read_samples(Reader& reader, const Field& field, int otherwise) {
  const auto text = reader.single_value(field.value);
  if (!text) return otherwise;
  int samples = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), samples);
  if (error == std::errc() && end == text->data() + text->size() && samples >= 1) return samples;
  reader.fail(position_of(field.value),
              fmt::format("'samples' must be a positive integer, not {}", in_quotes(*text)));
  return otherwise;
}

}  // namespace

PlannedApplication read_application(Reader& reader, const Field& field) {
  const Fields fields = reader.settings(field.value, position_of(field.value), "'application'",
                                        {"command", "env", "cwd", "kernels", "nvtx", "capture", "samples"});
  reader.require(field.value, "command", field.position, "the application");
  PlannedApplication application;
  if (const Field* command = find(fields, "command")) application.command = read_command(reader, *command);
  if (const Field* variables = find(fields, "env")) read_variables(reader, *variables, application);
  application.folder = text_of(reader, fields, "cwd");
  application.nvtx = text_of(reader, fields, "nvtx");
  if (const Field* kernels = find(fields, "kernels")) {
    application.kernels = text_of(reader, fields, "kernels");
    try {
      const LaunchFilter checked(application.kernels, "");
    } catch (const Error& error) {
      reader.fail(position_of(kernels->value), error.what());
    }
  }
  if (const Field* capture = find(fields, "capture")) {
    application.capture = text_of(reader, fields, "capture");
    if (!capture_from(application.capture)) {
      reader.fail(
          position_of(capture->value),
          fmt::format("{} is not one of all, cuda-profiler and nvtx:NAME", in_quotes(application.capture)));
    }
  }
  if (const Field* samples = find(fields, "samples")) {
    application.samples = read_samples(reader, *samples, application.samples);
  }
  return application;
}

}  // namespace rooflinectl::yaml
