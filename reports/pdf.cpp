// SPDX-License-Identifier: Apache-2.0
#include "reports/pdf.h"

#include <cairo-pdf.h>

#include <memory>

#include "reports/painter.h"

namespace rooflinectl {

std::string to_pdf(const Scene& scene) {
  constexpr double kPointsPerUnit = 0.5;
  std::string file;
  const cairo_write_func_t append = [](void* target, const unsigned char* data, unsigned length) {
    return static_cast<cairo_status_t>(painter::append(target, data, length));
  };
  const std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface(
      cairo_pdf_surface_create_for_stream(append, &file, kPointsPerUnit * scene.width,
                                          kPointsPerUnit * scene.height),
      cairo_surface_destroy);
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, scene.title.c_str());
  painter::paint(surface.get(), scene, kPointsPerUnit);
  cairo_surface_finish(surface.get());
  painter::check(cairo_surface_status(surface.get()));
  return file;
}

}  // namespace rooflinectl
