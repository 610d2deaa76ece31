// SPDX-License-Identifier: Apache-2.0
#include "runner/embedded_python.h"

#include "core/embed.h"

ROOFLINECTL_EMBED(driver, "python_kernels/driver.py")
ROOFLINECTL_EMBED(nvrtc, "compiling/nvrtc.py")
