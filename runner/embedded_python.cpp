// SPDX-License-Identifier: Apache-2.0
#include "runner/embedded_python.h"

#include "core/embed.h"

ROOFLINECTL_EMBED(driver, "python_kernels/driver.py")
ROOFLINECTL_EMBED(reference_main, "compiling/reference_main.h")
ROOFLINECTL_EMBED(nvrtc, "compiling/nvrtc.py")
