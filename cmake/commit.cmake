# SPDX-License-Identifier: Apache-2.0
# Writes COMMIT_FILE, which defines ROOFLINECTL_COMMIT, unless it has this content already. Included when the build is configured, and
# run by each build: a commit between two builds, or a changed file, shows.
cmake_policy(VERSION 3.25)
find_package(Git QUIET)
set(commit "")
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR} OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT "${COMMIT_FILE}" CONTENT "#define ROOFLINECTL_COMMIT \"@commit@\"\n" @ONLY)
