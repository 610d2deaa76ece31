// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Text that is safe to show in a terminal or a table, whatever its source: escape sequences do nothing, and
/// what is read is what is there. Everything that goes to a terminal, into Markdown or into CSV passes
/// through here.
namespace rooflinectl {

/// `text` on one line. Newlines and tabs become spaces; other control characters (C0, DEL, C1, so also what
/// begins an escape sequence), line separators, and marks that change the direction of text become `?`; what
/// is not UTF-8 becomes U+FFFD.
std::string printable(std::string_view text);

/// The same for text of several lines, whose newlines stay.
std::string printable_lines(std::string_view text);

/// The characters of `printable(text)`, for what counts columns.
std::u32string printable_characters(std::string_view text);

/// `json` with such characters, which can only be within its strings, as `\uXXXX`: the same document. JSON of
/// several lines keeps its newlines.
std::string printable_json(std::string json);

/// The characters of UTF-8 text; each byte that is not part of a valid sequence becomes U+FFFD.
std::u32string decode_utf8(std::string_view text);

/// How many bytes at the start of `text` are valid: all, or those before the first that is not.
std::size_t valid_utf8_bytes(std::string_view text);

/// The characters of valid UTF-8 text.
std::size_t count_characters(std::string_view text);

std::string encode_utf8(std::u32string_view text);

}  // namespace rooflinectl
