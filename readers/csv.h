// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rooflinectl {

/// Takes the next record off the front of `text` and returns its fields (RFC 4180): separated by commas, in
/// quotes where they hold commas, quotes (doubled) or line ends. A quote that is never closed ends with the
/// text.
std::vector<std::string> take_csv_record(std::string_view& text);

}  // namespace rooflinectl
