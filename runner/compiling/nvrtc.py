# SPDX-License-Identifier: Apache-2.0
"""Compiles CUDA code with NVRTC, the compiler as a library, of a toolkit or of the wheels that PyTorch brings.

Usage: nvrtc.py --version, or nvrtc.py UNIT CUBIN OPTION... Ends with 1 if the code is refused, with 3 if there is no NVRTC."""

import ctypes
import glob
import os
import re
import sys


def roots():
    """Folders with lib and include, toolkits first."""
    toolkits = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    wheels = [root for site in sys.path for root in sorted(glob.glob(os.path.join(site, "nvidia", "*")), reverse=True)]
    return [root for root in toolkits + wheels if root and os.path.isdir(root)]


def load():
    for root in roots():
        for path in sorted(glob.glob(os.path.join(root, "lib*", "libnvrtc.so.*")), reverse=True):
            if not re.search(r"libnvrtc\.so[.\d]*$", path):
                continue
            try:
                # It looks for these by name.
                for builtins in glob.glob(os.path.join(os.path.dirname(path), "libnvrtc-builtins.so.*")):
                    ctypes.CDLL(builtins, ctypes.RTLD_GLOBAL)
                return ctypes.CDLL(path)
            except OSError:
                continue
    print("no NVRTC was found", file=sys.stderr)
    sys.exit(3)


def main(arguments):
    nvrtc = load()
    if arguments == ["--version"]:
        major, minor = ctypes.c_int(), ctypes.c_int()
        nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        print(f"{major.value}.{minor.value}")
        return 0
    unit, cubin, *options = arguments
    options += [f"-I{folder}" for root in roots() for folder in [os.path.join(root, "include")] if os.path.isdir(folder)]
    program = ctypes.c_void_p()
    with open(unit, "rb") as file:
        nvrtc.nvrtcCreateProgram(ctypes.byref(program), file.read(), unit.encode(), 0, None, None)
    texts = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    result = nvrtc.nvrtcCompileProgram(program, len(options), texts)
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    print(log.value.decode(errors="replace"), file=sys.stderr)
    if result != 0:
        return 1
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, code)
    with open(cubin, "wb") as file:
        file.write(code.raw)
    return 0


sys.exit(main(sys.argv[1:]))
