// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cairo.h>

#include "reports/draw/scene.h"

/// What PNG and PDF share: drawing by cairo.
namespace rooflinectl::painter {

/// Draws `scene` on `surface`, with `scale` units of the surface for each of the scene's. Throws
/// Error(environment) if cairo fails.
void paint(cairo_surface_t* surface, const Scene& scene, double scale);

/// Throws Error(environment) unless `status`, a cairo_status_t, is success.
void check(int status);

/// A cairo_write_func_t that appends to the std::string `target`.
int append(void* target, const unsigned char* data, unsigned length);

}  // namespace rooflinectl::painter
