// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cupti_callbacks.h>

#include <optional>
#include <span>
#include <vector>

#include "injection/launch.h"

namespace rooflinectl::injection {

/// The driver's functions that launch.
const std::vector<CUpti_CallbackId>& launching_functions();

/// Whether it is one that launches a graph.
bool is_graph_launch(CUpti_CallbackId function);

/// What such a function was called with, except context, symbol and correlation. Nothing for those that
/// launch on several devices at once.
std::optional<Launch> launch_call(CUpti_CallbackId function, const void* parameters);

/// That of a launch with these attributes, if it has one.
std::optional<record::Extent> cluster_of(std::span<const CUlaunchAttribute> attributes);

/// At the entry of a call that launches a graph: the driver is to refuse it, since it names none. Returns
/// whether it is such a call.
bool refuse_graph_launch(CUpti_CallbackId function, const CUpti_CallbackData& call);
/// At its exit: the program is to believe that this is what the driver returned.
void pretend(const CUpti_CallbackData& call, CUresult result);

}  // namespace rooflinectl::injection
