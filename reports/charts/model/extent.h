// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rooflinectl {

/// How large a picture is: a file of its own, 1600 × 900, or as wide as the text column in which GitHub and
/// similar sites show it, without what is there as a table anyway.
enum class Extent { full, narrow };

}  // namespace rooflinectl
