// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison.h"
#include "core/json/json.h"
#include "core/model/run.h"

/// What `--json` prints: every command begins with the same members (docs/data.md).
namespace rooflinectl {

/// `format`, `schema`, `tool`, `command` and `devices`: what the document is, which program and command
/// printed it, and the GPUs that it is about.
serial::Json answer_head(std::string_view command, const std::vector<DeviceInfo>& devices);

/// The members of `answer`, the text of an object, after those of `head`. Where both have one, it keeps the
/// value in `answer`.
serial::Json answered(serial::Json head, std::string_view answer);

/// The GPUs of all these runs, each once.
std::vector<DeviceInfo> devices_of(std::initializer_list<std::span<const AnalysedRun>> runs);

}  // namespace rooflinectl
