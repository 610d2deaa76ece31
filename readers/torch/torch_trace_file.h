// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string_view>

#include "core/program/torch_trace.h"

namespace rooflinectl {

/// Reads what `torch.profiler` wrote (`export_chrome_trace`, `tensorboard_trace_handler`), event by event:
/// only what `TorchTrace` has is held. Unknown fields and events are passed over, and what a version of
/// PyTorch leaves out is absent. `name` is used in error messages. Throws Error(usage) naming the place where
/// the text is not JSON, is not a trace of `torch.profiler`, has a field of the wrong type, more than
/// `kMostTorchEvents`, a text of more than 16 MiB, or is nested deeper than 1000.
TorchTrace torch_trace_from_json(std::istream& text, std::string_view name);

/// The same from a file, which may be packed by gzip. Throws as `UnpackedStream` does, too, for more than
/// 4 GiB.
TorchTrace read_torch_trace(const std::filesystem::path& file);

}  // namespace rooflinectl
