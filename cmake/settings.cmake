# SPDX-License-Identifier: Apache-2.0
# Compiler settings shared by every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
# CMake 3.25.1 does not know how to ask nvcc for C++20; later versions do.
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

include_directories(${PROJECT_SOURCE_DIR})
# Members left out of a designated initialiser have their defaults: not worth a warning.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wno-missing-field-initializers>")
add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-missing-field-initializers>")
# GCC 12 wrongly considers an optional that is tested before it is read to be uninitialised.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>")

if(ROOFLINECTL_SANITIZE)
  set(sanitizers address,undefined)
  if(ROOFLINECTL_SANITIZE STREQUAL thread)
    set(sanitizers thread)
  endif()
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers} -fuse-ld=lld)
  # Programs that are loaded anywhere start more slowly: the sanitizers' tables need 700,000 relocations.
  string(APPEND CMAKE_EXE_LINKER_FLAGS " -no-pie")
endif()

# A compiler cache keeps what is made of preprocessed files, which precompiled headers are not.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
