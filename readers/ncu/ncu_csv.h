// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "readers/ncu/ncu_kernel.h"

namespace rooflinectl {

/// Reads what `ncu --csv` prints, with `--page raw` (a row per kernel, a column per metric) or `--page
/// details` (a row per metric), in units of any size and in the notation that the numbers of a table have.
/// The details page calls most metrics by labels; those of `kLabels` are known. Lines that are not part of a
/// table are passed over.
///
/// Throws Error(environment) if the text holds an error of ncu in place of a table: no permission, no kernel
/// profiled; Error(usage) if it holds neither, a table that is not laid out like one of ncu's, or the summary
/// page, which has no single launches.
std::vector<NcuKernel> read_ncu_csv(std::string_view text, const MetricFilter& is_wanted = any_metric);

/// Whether `text`, or the beginning of one, may be such output.
bool may_be_ncu_csv(std::string_view text);

/// Throws Error(environment) with cause and hint if ncu's output reports an error.
void check_ncu_messages(std::string_view text);

}  // namespace rooflinectl
