// SPDX-License-Identifier: Apache-2.0
#include <cairo-pdf.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <string_view>

#include "reports/draw/encoders.h"
#include "reports/draw/painter.h"

namespace rooflinectl {

namespace {

/// The time that a reproducible build dates its files with (reproducible-builds.org/specs/source-date-epoch),
/// as cairo takes it; nothing where the environment has none.
std::optional<std::string> reproducible_date() {
  const char* const text = std::getenv("SOURCE_DATE_EPOCH");
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = text;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), seconds);
  constexpr std::int64_t kYear10000 = 253402300800;
  if (error != std::errc() || end != digits.end() || seconds < 0 || seconds >= kYear10000)
    return std::nullopt;
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

}  // namespace

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
  if (const auto date = reproducible_date()) {
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, date->c_str());
  }
  painter::paint(surface.get(), scene, kPointsPerUnit);
  cairo_surface_finish(surface.get());
  painter::check(cairo_surface_status(surface.get()));
  return file;
}

}  // namespace rooflinectl
