// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"
#include "cli/terminal.h"
#include "core/json/json.h"
#include "core/model/run.h"
#include "reports/model/report_model.h"

/// What commands that make a run end with.
namespace rooflinectl {

/// Makes the link `latest` beside the run's folder point to it, unless a launcher made this a later rank than
/// the first. If something else has that name, it stays,
/// and a warning says so.
void make_latest(const std::filesystem::path& folder);

/// Prints the last line of a run, with --quiet the only one, and makes the run the latest one.
void print_report(const std::filesystem::path& folder, Verbosity verbosity);

/// Writes the reports into the run's folder; then prints, unless `quiet`, the tables, with --all whole, and
/// below them `note`, and ends as `print_report`.
void finish_run(const ReportModel& report, const std::filesystem::path& folder, bool quiet, bool all,
                std::string_view note = {});

// What `--json` prints: every command begins with the same members (docs/data.md).

/// `format`, `schema`, `tool`, `command` and `devices`: what the document is, which program and command
/// printed it, and the GPUs that it is about.
serial::Json answer_head(std::string_view command, const std::vector<DeviceInfo>& devices);

/// The members of `answer`, the text of an object, after those of `head`. Where both have one, it keeps the
/// value in `answer`.
serial::Json answered(serial::Json head, std::string_view answer);

/// The GPUs of all these runs, each once.
std::vector<DeviceInfo> devices_of(std::initializer_list<std::span<const AnalysedRun>> runs);

}  // namespace rooflinectl
