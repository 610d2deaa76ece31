// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/serial/json.h"

namespace rooflinectl {

/// Makes a `run.json` of schema 1 one of schema 2. Schema 1 had one `device`, points of reductions alone, and
/// declared operations of one type. What is missing or of the wrong type stays so, for whoever reads it.
void upgrade_schema1(serial::Json& run);

}  // namespace rooflinectl
