// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "core/serial/fields/agreement_fields.h"
#include "core/serial/fields/application_fields.h"
#include "core/serial/fields/catalogue_fields.h"
#include "core/serial/fields/ceiling_fields.h"
#include "core/serial/fields/collective_fields.h"
#include "core/serial/fields/device_fields.h"
#include "core/serial/fields/link_fields.h"
#include "core/serial/fields/measurement_fields.h"

namespace rooflinectl::serial {

template <>
inline constexpr auto kValues<RunSource> = std::array{RunSource::measured, RunSource::replayed};

void fields(auto& f, Is<Run> auto& run) {
  f.object("tool", [&](auto& tool) {
    tool("version", run.tool_version);
    tool("commit", run.tool_commit);
  });
  f("source", run.source);
  f("started_utc", run.started_utc);
  f("wall_s", run.wall_s);
  f("host", run.host);
  f("command_line", run.command_line);
  f("devices", run.devices, AtLeast{1});
  f.optional("together", run.together);
  f("plan", run.plan);
  f.optional("compiled_kernels", run.compiled_kernels);
  f.optional("python_versions", run.python_versions);
  f("catalogue", run.catalogue);
  f("counter_session", run.counter_session);
  f.optional("resumed_utc", run.resumed_utc);
  f.optional("environment", run.environment);
  f("ceilings", run.ceilings);
  f.optional("links", run.links);
  f.optional("collectives", run.collectives);
  f("measurements", run.measurements, AtMost{kMaxPoints});
  f.optional("primitives", run.primitives);
  f.optional("self_test", run.self_test);
  f.optional("cross_checks", run.cross_checks);
  f.optional("application", run.application);
  f.optional("imports", run.imports);
}

}  // namespace rooflinectl::serial
