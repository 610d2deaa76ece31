// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rooflinectl {

/// A style sheet with the colours of pages as custom properties, the same as in pictures: `--paper`, `--ink`,
/// …, `--family-0`, …. They follow the system between light and dark, unless the root element has the
/// attribute `data-theme` with either; on paper they are light.
std::string theme_css();

}  // namespace rooflinectl
