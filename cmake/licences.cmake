# SPDX-License-Identifier: Apache-2.0
# The licences of what is linked into the programs, as Debian's packages have them: share/doc/rooflinectl/licences/<package>.txt.
# `linked_files` has a file of each library, archive or header. Elsewhere than on Debian and Ubuntu, nobody knows them.
find_program(DPKG_QUERY dpkg-query)
if(NOT DPKG_QUERY)
  return()
endif()
foreach(library libstdc++.a libgcc_eh.a libc.a)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${library} OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(REAL_PATH ${file} file)
  list(APPEND linked_files ${file})
endforeach()
execute_process(COMMAND ${DPKG_QUERY} --search ${linked_files} OUTPUT_VARIABLE found ERROR_QUIET)
string(REGEX MATCHALL "[^:\n]+(:[a-z0-9]+)?: /[^\n]+" found "${found}")
list(TRANSFORM found REPLACE ":.*" "")
list(REMOVE_DUPLICATES found)
foreach(package ${found})
  install(FILES /usr/share/doc/${package}/copyright DESTINATION share/doc/rooflinectl/licences RENAME ${package}.txt)
endforeach()
# The CUDA runtime.
find_file(CUDA_EULA EULA.txt PATHS ${CUDAToolkit_TARGET_DIR} ${CUDAToolkit_LIBRARY_ROOT} PATH_SUFFIXES doc NO_DEFAULT_PATH)
if(CUDA_EULA)
  install(FILES ${CUDA_EULA} DESTINATION share/doc/rooflinectl/licences RENAME cuda.txt)
endif()
