// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooflinectl {

/// The largest file that is read: room for about 70 000 points with all their samples.
inline constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

/// The whole content of a file. Throws Error(usage) naming the file if it cannot be read or, before its
/// content takes up memory, if it is larger than `max_bytes`.
std::string read_file(const std::filesystem::path& path, std::size_t max_bytes = kMaxFileBytes);

/// Writes `content` to `path`, following links.
///
/// A regular file is replaced as a whole, by a new file beside it that is renamed: a reader sees the old
/// content or the new, never half of it. The name of the new one is unpredictable; it gets the
/// permissions of the old. Everything else, such as a device, a pipe, or a descriptor of this process
/// (`/dev/stdout`), is written to as it is. A FIFO that nobody reads from is waited on for ten seconds.
///
/// Throws Error(environment) naming the file, with `hint`, if it cannot be written.
void write_file(const std::filesystem::path& path, std::string_view content,
                const char* hint = "choose another folder with --output");

/// Writes `content` into a file that must not exist yet, with `permissions`, or those that new files have.
/// Throws std::system_error, and leaves no file then.
void write_new_file(const std::filesystem::path& path, std::string_view content,
                    std::optional<std::filesystem::perms> permissions);

/// Makes `folder`, with all folders above it, unless it exists, and returns it. Throws Error(environment)
/// naming the folder, with `hint`.
std::filesystem::path make_folder(const std::filesystem::path& folder,
                                  const char* hint = "choose another folder with --output");

/// Makes a temporary folder that nobody can have made before us, or look into. Throws Error(environment)
/// naming it.
std::filesystem::path make_private_folder();

/// Whether both name the same regular file, which need not exist yet.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Throws Error(usage) if `output` is one of `inputs`, by whatever name.
void refuse_to_overwrite(const std::filesystem::path& output,
                         const std::vector<std::filesystem::path>& inputs);

/// An unpredictable name in `folder`, for a file or a link that is to be renamed.
std::filesystem::path unforeseen_name(const std::filesystem::path& folder);

/// `$XDG_CACHE_HOME/rooflinectl`, else `~/.cache/rooflinectl`; nothing if neither is known.
std::optional<std::filesystem::path> cache_folder();

}  // namespace rooflinectl
