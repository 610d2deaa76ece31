# SPDX-License-Identifier: Apache-2.0
# Libraries from the system's packages. scripts/setup.sh installs them.

find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_path(LIBIBERTY_INCLUDE_DIR libiberty/demangle.h REQUIRED)
find_library(LIBIBERTY_LIBRARY iberty REQUIRED)
find_path(UTFCPP_INCLUDE_DIR utf8/unchecked.h REQUIRED)
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_builder.hpp REQUIRED)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo cairo-ft freetype2)
pkg_check_modules(LIBMD REQUIRED IMPORTED_TARGET libmd)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)

if(ROOFLINECTL_CUDA)
  find_package(CUDAToolkit 13.0 REQUIRED)
  # CUPTI lies in extras/CUPTI in a toolkit from NVIDIA's installer, beside the other libraries elsewhere.
  find_path(CUPTI_INCLUDE_DIR cupti_range_profiler.h REQUIRED
    HINTS ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_ROOT}/extras/CUPTI/include
          ${CUDAToolkit_TARGET_DIR}/extras/CUPTI/include)
  find_library(CUPTI_LIBRARY cupti REQUIRED
    HINTS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/lib64
          ${CUDAToolkit_TARGET_DIR}/extras/CUPTI/lib64)
endif()
