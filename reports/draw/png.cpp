// SPDX-License-Identifier: Apache-2.0
#include "reports/draw/png.h"

#include <cairo.h>

#include <memory>

#include "reports/draw/painter.h"

namespace rooflinectl {

std::string to_png(const Scene& scene) {
  const std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(scene.width),
                                 static_cast<int>(scene.height)),
      cairo_surface_destroy);
  painter::paint(surface.get(), scene, 1);
  std::string file;
  const cairo_write_func_t append = [](void* target, const unsigned char* data, unsigned length) {
    return static_cast<cairo_status_t>(painter::append(target, data, length));
  };
  painter::check(cairo_surface_write_to_png_stream(surface.get(), append, &file));
  return file;
}

}  // namespace rooflinectl
