// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/compare/gate.h"
#include "reports/text/text_table.h"

/// The rows and sentences that all forms of a gate share.
namespace rooflinectl {

/// Outcome, point, experiment, check, before, now, change, limit, cause: a row for each check that regressed,
/// then those that are uncertain, then times that cannot be compared; before them the lost points, which have
/// no checks.
Table gate_table(const Gate& gate);

/// `time 262.1 µs, was 239.2 µs (+9.6 %, at least +8.9 %); 251.2 µs passes`
std::string gate_sentence(const GateResult& result);

/// What there is to say about the new run as a whole: `failed: exit code: the program ended with exit code 1;
/// …`, `note: groups: 3 groups of the base (1.2 % of its GPU time) are not in the new run: …`.
std::vector<std::string> gate_run_texts(const Gate& gate);

/// `FAILED: 2 of 142 checks of 36 points regressed, 1 point was lost; 3 uncertain, 2 unchecked`
std::string gate_verdict(const Gate& gate);

/// `time +5 %, roof −5 %, dram +2 %, operations +0 %`
std::string gate_limits(const Gate& gate);

/// How small a change could have been and still fail, per check at the median point and at the noisiest:
/// `time +5.4 %, at V7 +9.8 %; roof −5.3 %, at V7 −8.9 %; dram +2.1 %; operations any`. Empty if nothing was
/// checked.
std::string gate_detectable(const Gate& gate);

/// What a gate found, for a terminal, a pull request and a CI server.

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
