// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/compare/gate.h"

/// What a gate found, for a terminal, a pull request and a CI server.
namespace rooflinectl {

/// What regressed and what is uncertain as a table of at most `columns` columns, and the verdict.
std::string gate_text(const Gate& gate, int columns);

/// The same as GitHub-flavoured Markdown.
std::string gate_md(const Gate& gate);

/// JUnit XML: a test suite for the runs as a whole, and one per experiment with a test case per point and
/// check. A regression is a failure, runs that cannot be compared are an error, a check that the base has no
/// number for is skipped.
std::string gate_junit(const Gate& gate);

/// All of it as JSON (`docs/schema/gate.schema.json`).
std::string gate_json(const Gate& gate);

}  // namespace rooflinectl
