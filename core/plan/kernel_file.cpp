// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "core/plan/kernels_section.h"
#include "core/plan/plan_yaml.h"
#include "core/plan/settings_section.h"
#include "core/plan/yaml_reader.h"
#include "core/text/names.h"

namespace rooflinectl {

namespace {

using yaml::Field;
using yaml::Fields;
using yaml::position_of;

constexpr std::string_view kMarker = "rooflinectl";

/// A comment `// word: …`, or `# word: …` as Python has it.
struct MarkedComment {
  std::string_view word;
  std::size_t word_begin = 0;  ///< in the line, likewise below
  std::size_t text_begin = 0;  ///< behind the colon
};

std::optional<MarkedComment> marked_comment(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return std::nullopt;
  if (line[begin] != '#' && !line.substr(begin).starts_with("//")) return std::nullopt;
  MarkedComment comment;
  comment.word_begin = line.find_first_not_of(" \t/!#", begin);
  const std::size_t colon = line.find(':', begin);
  if (colon == std::string_view::npos || comment.word_begin > colon) return std::nullopt;
  comment.word = line.substr(comment.word_begin, colon - comment.word_begin);
  comment.text_begin = colon + 1;
  return comment;
}

/// Where the description begins in a line of the source: behind `// rooflinectl:`. Nothing if it has none.
std::optional<std::size_t> description_begin(std::string_view line) {
  const auto comment = marked_comment(line);
  return comment && comment->word == kMarker ? std::optional(comment->text_begin) : std::nullopt;
}

/// A word that was probably meant to be the marker; nothing if the line has none.
std::optional<MarkedComment> misspelt_marker(std::string_view line) {
  const auto comment = marked_comment(line);
  return comment && is_misspelt(comment->word, kMarker) ? comment : std::nullopt;
}

/// Calls `function` with the number of each line of the source, from 1 on, and the line.
template <typename Function>
void for_each_line(std::string_view source, Function function) {
  for (int number = 1; !source.empty(); ++number) function(number, take_field(source, '\n'));
}

/// The description in a source, each character at its place, and nothing else.
std::string description_in(std::string_view source) {
  std::string text;
  for_each_line(source, [&](int, std::string_view line) {
    if (const auto begin = description_begin(line)) {
      text.append(*begin, ' ').append(line.substr(*begin));
    }
    text += '\n';
  });
  return text;
}

/// The settings that a source can have: `launch` is how its kernel is launched.
const std::vector<std::string> kFileSettings = {"cache", "counters", "energy", "timing"};

std::vector<std::string> keys_of_file() {
  std::vector<std::string> keys = yaml::kKernelKeys;
  std::erase(keys, "source");
  keys.insert(keys.end(), kFileSettings.begin(), kFileSettings.end());
  keys.emplace_back("kernels");
  return keys;
}

/// A source and what was read from it.
struct DescribedFile {
  explicit DescribedFile(const KernelFile& kernel_file)
      : file(kernel_file), mistakes(kernel_file.path, kernel_file.text), reader(mistakes) {}

  void read() {
    for_each_line(file.text, [this](int number, std::string_view line) {
      const auto comment = misspelt_marker(line);
      if (!comment) return;
      reader.fail({number, static_cast<int>(comment->word_begin) + 1},
                  fmt::format("{} begins no description: write `{}: …`", in_quotes(comment->word), kMarker));
    });
    const YAML::Node root = yaml::load(description_in(file.text), mistakes);
    const Fields fields = reader.settings(root, position_of(root), "the description", keys_of_file());
    Fields of_settings;
    for (const std::string& key : kFileSettings) {
      if (const Field* field = find(fields, key)) of_settings.emplace(key, *field);
    }
    settings = read_settings(reader, of_settings, {});
    const auto read_source = [this](const std::string&) { return file.text; };
    if (const Field* kernels = find(fields, "kernels")) {
      for (const auto& [key, field] : fields) {
        if (key == "kernels" || of_settings.contains(key)) continue;
        reader.fail(field.position, fmt::format("beside 'kernels', '{}' belongs to one of them", key));
      }
      entries = read_kernels(reader, *kernels, "", file.path, read_source);
    } else if (root.IsMap()) {
      const std::string id = std::filesystem::path(file.path).stem().string();
      entries.push_back(read_kernel(reader, id, position_of(root), fields, "", file.path, read_source));
    }
  }

  const KernelFile& file;
  Mistakes mistakes;
  yaml::Reader reader;
  yaml::Settings settings;
  std::vector<yaml::KernelEntry> entries;
};

void require_description(const KernelFile& file) {
  if (has_description(file.text)) return;
  throw Error(ErrorKind::usage, fmt::format("{}: nothing tells how to launch its kernel", file.path),
              "describe it in comments `// rooflinectl: …`, or in a plan (docs/plans.md)");
}

/// Reports ids that an earlier kernel, or a built-in variant, has.
void check_ids(DescribedFile& file, std::vector<std::string>& taken, const Catalogue& catalogue) {
  for (const yaml::KernelEntry& entry : file.entries) {
    const std::string& id = entry.kernel.id;
    if (catalogue.find_variant(id) != nullptr) {
      file.reader.fail(entry.position, fmt::format("'{}' is the name of a built-in variant", id));
    } else if (std::ranges::find(taken, id) != taken.end()) {
      file.reader.fail(entry.position, fmt::format("another kernel is called '{}' already", id));
    }
    taken.push_back(id);
  }
}

}  // namespace

bool has_description(std::string_view text) {
  bool has = false;
  for_each_line(text, [&](int, std::string_view line) {
    has = has || description_begin(line) || misspelt_marker(line);
  });
  return has;
}

Plan parse_kernel_files(const std::string& name, const std::vector<KernelFile>& files,
                        const Catalogue& catalogue) {
  std::deque<DescribedFile> described;
  std::vector<yaml::KernelEntry> all;
  std::vector<std::string> ids;
  for (const KernelFile& file : files) {
    require_description(file);
    DescribedFile& added = described.emplace_back(file);
    added.read();
    check_ids(added, ids, catalogue);
    all.insert(all.end(), added.entries.begin(), added.entries.end());
  }
  std::vector<yaml::KernelPoints> points;
  for (DescribedFile& file : described) {
    for (const yaml::KernelEntry& entry : file.entries) {
      check_reference(file.reader, entry, all);
      points.push_back({&entry, &file.settings, &file.reader});
    }
    file.mistakes.throw_if_any();
  }
  Plan plan;
  plan.name = name;
  plan.ceilings = catalogue.ceilings;
  plan.experiments = {yaml::experiment_of(points, kMaxPoints)};
  for (const DescribedFile& file : described) {
    file.mistakes.throw_if_any();
    plan.text += file.file.text;
  }
  if (plan.experiments.front().points.size() > kMaxPoints) {
    throw Error(ErrorKind::usage, fmt::format("{} has more than {} points", name, kMaxPoints));
  }
  for (yaml::KernelEntry& entry : all) plan.kernels.push_back(std::move(entry.kernel));
  return plan;
}

}  // namespace rooflinectl
