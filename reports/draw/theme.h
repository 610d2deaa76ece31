// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/enum_names.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// light: colours on white. dark: for dark slides. print: black and grey on white; families differ by shape.
enum class Theme { light, dark, print };
inline constexpr std::array kThemes = {Theme::light, Theme::dark, Theme::print};

/// `colour` as `theme` has it; a colour outside `palette` stays as it is.
Colour in_theme(Colour colour, Theme theme);

/// `scene`, which is drawn in the colours of `palette`, in those of `theme`.
Scene themed(Scene scene, Theme theme);

/// A style sheet with the colours of pages as custom properties, the same as in pictures: `--paper`, `--ink`,
/// …, `--family-0`, …. They follow the system between light and dark, unless the root element has the
/// attribute `data-theme` with either; on paper they are light.
std::string theme_css();

// Files that are part of the program, byte for byte: fonts, and the pages of a run and of a
// comparison with their scripts and styles, and that of a history.
namespace embedded {

std::string_view inter_regular();
std::string_view inter_semibold();
std::string_view page();
std::string_view comparison();
std::string_view history();

}  // namespace embedded

}  // namespace rooflinectl
