// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Files of this folder that are part of the program, byte for byte: fonts, and the pages of a run and of a
/// comparison with their scripts and styles, and that of a history.
namespace rooflinectl::embedded {

std::string_view inter_regular();
std::string_view inter_semibold();
std::string_view page();
std::string_view comparison();
std::string_view history();

}  // namespace rooflinectl::embedded
