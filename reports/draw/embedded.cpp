// SPDX-License-Identifier: Apache-2.0
#include "core/embed.h"
#include "reports/draw/theme.h"

ROOFLINECTL_EMBED(inter_regular, "draw/font/Inter-Regular.otf")
ROOFLINECTL_EMBED(inter_semibold, "draw/font/Inter-SemiBold.otf")
ROOFLINECTL_EMBED(page, "page/web/dist/page.html")
ROOFLINECTL_EMBED(comparison, "page/web/dist/comparison.html")
ROOFLINECTL_EMBED(history, "history/history.html")
