// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json/json.h"

namespace rooflinectl {

/// Turns a `run.json` of schema 1 into one of schema 2. Schema 1 had one `device`, points of reductions only,
/// and declared operations of one type. What is missing or of the wrong type stays so: reading it finds that.
void upgrade_schema1(serial::Json& run);

}  // namespace rooflinectl
