# SPDX-License-Identifier: Apache-2.0
# Libraries from the system's packages. scripts/setup.sh installs them.

find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_path(FMT_INCLUDE_DIR fmt/format-inl.h REQUIRED)
find_path(UTFCPP_INCLUDE_DIR utf8/unchecked.h REQUIRED)
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_builder.hpp REQUIRED)
find_file(NLOHMANN_JSON_HEADER nlohmann/json.hpp REQUIRED)
find_file(CLI11_HEADER CLI/CLI.hpp REQUIRED)
# By which cmake/licences.cmake finds the licences; add_archive adds its own.
set(linked_files ${NLOHMANN_JSON_HEADER} ${CLI11_HEADER} ${FMT_INCLUDE_DIR}/fmt/format-inl.h ${UTFCPP_INCLUDE_DIR}/utf8/unchecked.h
  ${PROTOZERO_INCLUDE_DIR}/protozero/pbf_builder.hpp)

# Makes `archive::<name>` of lib<name>.a, or else of its shared library, and the folder of its header. ARGN: the archives that it
# needs itself.
function(add_archive name header)
  find_library(ARCHIVE_${name} NAMES lib${name}.a ${name})
  find_path(HEADERS_OF_${name} ${header} PATH_SUFFIXES cairo freetype2 pixman-1)
  if(NOT ARCHIVE_${name} OR NOT HEADERS_OF_${name})
    message(FATAL_ERROR "lib${name}.a or ${header} is missing. `scripts/setup.sh build` installs its package.")
  elseif(ROOFLINECTL_STATIC AND NOT ARCHIVE_${name} MATCHES "\\.a$")
    message(FATAL_ERROR "lib${name}.a is missing, here is only ${ARCHIVE_${name}}. Configure with -DROOFLINECTL_STATIC=OFF: "
      "rooflinectl then runs only where there are the same shared libraries.")
  endif()
  add_library(archive::${name} UNKNOWN IMPORTED GLOBAL)
  list(TRANSFORM ARGN PREPEND archive:: OUTPUT_VARIABLE needed)
  set_target_properties(archive::${name} PROPERTIES
    IMPORTED_LOCATION ${ARCHIVE_${name}}
    INTERFACE_INCLUDE_DIRECTORIES ${HEADERS_OF_${name}}
    INTERFACE_LINK_LIBRARIES "${needed}")
  set(linked_files ${linked_files} ${ARCHIVE_${name}} PARENT_SCOPE)
endfunction()

add_archive(z zlib.h)
add_archive(zstd zstd.h)
add_archive(md sha2.h)
add_archive(iberty libiberty/demangle.h)
add_archive(yaml-cpp yaml-cpp/yaml.h)
add_archive(sqlite3 sqlite3.h)
add_archive(png png.h z)
add_archive(brotlicommon brotli/types.h)
add_archive(brotlidec brotli/decode.h brotlicommon)
add_archive(freetype ft2build.h png z brotlidec)
add_archive(expat expat.h)
add_archive(fontconfig fontconfig/fontconfig.h freetype expat)
add_archive(pixman-1 pixman.h)
add_archive(cairo cairo.h pixman-1 fontconfig freetype png z)

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
