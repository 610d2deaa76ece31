// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json/json_reader.h"
#include "core/model/run.h"

namespace rooflinectl::serial {

/// Throws Error(usage) naming both places if `run`, which `document` holds, has something twice that it can
/// have only once: it would be counted twice.
void refuse_duplicates(const Reader& document, const Run& run);

}  // namespace rooflinectl::serial
